"""From blocks to frames and voice activity."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.audio.hearing import Activity, Frame, Hearing, HearingSettings
from kame_ros.audio.pcm import Pcm
from kame_ros.audio.source import Block
from kame_ros.audio.speech_detector import SpeechChunk
from kame_ros.audio.voice_activity import ActivityKind, VoiceActivitySettings


class LoudIsSpeech:
    """A detector of the test's own: what is loud is speech, in chunks of 768."""

    def __init__(self) -> None:
        self.pending = np.zeros(0, np.int16)
        self.next_sample = 0
        self.forgotten = 0

    def push(self, samples: Pcm) -> list[SpeechChunk]:
        self.pending = np.concatenate((self.pending, samples))
        chunks = []
        while len(self.pending) >= 768:
            loud = float(np.abs(self.pending[:768]).mean() > 1000)
            chunks.append(SpeechChunk(loud, self.next_sample, 768))
            self.next_sample += 768
            self.pending = self.pending[768:]
        return chunks

    def forget(self) -> None:
        self.forgotten += 1

    def move_to(self, first_sample: int) -> None:
        self.pending = np.zeros(0, np.int16)
        self.next_sample = first_sample


def hear(hearing: Hearing, blocks: Iterable[Block]) -> list[Frame | Activity]:
    return [sound for block in blocks for sound in hearing.feed(block)]


def frames(sounds: list[Frame | Activity]) -> list[Frame]:
    return [sound for sound in sounds if isinstance(sound, Frame)]


def events(sounds: list[Frame | Activity]) -> list[tuple[ActivityKind, int]]:
    return [(s.kind, s.at_sample) for s in sounds if isinstance(s, Activity) and s.kind]


def block(samples: Pcm, first_sample: int, muted: bool = False) -> Block:
    return Block(samples, first_sample, 1_000_000_000 + round(first_sample * 1e9 / 24000), muted)


@pytest.fixture
def hearing() -> Hearing:
    hearing = Hearing(HearingSettings(), LoudIsSpeech())
    assert not list(hearing.begin(3))
    return hearing


@given(lengths=st.lists(st.integers(1, 1500), max_size=20))
def test_however_blocks_are_cut_the_frames_are_the_same(lengths: list[int]) -> None:
    hearing = Hearing(HearingSettings(), None)
    list(hearing.begin(3))
    everything = np.random.default_rng(0).integers(-9000, 9000, sum(lengths)).astype(np.int16)
    positions = np.cumsum([0, *lengths])
    blocks = [block(everything[a:b], a) for a, b in itertools.pairwise(positions.tolist())]
    out = frames(hear(hearing, blocks))
    assert [(f.stream, f.first_sample, len(f.samples)) for f in out] == [(3, i * 480, 480) for i in range(len(out))]
    heard = np.concatenate([np.zeros(0, np.int16), *(frame.samples for frame in out)])
    assert np.array_equal(heard, everything[: len(heard)])
    assert len(everything) - len(heard) < 480
    for frame in out:
        assert abs(frame.steady_ns - 1_000_000_000 - frame.first_sample * 1e9 / 24000) < 1000  # type: ignore[operator]


def test_a_gap_is_never_inside_a_frame(hearing: Hearing, noise: Pcm) -> None:
    out = frames(hear(hearing, [block(noise[:700], 0), block(noise[1000:2000], 1000)]))
    assert [(f.first_sample, len(f.samples)) for f in out] == [(0, 480), (480, 220), (1000, 480), (1480, 480)]
    assert np.array_equal(out[2].samples, noise[1000:1480])
    assert hearing.missing_samples == 300


def test_a_source_that_falls_silent_is_never_half_muted_in_a_frame(hearing: Hearing, noise: Pcm) -> None:
    zeros = np.zeros(960, np.int16)
    out = frames(hear(hearing, [block(noise[:700], 0), block(zeros, 700, muted=True), block(noise[:480], 1660)]))
    assert [(f.first_sample, len(f.samples), f.muted) for f in out] == [
        (0, 480, False),
        (480, 220, False),
        (700, 480, True),
        (1180, 480, True),
        (1660, 480, False),
    ]


def test_muting_gives_marked_zeros_and_goes_on_counting(hearing: Hearing, noise: Pcm) -> None:
    hear(hearing, [block(noise[:480], 0)])
    hearing.muted = True
    (frame,) = frames(hear(hearing, [block(noise[480:960], 480)]))
    assert (frame.first_sample, frame.muted, bool(frame.samples.any())) == (480, True, False)
    hearing.muted = False
    (frame,) = frames(hear(hearing, [block(noise[960:1440], 960)]))
    assert np.array_equal(frame.samples, noise[960:1440])


def test_gain_is_heard_by_everybody(hearing: Hearing) -> None:
    hearing.gain_db = 20.0
    sounds = hear(hearing, [block(np.full(24000, 300, np.int16), 0)])
    assert frames(sounds)[0].samples[0] == 3000
    assert events(sounds)[0] == (ActivityKind.ONSET, 0)


def test_speech_is_told_with_its_positions_after_the_frame_that_settles_it(hearing: Hearing, noise: Pcm) -> None:
    quiet = np.zeros(24000, np.int16)
    sounds = hear(hearing, [block(np.concatenate([quiet, noise[:24000], quiet]), 0)])
    onset, interrupt, end = events(sounds)
    assert onset[0] is ActivityKind.ONSET
    assert abs(onset[1] - 24000) <= 768
    assert interrupt == (ActivityKind.INTERRUPT, onset[1])
    assert end[0] is ActivityKind.END
    assert abs(end[1] - 48000) <= 768
    told = next(i for i, s in enumerate(sounds) if isinstance(s, Activity) and s.kind is ActivityKind.ONSET)
    before = frames(sounds[:told])[-1]
    assert before.first_sample + 480 >= onset[1] + 2 * 768


def test_the_detector_forgets_between_utterances_and_not_within(noise: Pcm) -> None:
    detector = LoudIsSpeech()
    hearing = Hearing(HearingSettings(), detector)
    list(hearing.begin(1))
    before = detector.forgotten
    hear(hearing, [block(noise[:24000], 0)])
    assert detector.forgotten == before
    hear(hearing, [block(np.zeros(24000, np.int16), 24000)])
    assert detector.forgotten == before + 1


def test_a_level_is_told_ten_times_a_second(hearing: Hearing) -> None:
    square = np.tile(np.array([3277, -3277], np.int16), 12000)
    levels = [s for s in hear(hearing, [block(square, 0)]) if isinstance(s, Activity) and s.kind is None]
    assert len(levels) == 10
    assert levels[0].level_dbfs == pytest.approx(-20.0, abs=0.01)
    assert levels[-1].speaking
    assert levels[-1].probability == 1.0


def test_without_a_detector_the_probability_is_unknown(noise: Pcm) -> None:
    hearing = Hearing(HearingSettings(), None)
    list(hearing.begin(1))
    activities = [s for s in hear(hearing, [block(noise, 0)]) if isinstance(s, Activity)]
    assert activities
    assert all(a.kind is None and a.probability is None and not a.speaking for a in activities)


def test_a_new_stream_ends_the_speech_of_the_old_one_and_counts_from_zero(hearing: Hearing, noise: Pcm) -> None:
    hear(hearing, [block(noise[:24100], 0)])
    end = list(hearing.begin(4))
    assert [(f.first_sample, len(f.samples), f.stream) for f in frames(end)] == [(24000, 100, 3)]
    assert [(e.kind, e.stream) for e in end if isinstance(e, Activity)] == [(ActivityKind.END, 3)]
    (frame,) = frames(hear(hearing, [block(noise[:480], 0)]))
    assert (frame.stream, frame.first_sample) == (4, 0)


def test_other_thresholds_hold_at_once_and_speech_that_is_open_goes_on(hearing: Hearing, noise: Pcm) -> None:
    hearing.judge_by(VoiceActivitySettings(onset_s=9.0))
    assert events(hear(hearing, [block(noise[:9600], 0)])) == []
    hearing.judge_by(VoiceActivitySettings(interrupt_s=9.0))
    assert events(hear(hearing, [block(noise[9600:14400], 9600)])) == [(ActivityKind.ONSET, 0)]
    hearing.judge_by(VoiceActivitySettings(end_s=1.0))
    quiet = np.zeros(23000, np.int16)
    assert [kind for kind, _ in events(hear(hearing, [block(quiet, 14400)]))] == [ActivityKind.INTERRUPT]
    hearing.judge_by(VoiceActivitySettings(end_s=0.1))
    assert [kind for kind, _ in events(hear(hearing, [block(quiet, 37400)]))] == [ActivityKind.END]
