"""Both nodes on real devices: what is said into the microphone comes out of the loudspeaker. No speed is asserted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.sound_path import (
    CLICKS,
    RATE_HZ,
    added_ms,
    clicks,
    find_breaks,
    find_delays_ms,
    markdown,
    measure,
    spread,
    tone,
)


def test_a_whole_tone_has_no_break_and_its_edges_are_none() -> None:
    sound = np.concatenate([np.zeros(999, np.int16), tone(3.0), np.zeros(777, np.int16)])
    samples, breaks = find_breaks(sound)
    assert samples == pytest.approx(2 * RATE_HZ, abs=200)
    assert breaks == 0


@pytest.mark.parametrize("lost", [1, 7, 480])
@pytest.mark.parametrize("places", [[20_000], [20_000, 40_000]])
def test_what_is_lost_doubled_or_silent_is_a_break(lost: int, places: list[int]) -> None:
    sound = tone(3.0)
    cut, doubled, silent = sound, sound, sound.copy()
    for place in reversed(places):
        cut = np.delete(cut, slice(place, place + lost))
        doubled = np.insert(doubled, place, doubled[place - lost : place])
        silent[place : place + lost] = 0
    for broken in (cut, doubled):
        assert find_breaks(broken)[1] == len(places)
    # Half a second at either end is not looked at, and silence may end where the tone is at zero.
    assert find_breaks(silent)[1] >= len(places)


def test_silence_is_no_tone() -> None:
    assert find_breaks(np.zeros(RATE_HZ, np.int16)) == (0, 0)


def test_what_is_added_is_from_the_delivery_of_the_last_sample_of_a_frame() -> None:
    ms = 1_000_000
    delivered = [[240 * (index + 1), 10 * ms * (index + 1)] for index in range(10)]
    came = [[0, 23 * ms], [480, 44 * ms], [1200, 75 * ms]]
    assert added_ms(delivered, came) == [3.0, 4.0, 5.0]


def test_a_click_that_comes_again_is_found_and_silence_has_none() -> None:
    late = np.concatenate([np.zeros(6_000, np.int16), clicks() // 2])
    both = np.pad(clicks(), (0, 6_000)) + late
    assert find_delays_ms(both) == [250.0] * CLICKS
    assert find_delays_ms(np.zeros(RATE_HZ, np.int16)) == []


def test_the_spread_of_nothing_is_nothing() -> None:
    assert spread([]) == {}
    assert spread([1.0, 2.0, 3.0])["p50"] == 2.0


@pytest.mark.ros
@pytest.mark.sound
def test_what_is_said_into_the_microphone_comes_out_of_the_loudspeaker_whole(sound_server_can_run: None) -> None:
    # So much in stock that other work on the machine breaks nothing.
    result = measure(3.0, prefill_ms=300, block_ms=100)
    assert result.heard_samples == pytest.approx(2 * RATE_HZ, abs=RATE_HZ // 20), "all but half a second at either end"
    assert result.breaks == 0, result.lost
    assert result.frames > 150
    assert set(result.cpu_percent) == {"microphone", "speaker"}
    assert len(result.through_ms) == CLICKS
    assert 0 < result.added_ms["p50"] < min(result.through_ms)
    assert f"| breaks | {result.breaks} |" in markdown([result])
