"""Phases and floor of a dialogue, on made-up time."""

from __future__ import annotations

from kame_ros.frontend.dialogue import NO_MICROPHONE_YET, Dialogue, Phase
from kame_ros.frontend.outputs import Holder


def running() -> Dialogue:
    dialogue = Dialogue()
    dialogue.load()
    dialogue.open_session(7)
    return dialogue


def test_it_starts_gets_ready_and_talks() -> None:
    dialogue = Dialogue()
    dialogue.open_session(7)
    assert dialogue.view.phase is Phase.STARTING
    dialogue.load("voice flite, because: no piper")
    assert (dialogue.view.phase, dialogue.view.reason) == (Phase.STARTING, NO_MICROPHONE_YET)
    dialogue.hear()
    assert (dialogue.view.phase, dialogue.view.reason) == (Phase.READY, "voice flite, because: no piper")
    dialogue.pass_floor(Holder.USER)
    dialogue.pass_floor(Holder.NOBODY)
    assert (dialogue.view.phase, dialogue.view.holder, dialogue.view.session) == (Phase.TALKING, Holder.NOBODY, 7)


def test_it_holds_while_the_microphone_is_away_and_goes_on_with_its_next_frame() -> None:
    dialogue = running()
    dialogue.hear()
    assert [dialogue.elapse(0.05) for _ in range(6)] == [False, False, False, True, False, False]
    assert dialogue.view.phase is Phase.HOLDING
    dialogue.hear()
    assert dialogue.view.phase is Phase.READY
    assert dialogue.holds == 1


def test_a_microphone_that_has_not_begun_is_not_held_for() -> None:
    dialogue = running()
    assert not any(dialogue.elapse(0.05) for _ in range(100))
    assert dialogue.view.phase is Phase.STARTING


def test_who_types_needs_no_microphone() -> None:
    dialogue = running()
    dialogue.pass_floor(Holder.ROBOT)
    assert dialogue.view.phase is Phase.TALKING


def test_a_frontend_loads_until_it_can_speak_or_cannot() -> None:
    loaded, failed = Dialogue(), Dialogue()
    assert loaded.loading
    loaded.load()
    failed.fail("no voice")
    assert (loaded.loading, failed.loading) == (False, False)


def test_a_look_that_was_held_up_itself_accuses_nobody() -> None:
    dialogue = running()
    dialogue.hear()
    assert not dialogue.elapse(3.0)
    dialogue.hear()
    assert dialogue.view.phase is Phase.READY


def test_a_failure_is_told_with_its_reason_until_something_is_loaded() -> None:
    dialogue = running()
    dialogue.hear()
    dialogue.fail("no voice: nothing is installed")
    assert (dialogue.view.phase, dialogue.view.reason) == (Phase.FAILED, "no voice: nothing is installed")
    dialogue.load()
    assert dialogue.view.phase is Phase.READY


def test_nothing_of_a_session_is_left_in_the_next() -> None:
    dialogue = running()
    dialogue.hear()
    dialogue.pass_floor(Holder.BOTH)
    dialogue.close_session()
    assert (dialogue.view.session, dialogue.view.phase, dialogue.view.holder) == (0, Phase.STOPPING, Holder.NOBODY)
    dialogue.open_session(8)
    assert dialogue.view == running_view(8)


def running_view(session: int) -> object:
    fresh = Dialogue()
    fresh.load()
    fresh.open_session(session)
    return fresh.view
