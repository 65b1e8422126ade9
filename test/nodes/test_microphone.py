"""The node ``microphone`` as a real process over real DDS."""

from __future__ import annotations

import array
import importlib.util
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.qos import QoSPresetProfiles
from std_srvs.srv import SetBool

from kame_ros.msg import AudioConsumed, AudioFrame, DialogueState, VoiceActivity
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros

SPEECH = Path(importlib.util.find_spec("moonshine_voice").origin).parent / "assets" / "beckett.wav"  # type: ignore[union-attr,arg-type]


@pytest.fixture
def sound(tmp_path: Path) -> tuple[Path, Any]:
    """Give 2 s of noise as a file and as samples."""
    samples = np.random.default_rng(1).integers(1, 20000, 48000).astype(np.int16)
    soundfile.write(tmp_path / "noise.wav", samples, 24000)
    return tmp_path / "noise.wav", samples


def joined(frames: list[AudioFrame]) -> Any:
    return np.concatenate([np.zeros(0, np.int16), *(np.frombuffer(f.samples, np.int16) for f in frames)])


def assert_whole(frames: list[AudioFrame]) -> None:
    assert len({frame.stream for frame in frames}) == 1
    positions = [frame.first_sample for frame in frames]
    expected = positions[0] + np.cumsum([0, *(len(frame.samples) for frame in frames)])[:-1]
    assert positions == expected.tolist()


class Consumer:
    """A node that consumes mic/audio and reports it, as frontend and oracle_bridge do."""

    def __init__(self, ros: Any, name: str) -> None:
        self.ros, self.name = ros, name
        self.frames: list[AudioFrame] = []
        self.reporting = True
        self.publisher = ros.node.create_publisher(AudioConsumed, "mic/consumed", qos.AUDIO)
        ros.node.create_subscription(AudioFrame, "mic/audio", self.take, qos.AUDIO)

    def take(self, frame: AudioFrame) -> None:
        self.frames.append(frame)
        if self.reporting:
            end = frame.first_sample + len(frame.samples)
            self.publisher.publish(AudioConsumed(consumer=self.name, stream=frame.stream, end_sample=end))

    @property
    def sounding(self) -> list[AudioFrame]:
        return [frame for frame in self.frames if not frame.muted]


def test_a_file_arrives_whole_and_in_real_time_and_then_silence_goes_on(
    start_node: Any, ros: Any, sound: tuple[Path, Any]
) -> None:
    consumer = Consumer(ros, "test_probe")
    start_node("microphone", source="file", file=str(sound[0]), wait_for_consumers=1)
    assert ros.wait_until(lambda: consumer.sounding and consumer.frames[-1].muted)
    assert_whole(consumer.frames)
    assert np.array_equal(joined(consumer.sounding), sound[1])
    first, last = consumer.sounding[0], consumer.sounding[-1]
    assert last.steady_ns - first.steady_ns == pytest.approx((last.first_sample - first.first_sample) / 24000 * 1e9)
    assert abs(time.monotonic_ns() - last.steady_ns) < 5e9, "the capture time is on this host's steady clock"
    assert (first.sample_rate, first.channels, first.generation, first.session) == (24000, 1, 0, 0)
    assert first.header.stamp.sec > 1_600_000_000
    count = len(consumer.frames)
    assert ros.wait_until(lambda: len(consumer.frames) > count + 20)


def test_it_waits_for_as_many_consumers_as_it_was_told(start_node: Any, ros: Any, sound: tuple[Path, Any]) -> None:
    first = Consumer(ros, "test_probe")
    start_node("microphone", source="file", file=str(sound[0]), wait_for_consumers=2)
    assert ros.wait_until(lambda: len(first.frames) > 50)
    assert not first.sounding
    second = ros.node.create_publisher(AudioConsumed, "mic/consumed", qos.AUDIO)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)

    def told() -> list[str]:
        return [s.message for d in diagnostics for s in d.status if s.name == "microphone: source"]

    assert ros.wait_until(told)
    assert told()[-1] == "waits for wait_for_consumers = 2 consumers of mic/audio"
    # A second name from the same node: a publisher in the graph with that name is what keeps a consumer counted.
    stream = first.frames[-1].stream
    assert ros.wait_until(lambda: second.get_subscription_count() == 1)
    first.name = "test_probe_2"
    report = AudioConsumed(consumer="test_probe", stream=stream, end_sample=480)
    assert ros.wait_until(lambda: second.publish(report) or first.sounding)


def test_rate_zero_stays_a_quarter_of_a_second_ahead_and_loses_nothing(
    start_node: Any, ros: Any, tmp_path: Path
) -> None:
    samples = np.random.default_rng(2).integers(1, 20000, 480_000).astype(np.int16)  # 20 s
    soundfile.write(tmp_path / "long.flac", samples, 24000)
    consumer = Consumer(ros, "test_probe")
    start_node("microphone", source="file", file=str(tmp_path / "long.flac"), wait_for_consumers=1, rate=0)
    assert ros.wait_until(lambda: len(consumer.sounding) > 20)
    began_s = time.monotonic()
    consumer.reporting = False
    reported = consumer.frames[-1].first_sample + 480
    ros.wait_until(lambda: False, timeout_s=1.5)
    end = consumer.frames[-1].first_sample + 480
    assert end - reported <= 5760, "without reports it stops a quarter of a second ahead"
    consumer.reporting = True
    consumer.publisher.publish(AudioConsumed(consumer="test_probe", stream=consumer.frames[-1].stream, end_sample=end))
    assert ros.wait_until(lambda: consumer.frames[-1].muted)
    assert time.monotonic() - began_s < 15, "20 s of sound do not take 20 s"
    assert_whole(consumer.frames)
    assert np.array_equal(joined(consumer.sounding), samples)


def test_speech_is_announced_with_its_positions_and_levels_come_ten_times_a_second(start_node: Any, ros: Any) -> None:
    consumer = Consumer(ros, "test_probe")
    activities = ros.collect(VoiceActivity, "mic/activity", qos.EVENT)
    sessions = ros.node.create_publisher(DialogueState, "dialogue/state", qos.STATE)
    sessions.publish(DialogueState(session=77))
    start_node("microphone", source="file", file=str(SPEECH), wait_for_consumers=1)
    assert ros.wait_until(lambda: any(a.event == VoiceActivity.END for a in activities))
    onset = next(a for a in activities if a.event == VoiceActivity.ONSET)
    end = next(a for a in activities if a.event == VoiceActivity.END)
    assert onset.stream == consumer.frames[0].stream
    assert consumer.sounding[0].first_sample <= onset.at_sample < end.at_sample <= consumer.frames[-1].first_sample
    assert (onset.speaking, end.speaking, onset.session) == (True, False, 77)
    assert consumer.frames[-1].session == 77
    levels = [a for a in activities if a.event == VoiceActivity.NONE]
    assert len(levels) == pytest.approx((levels[-1].at_sample - levels[0].at_sample) / 2400 + 1, abs=1)
    assert max(a.level_dbfs for a in levels) > -40
    assert all(-120 <= a.level_dbfs <= 0 and 0 <= a.probability <= 1 for a in levels)


def test_gain_and_thresholds_follow_their_parameters_in_whatever_type_yaml_gives(
    start_node: Any, ros: Any, tmp_path: Path
) -> None:
    speech, rate_hz = soundfile.read(SPEECH, dtype="int16")
    soundfile.write(tmp_path / "long.wav", np.concatenate([speech] * 6), rate_hz)
    consumer = Consumer(ros, "test_probe")
    activities = ros.collect(VoiceActivity, "mic/activity", qos.EVENT)

    def loudest() -> int:
        return int(np.abs(joined(consumer.sounding[-100:]).astype(int)).max())

    def onsets() -> list[VoiceActivity]:
        return [activity for activity in activities if activity.event == VoiceActivity.ONSET]

    start_node("microphone", source="file", file=str(tmp_path / "long.wav"), wait_for_consumers=1, vad_threshold=0.95)
    assert ros.wait_until(lambda: consumer.sounding)
    assert not ros.change("microphone", vad_onset_s=2, gain_db=-20)
    count = len(onsets())
    assert ros.wait_until(lambda: len(consumer.sounding) > 250)
    assert len(onsets()) == count, "no speech of two seconds without a pause is in the file"
    assert loudest() < 3600
    assert not ros.change("microphone", vad_onset_s=0.06, vad_threshold="0.5", gain_db=0)
    assert ros.wait_until(lambda: len(onsets()) > count and loudest() > 8000)


def test_a_change_is_taken_whole_or_refused_whole_with_the_reason(
    start_node: Any, ros: Any, sound: tuple[Path, Any]
) -> None:
    consumer = Consumer(ros, "test_probe")
    start_node("microphone", source="file", file=str(sound[0]), wait_for_consumers=1)
    assert ros.wait_until(lambda: consumer.frames)

    def now() -> Any:
        request = GetParameters.Request(names=["gain_db", "vad_end_s"])
        values = ros.call(GetParameters, "microphone/get_parameters", request).values
        return [(value.type, value.double_value) for value in values]

    before = now()
    for given, reason in [
        ({"gain_db": 6.0, "vad_end_s": 9.0}, "vad_end_s = 9.0: must be a number from 0.05 to 3 s"),
        ({"gain_db": 6.0, "frame_ms": 40}, "frame_ms = 40: it is 20 as long as the node runs; give the other value"),
        ({"gain_db": 6.0, "gain_dB": 6.0}, "gain_dB: unknown parameter; did you mean gain_db?"),
        ({"gain_db": "loud"}, "gain_db = 'loud': must be a number from -60 to 60 dB"),
        ({"gain_db": float("nan")}, "gain_db = nan: must be a number from -60 to 60 dB"),
    ]:
        assert ros.change("microphone", **given).startswith(reason)
        assert now() == before
    assert not ros.change("microphone", gain_db=6, frame_ms=20, vad_end_s="0.5")
    assert now() == [(ParameterType.PARAMETER_DOUBLE, 6.0), (ParameterType.PARAMETER_DOUBLE, 0.5)]


def test_mute_gives_marked_zeros_until_it_is_taken_back(start_node: Any, ros: Any, tmp_path: Path) -> None:
    soundfile.write(tmp_path / "tone.wav", np.full(24000 * 20, 1000, np.int16), 24000)
    consumer = Consumer(ros, "test_probe")
    start_node("microphone", source="file", file=str(tmp_path / "tone.wav"), wait_for_consumers=1)
    assert ros.wait_until(lambda: consumer.sounding)
    assert ros.call(SetBool, "mute", SetBool.Request(data=True)).success
    assert ros.wait_until(lambda: consumer.frames[-1].muted)
    assert not any(consumer.frames[-1].samples)
    assert ros.call(SetBool, "mute", SetBool.Request(data=False)).message == "listening"
    assert ros.wait_until(lambda: not consumer.frames[-1].muted)
    assert_whole(consumer.frames)


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), (b"", "0 bytes"), (b"hello, no sound\n" * 9, "not a sound file")]
)
def test_a_bad_file_is_one_line_and_the_node_lives(
    start_node: Any, ros: Any, tmp_path: Path, content: bytes | None, why: str
) -> None:
    path = tmp_path / "question.wav"
    if content is not None:
        path.write_bytes(content)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    process = start_node("microphone", source="file", file=str(path))

    def told() -> list[str]:
        return [s.message for d in diagnostics for s in d.status if s.name == "microphone: faults"]

    assert ros.wait_until(told)
    assert told()[0].startswith(f"file = {str(path)!r}: ")
    assert why in told()[0]
    assert process.poll() is None


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"file": "~nobody_at_all/x.wav"}, "file = '~nobody_at_all/x.wav': nobody here has that home; write the whole"),
        ({"gain_db": 99}, "gain_db = 99: must be a number from -60 to 60 dB"),
        ({"source": "radio"}, "source = 'radio': must be one of device, file, topic"),
    ],
)
def test_a_value_that_cannot_be_is_one_line_and_the_exit_code_says_that_a_restart_would_not_help(
    start_node: Any, given: dict[str, Any], line: str
) -> None:
    process = start_node("microphone", **given)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 2
    assert output.strip().startswith(line)
    assert len(output.strip().splitlines()) == 1


def test_without_a_sound_card_the_time_goes_on_and_the_reason_is_told(start_node: Any, ros: Any) -> None:
    consumer = Consumer(ros, "test_probe")
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("microphone", device="no such card")
    assert ros.wait_until(lambda: len(consumer.frames) > 50)
    assert all(frame.muted for frame in consumer.frames)
    assert_whole(consumer.frames)
    sources = [s for d in diagnostics for s in d.status if s.name == "microphone: source"]
    assert "device" in sources[-1].message
    assert sources[-1].level == b"\x02"


def sources(diagnostics: list[DiagnosticArray]) -> list[DiagnosticStatus]:
    return [status for told in diagnostics for status in told.status if status.name == "microphone: source"]


def test_a_topic_of_another_program_is_the_microphone_whatever_its_rate(start_node: Any, ros: Any) -> None:
    consumer = Consumer(ros, "test_probe")
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    sender = ros.node.create_publisher(AudioFrame, "phone/audio", QoSPresetProfiles.SENSOR_DATA.value)
    start_node("microphone", source="topic", topic="phone/audio")
    assert ros.wait_until(lambda: consumer.frames and sender.get_subscription_count())
    assert ros.wait_until(lambda: sources(diagnostics) and "no sound comes" in sources(diagnostics)[-1].message)
    assert all(frame.muted for frame in consumer.frames)
    assert_whole(consumer.frames)
    tone = np.rint(8000 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)).astype(np.int16)
    stereo = np.repeat(tone, 2)

    def send(first: int, **wrong: int) -> None:
        samples = array.array("h", stereo[2 * first : 2 * first + 640].tobytes())
        fields = {"sample_rate": 16_000, "channels": 2, **wrong}
        sender.publish(AudioFrame(stream=3, first_sample=first, samples=samples, **fields))

    send(0, sample_rate=0)
    for first in range(0, 16_000, 320):
        send(first)
        ros.wait_until(lambda: False, timeout_s=0.02)
    assert ros.wait_until(lambda: sum(len(frame.samples) for frame in consumer.sounding) > 23_000)
    heard = joined(consumer.sounding)
    expected = np.rint(8000 * np.sin(2 * np.pi * 440 * np.arange(len(heard)) / 24_000))
    assert np.abs(heard - expected)[500:-500].max() < 20
    assert ros.wait_until(lambda: "no sound comes any more" in sources(diagnostics)[-1].message)
    values = {value.key: value.value for value in sources(diagnostics)[-1].values}
    assert (values["refused_frames"], values["state"]) == ("1", "lost")
    assert ros.wait_until(lambda: consumer.frames[-1].muted)


def test_its_own_topic_as_the_microphone_is_one_line(start_node: Any, ros: Any) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    start_node("microphone", source="topic", topic="/mic/audio")

    def told() -> list[str]:
        return [s.message for d in diagnostics for s in d.status if s.name == "microphone: faults"]

    assert ros.wait_until(told)
    assert told()[0] == "topic = '/mic/audio': this node publishes it; give the topic of another program"
