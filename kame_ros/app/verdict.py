"""Whether a spoken question was heard, answered and played, and what was missing."""

from __future__ import annotations

from kame_ros.app.record import TalkRecord, Turn

# A turn closes after a pause; the next one must have had the time to open.
QUIET_S = 1.5
# The recogniser is slow on a busy machine: the first word of a question may come this long after its end.
SILENT_S = 15.0
_ERROR = 2  # level of diagnostics

_NS = 1_000_000_000


def without_sound(record: TalkRecord) -> str:
    """Return why a talk with the sound card cannot be had: no microphone and no loudspeaker; empty: it can."""
    ends = [record.parts.get(("microphone", "source")), record.parts.get(("speaker", "sink"))]
    if all(end is not None and end.level == _ERROR for end in ends):
        return "no sound card: plug one in, or ask a question from a file instead (question:=my.wav)"
    return ""


def over(record: TalkRecord, now_ns: int) -> bool:
    """Return whether nothing more will come: the question is over, and every turn of it has been answered."""
    if record.source_ended_ns is None or record.playing:
        return False
    last_ns = max(record.source_ended_ns, record.last_word_ns or 0)
    if not record.turns:
        return now_ns - last_ns >= SILENT_S * _NS
    done = all(turn.closed and (turn.said or not turn.text) for turn in record.turns)
    return done and now_ns - last_ns >= QUIET_S * _NS


def missing(record: TalkRecord) -> str:
    """Return what did not happen, in one line; empty: the question was heard, answered and played."""
    if record.listening_ns is None:
        return "no sound came from the microphone"
    if not record.turns:
        return "no speech was heard in the question"
    turns = [turn for turn in record.turns if turn.text]
    if not turns:
        return "speech was heard, but no words were understood"
    return _missing(turns[-1], record)


def _missing(turn: Turn, record: TalkRecord) -> str:
    if turn.final_ns is None:
        return f"the turn {turn.text!r} was never closed"
    if not turn.answer:
        return "the question was understood, but the backend gave no answer"
    if not turn.speech:
        return "there was an answer, but the frontend did not speak it"
    if not record.played_samples or turn.first_sound_ns is None:
        return "the answer was spoken, but the loudspeaker played nothing of it"
    return "" if turn.said else "the answer was played, but not to its end"
