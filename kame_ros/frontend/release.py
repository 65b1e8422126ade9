"""How far speech may be sent ahead of what the loudspeaker has played."""

from __future__ import annotations

from kame_ros.frontend.inputs import SAMPLE_RATE_HZ

NO_REPORT_S = 0.5
"""So long without a report, the steady clock counts instead: the loudspeaker is away, or has nothing to report."""


class Release:
    """Counts one generation's samples: sent, played, and how many more may go out. Pure; told of time passing."""

    def __init__(self, lead_s: float) -> None:
        """Start before the first sample; ``lead_s`` seconds of sound may be sent ahead."""
        self._lead_samples = round(lead_s * SAMPLE_RATE_HZ)
        self._reported = 0
        self._lost = 0  # sent, and never played: no loudspeaker was there to take it
        self._idle = False
        self._silent_s = 0.0
        self._counted_s = 0.0
        self.sent_samples = 0

    @property
    def played_samples(self) -> int:
        """Samples played or lost, by the newest report and, without one, by the time since; at most what was sent."""
        return min(self.sent_samples, self._lost + self._reported + round(self._counted_s * SAMPLE_RATE_HZ))

    @property
    def room_samples(self) -> int:
        """How many samples may be sent now."""
        return max(0, self.played_samples + self._lead_samples - self.sent_samples)

    def send(self, count: int) -> None:
        """Count ``count`` samples as sent."""
        self.sent_samples += count

    def report(self, played_samples: int, idle: bool = False) -> None:
        """Take what the loudspeaker says; ``idle`` when it has played all that has reached it.

        A falling count is that of a restarted loudspeaker, which counts from what it was there to take.
        """
        if played_samples < self._reported:
            self._lost += self._reported - played_samples
        else:
            self._silent_s = self._counted_s = 0.0
        self._reported = played_samples
        self._idle = idle

    def elapse(self, duration_s: float) -> None:
        """Let time pass; it counts as playing from `NO_REPORT_S` without a report on, while there is sound to play.

        What an idle loudspeaker has not played by then never reached it, and is not waited for.
        """
        if self.played_samples == self.sent_samples:
            return
        silent_before_s = self._silent_s
        self._silent_s += duration_s
        if self._idle and self._silent_s >= NO_REPORT_S:
            self._lost = self.sent_samples - self._reported
            self._silent_s = self._counted_s = 0.0
            return
        self._counted_s += max(0.0, self._silent_s - max(silent_before_s, NO_REPORT_S))
