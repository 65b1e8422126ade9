"""The node ``bridges`` and nodes of others, as real processes, with the types that they publish."""

from __future__ import annotations

import array
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from interfaces import Interfaces, make_interfaces

from kame_ros.bridges.intents import name
from kame_ros.msg import AudioFrame, Intent, Transcript, VoiceActivity
from kame_ros.nodes import qos

pytestmark = pytest.mark.ros

SOUND = array.array("h", [0, 1, -2, 32767, -32768])
THEIR_SOUND = """
import time, rclpy
from audio_common_msgs.msg import {kind}
rclpy.init()
node = rclpy.create_node("their_microphone")
publisher = node.create_publisher({kind}, "audio_common/external", 10)
message = {kind}()
{fill}
for _ in range(300):
    publisher.publish(message)
    time.sleep(0.1)
"""


def send(ros: Any, publisher: Any, message: Any, heard: list[Any], count: int = 1) -> bool:
    """Publish until it has been heard: who listens when cannot be seen from here."""
    for _ in range(60):
        publisher.publish(message)
        if ros.wait_until(lambda: len(heard) >= count, 0.5):
            return True
    return False


def parts(messages: list[DiagnosticArray]) -> dict[str, tuple[bytes, str]]:
    return {
        status.name: (status.level, status.message)
        for message in messages
        for status in message.status
        if status.name.startswith("bridges: ")
    }


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("MOVE_TO", "__intent_move_to__"),
        ("open_door", "__intent_open_door__"),
        ("__intent_say__", "__intent_say__"),
        ("RAW_USER_INPUT", "__raw_user_input__"),
    ],
)
def test_an_intents_name_is_written_as_theirs(ours: str, theirs: str) -> None:
    assert name(ours) == theirs


def test_intents_come_out_for_those_who_follow_theirs(ros: Any, others: Any, hri_actions_msgs: Interfaces) -> None:
    heard = others.hear(hri_actions_msgs, "/intents", "hri_actions_msgs.Intent")
    others.bridges(hri_actions_msgs, bridges="intents")
    intents = ros.node.create_publisher(Intent, "intent", qos.TEXT)
    intent = Intent(
        session=1, turn=2, intent="MOVE_TO", data='{"goal": "cafe"}', modality="speech", priority=128, confidence=0.5,
    )  # fmt: skip
    assert send(ros, intents, intent, heard)
    assert heard[0] == {
        "intent": "__intent_move_to__",
        "data": '{"goal": "cafe"}',
        "source": "__unknown_agent__",
        "modality": "__modality_speech__",
        "priority": 128,
        "confidence": 0.5,
    }


def test_the_voice_is_told_as_rep_155_has_it(ros: Any, others: Any, hri_msgs: Interfaces) -> None:
    below = "/humans/voices/anonymous_speaker"
    speech = others.hear(hri_msgs, f"{below}/speech", "hri_msgs.LiveSpeech")
    speaking = others.hear(hri_msgs, f"{below}/is_speaking", "std_msgs.Bool")
    tracked = others.hear(hri_msgs, "/humans/voices/tracked", "hri_msgs.IdsList")
    others.bridges(hri_msgs, bridges="voices")
    words = ros.node.create_publisher(Transcript, "user/transcript", qos.TEXT)
    activity = ros.node.create_publisher(VoiceActivity, "mic/activity", qos.EVENT)
    assert send(ros, activity, VoiceActivity(event=VoiceActivity.ONSET), speaking)
    assert speaking[0] == {"data": True}
    said = Transcript(status=Transcript.PARTIAL, text="where is", locale="en-US", confidence=-1.0)
    assert send(ros, words, said, speech)
    assert (speech[0]["incremental"], speech[0]["final"], speech[0]["confidence"]) == ("where is", "", 0.0)
    assert (speech[0]["language"], speech[0]["locale"]) == ("en", "en_US")
    assert speech[0]["header"]["frame_id"] == "voice_anonymous_speaker"
    count = len(speech)
    said = Transcript(status=Transcript.FINAL, text="where is the lift", locale="en-US", confidence=0.5)
    assert send(ros, words, said, speech, count + 1)
    assert (speech[-1]["incremental"], speech[-1]["final"]) == ("", "where is the lift")
    assert ros.wait_until(lambda: len(tracked) >= 2), "told again each second"
    assert tracked[0]["ids"] == ["anonymous_speaker"]
    count = len(speaking)
    assert send(ros, activity, VoiceActivity(event=VoiceActivity.END), speaking, count + 1)
    assert speaking[-1] == {"data": False}


def test_sound_comes_out_for_foxglove(ros: Any, others: Any, foxglove_msgs: Interfaces) -> None:
    heard = others.hear(foxglove_msgs, "/mic/raw_audio", "foxglove_msgs.RawAudio")
    others.bridges(foxglove_msgs, bridges="raw_audio")
    mic = ros.node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO)
    assert send(ros, mic, AudioFrame(sample_rate=24_000, channels=1, samples=SOUND), heard)
    assert bytes(heard[0]["data"]) == SOUND.tobytes()
    assert (heard[0]["format"], heard[0]["sample_rate"], heard[0]["number_of_channels"]) == ("pcm-s16", 24_000, 1)


def test_sound_comes_out_in_the_plain_bytes_of_ros_drivers(ros: Any, others: Any, ros_drivers: Interfaces) -> None:
    heard = others.hear(ros_drivers, "/audio_common/audio_stamped", "audio_common_msgs.AudioDataStamped")
    others.bridges(ros_drivers, bridges="audio_out")
    mic = ros.node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO)
    assert send(ros, mic, AudioFrame(sample_rate=24_000, channels=1, samples=SOUND), heard)
    assert bytes(heard[0]["audio"]["data"]) == SOUND.tobytes()
    plain = others.hear(ros_drivers, "/audio_common/audio", "audio_common_msgs.AudioData")
    assert send(ros, mic, AudioFrame(sample_rate=24_000, channels=1, samples=SOUND), plain)
    assert bytes(plain[0]["data"]) == SOUND.tobytes()
    infos = others.hear(ros_drivers, "/audio_common/audio_info", "audio_common_msgs.AudioInfo", "latched")
    assert ros.wait_until(lambda: infos, 40.0), "the format is told to who comes late"
    assert (infos[0]["channels"], infos[0]["sample_rate"], infos[0]["sample_format"]) == (1, 24_000, "S16LE")


def test_sound_comes_out_in_mgonzs13s_types(ros: Any, others: Any, mgonzs13: Interfaces) -> None:
    heard = others.hear(mgonzs13, "/audio_common/audio", "audio_common_msgs.AudioStamped")
    others.bridges(mgonzs13, bridges="audio_out")
    mic = ros.node.create_publisher(AudioFrame, "mic/audio", qos.AUDIO)
    assert send(ros, mic, AudioFrame(sample_rate=24_000, channels=1, samples=SOUND), heard)
    assert heard[0]["audio"]["audio_data"]["int16_data"] == SOUND.tolist()
    assert heard[0]["audio"]["info"] == {"format": 8, "channels": 1, "rate": 24_000, "chunk": 5}


@pytest.mark.parametrize(
    ("package", "kind", "fill", "rate_hz", "channels"),
    [
        ("ros_drivers", "AudioData", "message.data = bytes([0, 0, 1, 0, 254, 255, 255, 127])", 8000, 2),
        (
            "mgonzs13",
            "AudioStamped",
            "message.audio.audio_data.int16_data = [0, 1, -2, 32767]\n"
            "i = message.audio.info; i.format = 8; i.channels = 2; i.rate = 8000; i.chunk = 2",
            8000,
            2,
        ),
        (
            "mgonzs13",
            "AudioStamped",
            "message.audio.audio_data.float32_data = [0.0, 1 / 32768, -2 / 32768, 2.0]\n"
            "i = message.audio.info; i.format = 1; i.channels = 2; i.rate = 44100; i.chunk = 2",
            44100,
            2,
        ),
    ],
)
def test_their_sound_comes_in_as_a_microphone_of_ours(
    ros: Any, others: Any, request: Any, package: str, kind: str, fill: str, rate_hz: int, channels: int
) -> None:
    interfaces = request.getfixturevalue(package)
    frames = ros.collect(AudioFrame, "mic/external", qos.AUDIO)
    others.bridges(interfaces, bridges="audio_in", audio_in_hz=8000, audio_in_channels=2)
    others.run(interfaces, THEIR_SOUND.format(kind=kind, fill=fill))
    assert ros.wait_until(lambda: len(frames) >= 3, 40.0)
    assert (frames[0].sample_rate, frames[0].channels) == (rate_hz, channels)
    assert frames[0].samples.tolist() == [0, 1, -2, 32767]
    firsts = [frame.first_sample for frame in frames]
    assert firsts == list(range(firsts[0], firsts[0] + 2 * len(frames), 2))
    assert len({frame.stream for frame in frames}) == 1


def test_what_they_send_in_another_format_is_refused_and_told(ros: Any, others: Any, mgonzs13: Interfaces) -> None:
    frames = ros.collect(AudioFrame, "mic/external", qos.AUDIO)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    others.bridges(mgonzs13, bridges="audio_in")
    others.run(mgonzs13, THEIR_SOUND.format(kind="AudioStamped", fill="message.audio.info.format = 32"))
    assert ros.wait_until(lambda: "were refused" in parts(diagnostics).get("bridges: audio_in", (b"", ""))[1], 40.0)
    assert not frames


def test_a_package_that_is_missing_is_one_line_and_the_other_bridges_work(
    ros: Any, others: Any, foxglove_msgs: Interfaces
) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    others.bridges(foxglove_msgs, bridges="intents, raw_audio")
    assert ros.wait_until(lambda: len(parts(diagnostics)) >= 2, 40.0)
    told = parts(diagnostics)
    assert told["bridges: raw_audio"] == (bytes([0]), "ok")
    why = "bridges = intents: hri_actions_msgs is not installed here; source its workspace"
    assert told["bridges: intents"] == (bytes([2]), why)


def test_what_is_no_topics_name_is_one_line_and_the_other_bridges_work(
    ros: Any, others: Any, ros_drivers: Interfaces
) -> None:
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    others.bridges(ros_drivers, bridges="audio_in, audio_out", audio_in_topic="two words")
    assert ros.wait_until(lambda: len(parts(diagnostics)) >= 2, 40.0)
    told = parts(diagnostics)
    assert told["bridges: audio_out"] == (bytes([0]), "ok")
    rule = "letters, digits, _ and / make a topic's name, and no part of it begins with a digit"
    assert told["bridges: audio_in"] == (bytes([2]), f"audio_in_topic = 'two words': {rule}")


def test_a_package_of_the_same_name_with_other_fields_is_told_by_what_it_lacks(
    ros: Any, others: Any, tmp_path: Any
) -> None:
    old = make_interfaces("hri_msgs", {"msg/LiveSpeech.msg": "string text\n"}, tmp_path)
    diagnostics = ros.collect(DiagnosticArray, "/diagnostics", qos.TEXT)
    others.bridges(old, bridges="voices")
    assert ros.wait_until(lambda: parts(diagnostics), 40.0)
    assert "hri_msgs that is installed here has not LiveSpeech with header" in parts(diagnostics)["bridges: voices"][1]
