"""What the cascade says and when, on made-up time with a made-up voice and loudspeaker."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kame_ros.frontend.cascade import Cascade
from kame_ros.frontend.inputs import (
    Activity,
    CutReason,
    InterruptRule,
    MicStopped,
    News,
    Oracle,
    OracleStatus,
    Played,
    SayWhen,
    TurnStatus,
    UserTurn,
    Voiced,
)
from kame_ros.frontend.outputs import Cut, Floor, Holder, OracleUse, Output, Said, SaidStatus, Speech
from kame_ros.frontend.waiting_texts import MOST_WAITING_TEXTS

SESSION = 7
STEP_S = 0.02
MUSEUM = "The museum opens at nine. It closes at five, except on Sundays when nobody is here. Come early!"
COUNT = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen."


def sound_of(clause: str) -> np.ndarray:
    """One frame, 20 ms, a character; each sample is the character's number."""
    return np.repeat(np.array([ord(character) for character in clause], np.int16), 480)


class Talk:
    """A cascade with a voice that needs one step a clause, and a loudspeaker that plays and reports each step."""

    def __init__(self, rule: InterruptRule = InterruptRule.BACKCHANNEL_SAFE, *, voice: bool = True) -> None:
        self.cascade = Cascade(SESSION, 0.4, rule)
        self.voice = voice
        self.reports = True
        self.outputs: list[Output] = []
        self.prepared: list[str] = []
        self.sent: dict[int, list[np.ndarray]] = {}
        self.played: dict[int, int] = {}

    def tell(self, *news: News) -> None:
        for item in news:
            self.cascade.tell(item)
        self.advance()

    def advance(self) -> None:
        for output in self.cascade.advance():
            self.outputs.append(output)
            if isinstance(output, Speech):
                self.sent.setdefault(output.generation, []).append(output.samples)
            elif isinstance(output, Cut):
                for number in [number for number in self.sent if number <= output.up_to_generation]:
                    keep = -(-self.played.get(number, 0) // 480)
                    self.sent[number] = self.sent[number][:keep]

    def run(self, duration_s: float) -> None:
        for _ in range(round(duration_s / STEP_S)):
            self.step()

    def step(self) -> None:
        wanted = self.cascade.wanted
        for clause in (wanted.speak, wanted.prepare):
            if clause is not None:
                self.cascade.take_sound(clause, sound_of(clause) if self.voice else np.zeros(0, np.int16))
        if wanted.prepare is not None:
            self.prepared.append(wanted.prepare)
        self.cascade.elapse(STEP_S)
        for number in sorted(self.sent):
            if self.played.get(number, 0) < 480 * len(self.sent[number]):
                self.played[number] = self.played.get(number, 0) + 480
                if self.reports:
                    self.cascade.tell(Played(SESSION, number, self.played[number], flushed=False))
                break
        self.advance()

    def of(self, kind: type) -> list:
        return [output for output in self.outputs if isinstance(output, kind)]

    def heard(self, generation: int) -> str:
        """What the loudspeaker has really played."""
        if generation not in self.sent:
            return ""
        samples = np.concatenate(self.sent[generation])[: self.played.get(generation, 0)]
        return "".join(chr(sample) for sample in samples[::480] if sample)

    def said(self, generation: int) -> Said:
        return [said for said in self.of(Said) if said.generation == generation][-1]


def oracle(text: str, revision: int = 1, *, turn: int = 1, final: bool = True, status: str = "COMPLETE") -> Oracle:
    return Oracle(SESSION, turn, revision, OracleStatus[status], text, final)


def user(turn: int, status: str = "PARTIAL", *, words: bool = True, stop: bool = False) -> UserTurn:
    return UserTurn(SESSION, turn, TurnStatus[status], words, asks_to_stop=stop)


def voiced(name: str) -> Activity:
    return Activity(SESSION, Voiced[name])


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_an_answer_is_spoken_to_its_end() -> None:
    talk = Talk()
    talk.tell(oracle(MUSEUM))
    talk.run(20)
    assert squeezed(talk.heard(1)) == squeezed(MUSEUM)
    texts = talk.of(Said)
    assert [said.revision for said in texts] == list(range(1, len(texts) + 1))
    assert [said.text for said in texts[:-1]] == [
        "The museum opens at nine. ",
        "The museum opens at nine. It closes at five, except on Sundays when nobody is here. ",
        MUSEUM,
    ]
    assert texts[-1] == Said(SESSION, 1, 1, len(texts), MUSEUM, len(MUSEUM), SaidStatus.COMPLETE)
    assert talk.of(OracleUse)[-1] == OracleUse(SESSION, 1, 1, fed=len(MUSEUM), spoken=len(MUSEUM), superseded=0)


def test_an_oracle_of_a_partial_is_prepared_and_not_spoken() -> None:
    talk = Talk()
    talk.tell(oracle(MUSEUM, final=False))
    talk.run(5)
    assert talk.prepared == ["The museum opens at nine."]
    assert not talk.of(Speech)
    talk.tell(oracle(MUSEUM, 2))
    talk.run(20)
    assert squeezed(talk.heard(1)) == squeezed(MUSEUM)


def test_a_prepared_clause_that_is_not_used_is_superseded() -> None:
    talk = Talk()
    talk.tell(oracle("I do not know that.", 1, final=False))
    talk.step()
    talk.tell(oracle("I do not know this.", 2, final=False))
    assert talk.of(OracleUse)[-1] == OracleUse(SESSION, 1, 1, fed=19, spoken=0, superseded=19)


def test_a_growing_answer_is_spoken_before_it_is_complete_and_nothing_is_lost_in_a_stall() -> None:
    talk = Talk()
    talk.tell(oracle("The museum opens at nine. It closes", 1, status="GROWING"))
    talk.run(4)
    assert squeezed(talk.heard(1)) == "Themuseumopensatnine."
    talk.tell(oracle(MUSEUM, 2))
    talk.run(10)
    assert squeezed(talk.heard(1)) == squeezed(MUSEUM)
    assert talk.said(1).status is SaidStatus.COMPLETE


def test_a_broken_off_answer_is_spoken_as_far_as_it_came() -> None:
    talk = Talk()
    talk.tell(oracle("The museum opens at", 1, status="INCOMPLETE"))
    talk.run(3)
    assert talk.heard(1) == "The museum opens at"
    assert talk.said(1).status is SaidStatus.COMPLETE


def test_a_replaced_answer_ends_its_generation_after_the_clause_and_begins_anew() -> None:
    talk = Talk()
    talk.tell(oracle(MUSEUM, 1, status="GROWING"))
    talk.run(0.1)
    talk.tell(oracle("The museum is closed today.", 2))
    talk.run(10)
    assert talk.heard(1) == "The museum opens at nine."
    assert talk.said(1).status is SaidStatus.INTERRUPTED
    assert talk.heard(2) == "The museum is closed today."
    assert talk.said(2).status is SaidStatus.COMPLETE
    assert not talk.of(Cut)


@pytest.mark.parametrize("begun", [False, True])
def test_a_cancelled_answer_is_not_spoken_further(begun: bool) -> None:
    talk = Talk()
    if begun:
        talk.tell(oracle(MUSEUM, 1, status="GROWING"))
        talk.run(0.1)
        talk.tell(oracle(MUSEUM, 2, status="CANCELLED"))
    else:
        talk.tell(oracle(MUSEUM, 1, status="GROWING"), oracle(MUSEUM, 2, status="CANCELLED"))
    talk.run(10)
    assert talk.heard(1) == ("The museum opens at nine." if begun else "")


def test_an_empty_answer_says_nothing_and_the_next_turn_is_answered() -> None:
    talk = Talk()
    talk.tell(oracle("", 1, turn=1))
    talk.run(1)
    talk.tell(user(2), user(2, "NOT_UNDERSTOOD", words=False), oracle("Hello there.", 1, turn=3))
    talk.run(3)
    assert talk.heard(1) == "Hello there."


def test_an_interruption_drops_the_speech_and_tells_what_was_heard() -> None:
    talk = Talk()
    talk.tell(user(1, "FINAL"), oracle(COUNT))
    talk.run(0.5)
    talk.tell(voiced("INTERRUPT"))
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.USER)]
    talk.run(5)
    said = talk.said(1)
    assert said.status is SaidStatus.INTERRUPTED
    assert said.text[: said.heard_length] == "One, two, three, four, "
    assert squeezed(talk.heard(1)).startswith(squeezed(said.text[: said.heard_length]))
    assert talk.of(OracleUse)[-1].superseded == len(COUNT) - said.heard_length


def test_the_last_report_after_an_interruption_corrects_what_was_heard() -> None:
    talk = Talk()
    talk.tell(oracle(COUNT))
    talk.run(0.25)
    talk.tell(voiced("INTERRUPT"))
    before = talk.said(1)
    talk.tell(Played(SESSION, 1, 480 * 16, flushed=True))
    after = talk.said(1)
    assert after.heard_length > before.heard_length
    assert after.revision == before.revision + 1
    talk.tell(Played(SESSION, 1, 480 * 19, flushed=True))
    assert talk.said(1) == after


def test_interrupted_before_the_first_sample_nothing_was_heard() -> None:
    talk = Talk()
    talk.reports = False
    talk.tell(oracle(COUNT))
    talk.step()
    talk.tell(voiced("INTERRUPT"))
    assert talk.said(1).heard_length == 0
    assert all(floor.holder is not Holder.ROBOT for floor in talk.of(Floor))


@pytest.mark.parametrize(
    ("rule", "event", "stops"),
    [
        (InterruptRule.OFF, "ONSET", False),
        (InterruptRule.OFF, "INTERRUPT", False),
        (InterruptRule.BACKCHANNEL_SAFE, "ONSET", False),
        (InterruptRule.BACKCHANNEL_SAFE, "INTERRUPT", True),
        (InterruptRule.IMMEDIATE, "ONSET", True),
        (InterruptRule.IMMEDIATE, "INTERRUPT", True),
        (InterruptRule.IMMEDIATE, "END", False),
    ],
)
def test_the_rule_says_what_stops_the_robot(rule: InterruptRule, event: str, stops: bool) -> None:
    talk = Talk(rule)
    talk.tell(voiced(event))
    assert not talk.of(Cut), "a silent robot is not stopped"
    talk.tell(voiced("END"), oracle(COUNT))
    talk.run(0.3)
    talk.tell(voiced(event))
    assert bool(talk.of(Cut)) is stops
    talk.run(5)
    assert (squeezed(talk.heard(1)) == squeezed(COUNT)) is not stops


@pytest.mark.parametrize("rule", list(InterruptRule))
def test_a_stop_word_stops_the_robot_whatever_the_rule_says_and_its_answer_is_spoken(rule: InterruptRule) -> None:
    talk = Talk(rule)
    talk.tell(user(1, "FINAL"), oracle(COUNT, turn=1))
    talk.run(0.5)
    talk.tell(user(2, stop=True))
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.STOP_WORD)]
    assert talk.said(1).status is SaidStatus.INTERRUPTED
    talk.tell(user(2, "FINAL", stop=True), oracle("All right, I stop.", turn=2))
    talk.run(0.5)
    talk.tell(user(2, "FINAL", stop=True))  # told again
    talk.run(3)
    assert squeezed(talk.heard(2)) == squeezed("All right, I stop.")


def test_a_silent_robot_is_not_stopped_by_a_stop_word() -> None:
    talk = Talk()
    talk.tell(user(1, stop=True), user(1, "FINAL", stop=True), oracle("I am silent.", turn=1))
    talk.run(3)
    assert not talk.of(Cut)
    assert talk.heard(1) == "I am silent."


def test_after_an_interruption_nothing_more_of_that_answer_is_spoken() -> None:
    talk = Talk()
    talk.tell(oracle(COUNT, 1, status="GROWING"))
    talk.run(0.3)
    talk.tell(voiced("INTERRUPT"), oracle(COUNT + " Sixteen.", 2), oracle("Something else.", 3))
    talk.run(10)
    assert {speech.generation for speech in talk.of(Speech)} == {1}
    talk.tell(oracle("Yes, I stopped.", 1, turn=2))
    talk.run(5)
    assert talk.heard(2) == "Yes, I stopped."


def test_an_answer_that_has_not_begun_gives_way_to_words_of_a_newer_turn() -> None:
    talk = Talk()
    talk.tell(user(1, "FINAL"), user(2, words=False), oracle("Old answer.", turn=1))
    talk.run(1)
    assert not talk.of(Speech), "it waits while the newer turn has no words"
    talk.tell(user(2), user(2, "FINAL"))
    talk.run(1)
    talk.tell(oracle("New answer.", turn=2))
    talk.run(3)
    assert [talk.heard(number) for number in talk.sent] == ["New answer."]


def test_who_speaks_on_just_before_the_answer_comes_is_not_talked_over() -> None:
    talk = Talk()
    talk.tell(voiced("ONSET"), voiced("INTERRUPT"), user(1), voiced("END"), user(1, "FINAL"))
    talk.tell(voiced("ONSET"), voiced("INTERRUPT"))  # while the robot is silent, and only once in an utterance
    talk.tell(oracle("Old answer.", turn=1))
    talk.run(0.6)
    talk.tell(user(2))
    talk.run(3)
    talk.tell(voiced("END"), user(2, "FINAL"), oracle("New answer.", turn=2))
    talk.run(3)
    assert [talk.heard(number) for number in talk.sent] == ["New answer."]


@pytest.mark.parametrize(
    ("rule", "events", "waits"),
    [
        (InterruptRule.OFF, ("ONSET", "INTERRUPT"), False),
        (InterruptRule.BACKCHANNEL_SAFE, ("ONSET",), False),
        (InterruptRule.BACKCHANNEL_SAFE, ("ONSET", "INTERRUPT"), True),
        (InterruptRule.IMMEDIATE, ("ONSET",), True),
    ],
)
def test_an_answer_waits_for_the_voice_that_would_stop_it(
    rule: InterruptRule, events: tuple[str, ...], waits: bool
) -> None:
    talk = Talk(rule)
    talk.tell(user(1), user(1, "FINAL"), *map(voiced, events), oracle(MUSEUM, turn=1))
    talk.run(0.5)
    assert bool(talk.of(Speech)) is not waits
    talk.tell(voiced("END"))
    talk.run(0.5)
    assert talk.of(Speech)


def test_noise_that_never_ends_after_a_command_costs_no_answer() -> None:
    talk = Talk()
    talk.tell(voiced("ONSET"), voiced("INTERRUPT"), user(1))
    talk.run(30)
    talk.tell(user(1, "FINAL"), oracle("Here you are.", turn=1))
    talk.run(3)
    assert talk.heard(1) == "Here you are."


def test_a_newer_turn_without_words_does_not_cost_the_answer() -> None:
    talk = Talk()
    talk.tell(user(1, "FINAL"), user(2, words=False), oracle("My answer.", turn=1))
    talk.run(1)
    talk.tell(user(2, "NOT_UNDERSTOOD", words=False))
    talk.run(3)
    assert talk.heard(1) == "My answer."


def test_an_answer_that_has_begun_is_finished_and_the_newest_follows() -> None:
    talk = Talk(InterruptRule.OFF)
    talk.tell(oracle(COUNT, turn=1))
    talk.run(0.5)
    talk.tell(user(2, "FINAL"), oracle("Second answer.", turn=2), user(3, "FINAL"), oracle("Third answer.", turn=3))
    talk.run(10)
    assert [squeezed(talk.heard(number)) for number in talk.sent] == [squeezed(COUNT), "Thirdanswer."]


def test_a_stalled_answer_gives_way_to_a_newer_one() -> None:
    talk = Talk()
    talk.tell(oracle("The museum opens at nine. It", 1, status="GROWING"))
    talk.run(3)
    talk.tell(user(2, "FINAL"), oracle("New answer.", turn=2))
    talk.run(3)
    assert talk.heard(2) == "New answer."
    assert talk.said(1).status is SaidStatus.INTERRUPTED
    assert talk.said(1).heard_length == len("The museum opens at nine. ")


def test_say_now_takes_the_place_of_what_is_being_said() -> None:
    talk = Talk()
    talk.tell(oracle(COUNT))
    talk.run(0.3)
    reply = talk.cascade.say("Careful, hot!", SayWhen.NOW)
    talk.run(3)
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.SERVICE)]
    assert talk.heard(reply.generation) == "Careful, hot!"
    assert talk.said(reply.generation).turn == 0


def test_say_when_quiet_waits_for_the_user_and_the_answer() -> None:
    talk = Talk()
    talk.tell(voiced("ONSET"), user(1))
    reply = talk.cascade.say("My battery is low.", SayWhen.WHEN_QUIET)
    talk.run(3)
    talk.tell(voiced("END"), user(1, "FINAL"))
    talk.run(1)
    assert not talk.of(Speech)
    talk.tell(oracle("Here you are.", turn=1))
    talk.run(5)
    assert [talk.heard(number) for number in sorted(talk.sent)] == ["Here you are.", "My battery is low."]
    assert max(talk.sent) == reply.generation


def test_generations_rise_as_they_are_spoken_whatever_overtakes() -> None:
    talk = Talk()
    talk.tell(oracle(MUSEUM))
    numbers = [talk.cascade.say(text, SayWhen.WHEN_QUIET).generation for text in ("First one.", "Second one.")]
    talk.run(0.3)
    now = talk.cascade.say("Overtaking.", SayWhen.NOW).generation
    talk.run(10)
    spoken = [speech.generation for speech in talk.of(Speech)]
    assert spoken == sorted(spoken)
    assert list(dict.fromkeys(spoken)) == [1, now, *numbers]


@pytest.mark.parametrize(
    "lost",
    [pytest.param(MicStopped(SESSION), id="microphone"), pytest.param(None, id="bridge")],
)
def test_a_user_whose_end_is_never_told_does_not_hold_the_floor_for_ever(lost: MicStopped | None) -> None:
    talk = Talk()
    talk.cascade.say("Anybody here?", SayWhen.WHEN_QUIET)
    if lost:
        talk.tell(voiced("ONSET"), lost)
    else:
        talk.tell(user(1))
    talk.run(10)
    assert "".join(talk.heard(number) for number in talk.sent) == "Anybody here?"


def test_texts_that_wait_are_bounded() -> None:
    talk = Talk()
    talk.tell(user(1))
    replies = [talk.cascade.say("Me too.", SayWhen.WHEN_QUIET) for _ in range(MOST_WAITING_TEXTS + 1)]
    assert all(reply.generation for reply in replies[:-1])
    assert replies[-1].generation == 0
    assert "8 texts" in replies[-1].reason
    assert talk.cascade.say(" ... ", SayWhen.NOW).generation == 0


def test_the_interrupt_service_says_when_there_is_nothing_to_stop() -> None:
    talk = Talk()
    assert talk.cascade.interrupt(CutReason.SERVICE) == "the robot is not speaking"
    talk.tell(oracle(COUNT))
    assert talk.cascade.interrupt(CutReason.SERVICE) == ""
    talk.advance()
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.SERVICE)]


def test_the_end_of_the_session_drops_everything_and_tells_it() -> None:
    talk = Talk()
    talk.tell(oracle(COUNT))
    talk.run(0.3)
    waiting = talk.cascade.say("Later.", SayWhen.WHEN_QUIET).generation
    talk.cascade.close()
    talk.run(5)
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.SESSION_END)]
    assert talk.said(1).status is talk.said(waiting).status is SaidStatus.INTERRUPTED
    assert talk.said(waiting).heard_length == 0


def test_news_of_another_session_is_ignored() -> None:
    talk = Talk()
    talk.tell(Oracle(SESSION - 1, 5, 9, OracleStatus.COMPLETE, "Old secrets.", True))
    talk.run(3)
    assert not talk.of(Speech)
    talk.tell(oracle("Fresh words."))
    talk.run(0.1)
    talk.tell(Activity(SESSION - 1, Voiced.INTERRUPT))
    talk.run(3)
    assert talk.heard(1) == "Fresh words."


def test_without_a_loudspeaker_the_clock_carries_the_speech_on() -> None:
    talk = Talk()
    talk.reports = False
    talk.tell(oracle(COUNT))
    talk.run(10)
    assert talk.said(1).status is SaidStatus.COMPLETE
    assert squeezed(talk.heard(1)) == squeezed(COUNT)


def test_without_a_voice_the_answer_is_still_told() -> None:
    talk = Talk(voice=False)
    talk.tell(oracle(MUSEUM))
    talk.run(1)
    assert talk.said(1) == Said(SESSION, 1, 1, talk.said(1).revision, MUSEUM, 0, SaidStatus.COMPLETE)


def test_the_floor_follows_the_voice_and_the_samples_played() -> None:
    talk = Talk(InterruptRule.OFF)
    talk.tell(voiced("ONSET"), user(1))
    talk.tell(voiced("END"))
    talk.tell(user(1, "FINAL"))
    talk.tell(oracle(COUNT))
    talk.run(0.5)
    talk.tell(voiced("ONSET"))
    talk.run(0.1)
    talk.tell(voiced("END"))
    talk.run(10)
    holders = [floor.holder for floor in talk.of(Floor)]
    assert holders == [Holder.USER, Holder.NOBODY, Holder.ROBOT, Holder.BOTH, Holder.ROBOT, Holder.NOBODY]


ANSWERS = {
    1: [
        "Alpha one is here. Beta two",
        "Alpha one is here. Beta two is there. Gamma.",
        "Delta three, not alpha at all.",
    ],
    2: ["Epsilon is first. Zeta", "Epsilon is first. Zeta is second, and eta third.", "Theta took their place."],
    3: ["Iota. Kappa. Lambda.", "Iota. Kappa. Lambda. My.", "Omicron, pi and rho."],
}
MESSAGES = [
    oracle(text, 2 * number + final, turn=turn, final=bool(final), status=status)
    for turn, texts in ANSWERS.items()
    for number, (text, status) in enumerate(zip(texts, ("GROWING", "COMPLETE", "COMPLETE"), strict=True))
    for final in (0, 1)
] + [oracle("Alpha one is here. Beta two", 10, status="CANCELLED"), oracle("", 11, turn=2, status="CANCELLED")]


@settings(max_examples=100, deadline=None)
@given(
    messages=st.lists(st.tuples(st.sampled_from(MESSAGES), st.sampled_from([0.0, 0.04, 0.4, 1.5])), max_size=25),
    interrupts=st.sets(st.integers(0, 25), max_size=2),
)
def test_dropped_repeated_or_reordered_messages_never_splice_two_answers(
    messages: list[tuple[Oracle, float]], interrupts: set[int]
) -> None:
    talk = Talk()
    for position, (message, pause_s) in enumerate(messages):
        talk.tell(message)
        if position in interrupts:
            talk.tell(voiced("INTERRUPT"), voiced("END"))
        talk.run(pause_s)
    talk.run(15)
    finals = {squeezed(message.text): message.turn for message in MESSAGES if message.turn_final}
    turns = []
    for number in sorted(talk.sent):
        text = squeezed(talk.heard(number))
        owners = {turn for whole, turn in finals.items() if whole.startswith(text)}
        assert owners, f"{text} is no beginning of any one answer"
        said = talk.said(number)
        assert said.turn in owners
        turns.append(said.turn)
    assert turns == sorted(turns), "an older turn was spoken after a newer one"
