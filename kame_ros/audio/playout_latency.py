"""How much speech waits for the loudspeaker: more after it ran dry, less again when all is calm, never drifting."""

from __future__ import annotations

from kame_ros.audio.pcm import SAMPLE_RATE_HZ

_WINDOW_SAMPLES = 2 * SAMPLE_RATE_HZ
_ARRIVAL_SAMPLES = SAMPLE_RATE_HZ // 2
"""A sender that runs ahead begins with many frames at once, of which the first starts to play before the last comes."""
_CALM_SAMPLES = 10 * SAMPLE_RATE_HZ
_MARGIN_SAMPLES = 3 * SAMPLE_RATE_HZ // 100
"""A frame that comes just before a block or just after it moves the lowest level by 20 ms already."""
_PROOF_SAMPLES = 2 * SAMPLE_RATE_HZ // 25
"""The lowest level moves by up to 20 ms for other reasons; by a change of so much it must have moved, too."""
_FOLLOWED = 0.5
_GROWTH_SAMPLES = SAMPLE_RATE_HZ // 50
_STEP_DIVISOR = 240
"""A block of speech is changed by one part in so many, 0.4 %, ten times what two clocks differ and inaudible."""
_QUIET_DIVISOR = 4
"""In a quiet block nobody hears a change of one part in so many."""


class PlayoutLatency:
    """Decides how much is gathered before speech starts, and when a block is to hold more or less than its length.

    The lowest level of two seconds is what waits needlessly. Two clocks that differ let it creep away from where the
    generation began; a sender that runs ahead on purpose does not, and fills up again what is taken off. After the
    buffer ran dry, more than is gathered by rule is backlog. Time is counted in played samples. Pure.
    """

    def __init__(self, shortest_samples: int, longest_samples: int) -> None:
        """Gather ``shortest_samples`` at first, up to ``longest_samples`` after it ran dry again and again."""
        self._shortest_samples = shortest_samples
        self._longest_samples = max(shortest_samples, longest_samples)
        self.prefill_samples = shortest_samples
        """Speech that is to be gathered before it starts."""
        self.dropped_samples = 0
        """Speech that was played faster, in samples that this saved."""
        self.inserted_samples = 0
        """Speech that was played slower, in samples that this cost."""
        self._calm_samples = 0
        self.begin()

    def gather(self, shortest_samples: int, longest_samples: int) -> None:
        """Gather other amounts from now on, the shortest at first again; the same as before change nothing."""
        amounts = shortest_samples, max(shortest_samples, longest_samples)
        if amounts != (self._shortest_samples, self._longest_samples):
            self._shortest_samples, self._longest_samples = amounts
            self.prefill_samples = shortest_samples

    def begin(self) -> None:
        """Start with another generation."""
        self._wanted: int | None = None  # the lowest level as it should be; None: not seen yet
        self._highest_wanted: int | None = None
        self._restart_window()
        self._window_samples = -_ARRIVAL_SAMPLES
        self._excess = 0
        self._low_before = False
        self._low_then = 0  # the lowest level when the present change began
        self._changed = 0  # since then; fewer samples when negative
        self._keeps_lead = False

    def _restart_window(self) -> None:
        self._low: int | None = None
        self._window_samples = 0

    def ran_dry(self) -> None:
        """Note that the buffer ran dry inside a generation, which starts anew when enough is there."""
        grown = self.prefill_samples + max(_GROWTH_SAMPLES, self.prefill_samples // 2)
        self.prefill_samples = min(self._longest_samples, grown)
        self._calm_samples = 0
        self.begin()
        self._highest_wanted = self.prefill_samples

    def observe(self, waiting_samples: int, count: int) -> None:
        """Note that ``waiting_samples`` are left behind a block of ``count``."""
        if self._window_samples >= 0:
            self._low = waiting_samples if self._low is None else min(self._low, waiting_samples)
        self._window_samples += count
        self._calm_samples += count
        if self._calm_samples >= _CALM_SAMPLES:
            self._calm_samples = 0
            self._shrink()
        if self._low is not None and self._window_samples >= _WINDOW_SAMPLES:
            self._judge(self._low)
            self._restart_window()

    def _shrink(self) -> None:
        shrunk = max(self._shortest_samples, self.prefill_samples - _GROWTH_SAMPLES)
        if self._wanted is not None:
            self._wanted = max(0, self._wanted - (self.prefill_samples - shrunk))
        self.prefill_samples = shrunk

    def _judge(self, low: int) -> None:
        if self._wanted is None:
            self._wanted = low if self._highest_wanted is None else min(low, self._highest_wanted)
        if abs(self._changed) > _PROOF_SAMPLES:
            # What comes back at once is the lead that the sender keeps by what was played; then no clock is at fault.
            self._keeps_lead = (self._low_then - low) / self._changed < _FOLLOWED
            self._changed = 0
        if self._keeps_lead:
            self._excess = 0
            return
        excess = low - self._wanted
        too_low = excess < -_MARGIN_SAMPLES
        # A level that falls once may be the end of the speech; one that stays low is another clock.
        self._excess = excess if excess > _MARGIN_SAMPLES or (too_low and self._low_before) else 0
        self._low_before = too_low
        if self._excess * self._changed <= 0:
            self._changed, self._low_then = 0, low

    def change(self, count: int, *, quiet: bool) -> int:
        """Return how many samples more than ``count`` the next block holds, fewer when negative; once a block."""
        if self._excess > 0:
            change = min(self._excess, max(1, count // (_QUIET_DIVISOR if quiet else _STEP_DIVISOR)))
            self.dropped_samples += change
        else:
            change = max(self._excess, -max(1, count // _STEP_DIVISOR)) if self._excess else 0
            self.inserted_samples -= change
        self._excess -= change
        self._changed += change
        return change
