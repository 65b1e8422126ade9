"""One session of a speech-to-speech model, on made-up steps with a made-up model and loudspeaker."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from kame_ros.frontend.outputs import Cut, Floor, Holder, OracleUse, Output, Said, SaidStatus, SayReply, Speech
from kame_ros.frontend.tandem.conversation import Conversation
from kame_ros.frontend.tandem.text_ids import TextIds
from kame_ros.models.step import STEP_SAMPLES
from kame_ros.models.tokenizer import Tokenizer

SESSION = 7
IDS = TextIds(padding=3, end_of_padding=0, oracle_start=9)
START, PAD, END_PAD = 9, 3, 0
HOLD_STEPS = 7  # 0.5 s


class Talk:
    """A conversation whose model says what it is told to, and a loudspeaker that is ``lag`` steps behind."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        rule: InterruptRule = InterruptRule.BACKCHANNEL_SAFE,
        *,
        uses_oracle: bool = True,
        lag: int = 2,
    ) -> None:
        self.conversation = Conversation(SESSION, tokenizer, IDS, rule, 0.5, uses_oracle)
        self.tokenizer = tokenizer
        self.lag = lag
        self.reports = True
        self.tokens: list[int] = []
        self.outputs: list[Output] = []
        self.steps = 0
        self._waiting: list[tuple[int, int]] = []  # generation and samples
        self._played: dict[int, int] = {}

    def tell(self, *news: News) -> None:
        for item in news:
            self.conversation.tell(item)
        self.collect()

    def collect(self) -> None:
        for output in self.conversation.outputs():
            self.outputs.append(output)
            if isinstance(output, Speech):
                self._waiting.append((output.generation, len(output.samples)))
            elif isinstance(output, Cut):
                flushed = [generation for generation, _ in self._waiting if generation <= output.up_to_generation]
                self._waiting = [piece for piece in self._waiting if piece[0] > output.up_to_generation]
                if self.reports and flushed:
                    samples = self._played.get(flushed[0], 0)
                    self.conversation.tell(Played(SESSION, flushed[0], samples, flushed=True))

    def step(self, said: int = PAD) -> None:
        """One step, in which the model says the token ``said``; the sound holds the number of the step."""
        self.steps += 1
        self.tokens.append(self.conversation.next_token())
        self.conversation.take_step(said, np.full(STEP_SAMPLES, self.steps, np.int16))
        self.collect()
        while len(self._waiting) > 4 * self.lag:
            generation, samples = self._waiting.pop(0)
            self._played[generation] = self._played.get(generation, 0) + samples
            if self.reports:
                self.conversation.tell(Played(SESSION, generation, self._played[generation], flushed=False))
        self.collect()

    def silence(self, steps: int) -> None:
        for _ in range(steps):
            self.step()

    def speak(self, text: str, steps_a_word: int = 3) -> None:
        for token in self.tokenizer.encode(text).ids:
            self.step(token)
            self.silence(steps_a_word - 1)

    def say(self, text: str, when: SayWhen = SayWhen.NOW) -> SayReply:
        reply = self.conversation.say(text, when)
        self.collect()
        return reply

    def interrupt(self) -> str:
        refusal = self.conversation.interrupt(CutReason.SERVICE)
        self.collect()
        return refusal

    def of(self, kind: type) -> list:
        return [output for output in self.outputs if isinstance(output, kind)]

    def said(self, generation: int = 1) -> Said:
        return [said for said in self.of(Said) if said.generation == generation][-1]

    @property
    def generation(self) -> int:
        return self.of(Speech)[-1].generation

    @property
    def holder(self) -> Holder:
        floors = self.of(Floor)
        return floors[-1].holder if floors else Holder.NOBODY

    def spoken_steps(self) -> list[int]:
        """The steps whose sound went out."""
        return [int(speech.samples[0]) for speech in self.of(Speech)[::4]]


def oracle(text: str, revision: int = 1, *, turn: int = 1, final: bool = True, status: str = "COMPLETE") -> Oracle:
    return Oracle(SESSION, turn, revision, OracleStatus[status], text, final)


def user(turn: int, status: str = "PARTIAL", *, stop: bool = False) -> UserTurn:
    return UserTurn(SESSION, turn, TurnStatus[status], True, asks_to_stop=stop)


def voiced(name: str) -> Activity:
    return Activity(SESSION, Voiced[name])


def fed(tokenizer: Tokenizer, text: str) -> list[int]:
    return [START, *tokenizer.encode(text).ids]


# Sound and text


def test_every_sample_goes_out_in_order_silence_too(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.silence(3)
    talk.speak("hello there")
    talk.silence(40)
    assert talk.spoken_steps() == list(range(1, talk.steps + 1))
    assert {len(speech.samples) for speech in talk.of(Speech)} == {480}
    numbers = [speech.generation for speech in talk.of(Speech)]
    assert numbers == sorted(numbers)
    assert numbers[0] == 1


def test_the_text_comes_before_its_sound(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.step(words.encode("hello").ids[0])
    assert [type(output) for output in talk.outputs[:2]] == [Said, Speech]


def test_a_slot_that_has_no_outcome_yet_sends_nothing(words: Tokenizer) -> None:
    conversation = Conversation(SESSION, words, IDS, InterruptRule.OFF, 0.5, uses_oracle=True)
    conversation.next_token()
    conversation.take_step(None, None)
    assert conversation.outputs() == []


def test_padding_is_no_text(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.silence(3)
    talk.step(END_PAD)
    assert talk.of(Said) == []
    assert talk.of(Floor) == []


def test_a_speech_is_over_after_a_second_of_silence(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello there")
    talk.silence(11)
    assert talk.said() == Said(SESSION, 0, 1, 2, "hello there", 0, SaidStatus.GROWING)
    talk.silence(3)
    assert talk.said() == Said(SESSION, 0, 1, 3, "hello there", 11, SaidStatus.COMPLETE)
    talk.speak("again")
    assert talk.said(2).text == "again"


def test_silence_alone_ends_nothing(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.silence(200)
    assert talk.generation == 1


@pytest.mark.parametrize("pause", [0, 1])
def test_a_talk_without_an_end_does_not_grow_for_ever(words: Tokenizer, pause: int) -> None:
    talk = Talk(words)
    for _ in range(700):
        talk.speak("hello", steps_a_word=1 + pause)
    texts = [said.text for said in talk.of(Said)]
    assert 900 < max(map(len, texts)) <= 1506
    assert talk.generation > 1
    ended = [said for said in talk.of(Said) if said.status is SaidStatus.COMPLETE]
    assert {said.generation: said for said in ended}[1].heard_length == len(ended[0].text)
    assert talk.spoken_steps() == list(range(1, talk.steps + 1))


def test_the_robot_has_the_floor_while_its_words_are_not_heard(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello", steps_a_word=1)
    assert talk.holder is Holder.ROBOT
    talk.tell(voiced("ONSET"))
    assert talk.holder is Holder.BOTH
    talk.tell(voiced("END"), user(1), user(1, "FINAL"))
    talk.silence(7)
    assert talk.holder is Holder.ROBOT
    talk.silence(4)
    assert talk.holder is Holder.NOBODY
    talk.tell(voiced("ONSET"), MicStopped(SESSION))
    assert [floor.holder for floor in talk.of(Floor)][-2:] == [Holder.USER, Holder.NOBODY]


# Oracles


def test_an_oracle_is_fed_from_the_next_step(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.step()
    talk.tell(oracle("the museum opens"))
    talk.silence(5)
    assert talk.tokens == [PAD, *fed(words, "the museum opens"), PAD]
    assert talk.conversation.oracle_counts.fed == 3


def test_what_is_said_answers_the_turn_whose_oracle_is_fed(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hmm")
    assert talk.said().turn == 0
    talk.tell(oracle("the museum opens", turn=4))
    talk.speak("the museum opens")
    assert talk.said().turn == 4
    talk.silence(20)
    talk.speak("and it")
    assert (talk.said(2).turn, talk.said(2).text) == (4, "and it")
    talk.silence(20)
    talk.tell(user(5))
    talk.speak("yes")
    assert talk.said(talk.generation).turn == 4
    talk.silence(20)
    talk.speak("well")
    assert talk.said(talk.generation).turn == 0


def test_an_oracle_that_begins_in_silence_begins_a_generation(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello")
    talk.silence(9)
    assert talk.generation == 1
    talk.tell(oracle("the museum"))
    talk.step()
    assert talk.generation == 2
    assert talk.said().status is SaidStatus.COMPLETE


def test_the_use_of_an_oracle_is_told_down_to_what_was_heard(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("the museum opens at nine"))
    talk.speak("well the museum opens at nine")
    talk.silence(12)
    uses = talk.of(OracleUse)
    assert [use.fed for use in uses] == sorted(use.fed for use in uses)
    assert [use.spoken for use in uses] == sorted(use.spoken for use in uses)
    assert uses[-1] == OracleUse(SESSION, 1, 1, 24, 24, 0)


def test_what_was_heard_up_to_an_interruption_counts(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.reports = False
    talk.tell(oracle("the museum opens"))
    talk.speak("the museum", steps_a_word=1)
    talk.tell(Played(SESSION, 1, 2 * STEP_SAMPLES, flushed=False))
    talk.interrupt()
    assert talk.of(OracleUse)[-1] == OracleUse(SESSION, 1, 1, 3, 3, 13)


def test_words_from_before_an_oracle_are_not_its_own(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("the museum", steps_a_word=1)
    talk.tell(oracle("the museum opens"))
    talk.silence(12)
    assert talk.of(OracleUse)[-1] == OracleUse(SESSION, 1, 1, 16, 0, 0)


def test_news_of_another_session_changes_nothing(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello", steps_a_word=1)
    before = len(talk.outputs)
    talk.tell(
        Oracle(8, 1, 1, OracleStatus.COMPLETE, "other", True),
        Activity(8, Voiced.INTERRUPT),
        UserTurn(8, 1, TurnStatus.PARTIAL, True),
        Played(8, 1, 99_999, flushed=True),
        MicStopped(8),
    )
    assert talk.outputs[before:] == []
    talk.silence(2)
    assert set(talk.tokens) == {PAD}


def test_a_model_without_an_oracle_is_fed_padding_and_takes_no_words(words: Tokenizer) -> None:
    talk = Talk(words, uses_oracle=False)
    talk.tell(oracle("the museum"))
    talk.silence(4)
    assert set(talk.tokens) == {PAD}
    assert talk.of(OracleUse) == []
    for when in SayWhen:
        reply = talk.say("hello", when)
        assert reply.generation == 0
        assert "frontend" in reply.reason


# Interruptions


def test_a_voice_cuts_what_is_said_and_output_waits_until_the_model_has_ended(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("four five six seven eight nine ten"))
    talk.speak("four five six", steps_a_word=4)
    talk.tell(voiced("INTERRUPT"))
    cut_at = talk.steps
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.USER)]
    talk.speak("seven eight", steps_a_word=1)
    talk.silence(HOLD_STEPS)
    assert talk.generation == 1
    talk.speak("yes please")
    assert talk.generation == 2
    assert talk.spoken_steps() == [*range(1, cut_at + 1), *range(cut_at + 2 + HOLD_STEPS + 1, talk.steps + 1)]
    assert talk.said(2).text == "yes please"
    assert talk.said().status is SaidStatus.INTERRUPTED
    assert talk.said().text[: talk.said().heard_length].strip() == "four five"


@pytest.mark.parametrize("rule", list(InterruptRule))
def test_a_stop_word_cuts_what_is_said_whatever_the_rule_says_and_only_once(
    words: Tokenizer, rule: InterruptRule
) -> None:
    talk = Talk(words, rule=rule)
    talk.tell(oracle("four five six seven"))
    talk.speak("four five", steps_a_word=4)
    talk.tell(user(2, stop=True), user(2, "FINAL", stop=True))
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.STOP_WORD)]
    talk.tell(oracle("yes please", turn=2))
    talk.speak("yes please")
    talk.tell(user(2, "FINAL", stop=True))
    assert len(talk.of(Cut)) == 1


def test_an_interruption_drops_the_oracle_and_later_revisions_of_it(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("four five six seven", status="GROWING"))
    talk.speak("four", steps_a_word=2)
    assert talk.interrupt() == ""
    talk.tell(oracle("four five six seven eight", 2))
    talk.silence(20)
    assert talk.tokens == [*fed(words, "four"), *[PAD] * 20]
    assert talk.of(OracleUse)[-1] == OracleUse(SESSION, 1, 1, 4, 0, 15)


def test_a_newer_oracle_ends_the_waiting(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello", steps_a_word=1)
    talk.interrupt()
    talk.speak("there", steps_a_word=1)
    talk.tell(oracle("the museum", turn=2))
    talk.speak("the")
    assert talk.generation == 2
    assert talk.spoken_steps() == [1, 3, 4, 5]
    assert (talk.said(2).text, talk.said(2).turn) == ("the", 2)


def test_an_oracle_that_is_interrupted_in_its_first_step_does_not_end_the_waiting(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello", steps_a_word=1)
    talk.tell(oracle("the museum"))
    assert talk.conversation.next_token() == START
    talk.interrupt()  # while the model works on that step
    talk.conversation.take_step(words.encode("there").ids[0], np.zeros(STEP_SAMPLES, np.int16))
    talk.collect()
    assert talk.spoken_steps() == [1]


def test_what_is_said_after_an_interruption_is_no_answer(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("the museum"))
    talk.speak("the museum")
    talk.interrupt()
    talk.silence(HOLD_STEPS)
    talk.speak("sorry")
    assert (talk.said(2).text, talk.said(2).turn) == ("sorry", 0)


def test_an_oracle_whose_first_step_has_no_outcome_ends_the_waiting_with_the_next(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.speak("hello", steps_a_word=1)
    talk.interrupt()
    talk.tell(oracle("the museum", turn=2))
    assert talk.conversation.next_token() == START
    talk.step()
    assert talk.generation == 2


def test_who_is_silent_is_not_interrupted(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.silence(3)
    talk.tell(voiced("INTERRUPT"))
    assert talk.interrupt() == "the robot is not speaking"
    talk.speak("hello")
    talk.silence(30)
    talk.tell(voiced("INTERRUPT"))
    assert talk.of(Cut) == []


def test_what_is_about_to_be_said_can_be_stopped(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("the museum opens"))
    assert talk.interrupt() == ""
    talk.tell(oracle("the zoo opens", turn=2))
    assert talk.interrupt() == ""
    assert talk.interrupt() == "the robot is not speaking"
    talk.silence(3)
    assert set(talk.tokens) == {PAD}


@pytest.mark.parametrize(
    ("rule", "name", "cuts"),
    [
        (InterruptRule.OFF, "INTERRUPT", 0),
        (InterruptRule.BACKCHANNEL_SAFE, "ONSET", 0),
        (InterruptRule.IMMEDIATE, "ONSET", 1),
        (InterruptRule.IMMEDIATE, "END", 0),
    ],
)
def test_the_rule_says_what_stops_the_robot(words: Tokenizer, rule: InterruptRule, name: str, cuts: int) -> None:
    talk = Talk(words, rule)
    talk.speak("hello", steps_a_word=1)
    talk.tell(voiced(name))
    assert len(talk.of(Cut)) == cuts


def test_what_was_heard_of_a_cut_speech_is_corrected_by_the_loudspeaker(words: Tokenizer) -> None:
    talk = Talk(words, lag=40)
    talk.speak("one two three four", steps_a_word=1)
    talk.reports = False
    talk.interrupt()
    assert talk.said().heard_length == 0
    talk.tell(Played(SESSION, 1, 4000, flushed=True))
    assert talk.said().heard_length == 7
    revision = talk.said().revision
    talk.tell(Played(SESSION, 1, 50_000, flushed=True))
    assert talk.said().revision == revision


def test_the_end_of_a_session_cuts_what_is_said(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("one two three four"))
    talk.say("later", SayWhen.WHEN_QUIET)
    talk.speak("one two", steps_a_word=1)
    talk.conversation.close()
    talk.collect()
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.SESSION_END)]
    assert talk.said().status is SaidStatus.INTERRUPTED
    assert talk.said(1001) == Said(SESSION, 0, 1001, 1, "", 0, SaidStatus.INTERRUPTED)
    assert talk.of(OracleUse)[-1].superseded == len("one two three four") - 3
    assert talk.holder is Holder.NOBODY


# Texts to be said


def test_a_text_that_is_said_now_takes_the_place_of_what_is_said(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("one two three four"))
    talk.speak("one", steps_a_word=2)
    assert talk.say("my battery is low") == SayReply(2, "")
    assert talk.of(Cut) == [Cut(SESSION, 1, CutReason.SERVICE)]
    talk.tell(oracle("the museum", turn=2))
    talk.speak("my battery", steps_a_word=4)
    assert talk.tokens[2:] == [*fed(words, "my battery is low"), *fed(words, "the museum")]
    assert talk.said(2).text == "my battery"


def test_a_text_that_is_said_into_silence_has_a_generation_of_its_own(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.silence(2)
    assert talk.say("hello") == SayReply(2, "")
    talk.speak("hello")
    assert (talk.generation, talk.said(2).text, talk.said(2).turn) == (2, "hello", 0)
    talk.silence(20)
    assert talk.said(2).status is SaidStatus.COMPLETE
    assert talk.spoken_steps() == list(range(1, talk.steps + 1))


def test_a_text_waits_until_nobody_speaks(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(user(1))
    assert talk.say("hello", SayWhen.WHEN_QUIET) == SayReply(1001, "")
    talk.silence(5)
    talk.tell(user(1, "FINAL"))
    talk.silence(5)
    talk.tell(oracle("the museum"))
    talk.speak("the museum")
    assert START not in talk.tokens[13:]
    talk.silence(12)
    assert talk.tokens[-len(fed(words, "hello")) - 8 :].count(START) <= 1
    assert [token for token in talk.tokens if token != PAD] == [*fed(words, "the museum"), *fed(words, "hello")]
    talk.speak("hello")
    assert talk.said(1001).text == "hello"
    talk.silence(20)
    talk.speak("bye")
    assert talk.said(talk.generation).generation == 1002


def test_nothing_to_say_and_too_many_texts_are_refused(words: Tokenizer) -> None:
    talk = Talk(words)
    assert talk.say(" ... ").generation == 0
    talk.tell(user(1))
    assert [bool(talk.say("hello", SayWhen.WHEN_QUIET).generation) for _ in range(9)] == [True] * 8 + [False]


def test_a_text_that_another_replaces_before_its_first_step_is_told_of(words: Tokenizer) -> None:
    talk = Talk(words)
    assert talk.say("one").generation == 2
    assert talk.say("two").generation == 3
    talk.speak("two")
    assert talk.said(2) == Said(SESSION, 0, 2, 1, "", 0, SaidStatus.INTERRUPTED)
    assert talk.said(3).text == "two"
    assert [token for token in talk.tokens if token != PAD] == fed(words, "two")


def test_a_text_that_is_being_read_is_cut_before_its_first_word_is_said(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.say("one two three")
    talk.silence(2)
    talk.tell(voiced("INTERRUPT"))
    assert talk.of(Cut) == [Cut(SESSION, 2, CutReason.USER)]
    assert talk.said(2) == Said(SESSION, 0, 2, 1, "", 0, SaidStatus.INTERRUPTED)
    talk.silence(3)
    assert talk.tokens[2:] == [PAD] * 3


def test_a_text_that_was_read_is_about_to_be_said_for_a_second(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.say("one")
    talk.silence(2 + 11)
    assert talk.holder is Holder.ROBOT
    talk.silence(2)
    assert talk.holder is Holder.NOBODY
    assert talk.interrupt() == "the robot is not speaking"
    talk.say("two")
    talk.silence(5)
    assert talk.interrupt() == ""
    assert talk.of(Cut)[-1].up_to_generation == 3
    assert talk.said(3).status is SaidStatus.INTERRUPTED


def test_a_text_said_while_the_model_works_on_an_oracles_first_step_keeps_its_generation(words: Tokenizer) -> None:
    talk = Talk(words)
    talk.tell(oracle("the museum"))
    assert talk.conversation.next_token() == START
    reply = talk.say("hello")
    talk.conversation.take_step(PAD, np.zeros(STEP_SAMPLES, np.int16))
    talk.collect()
    assert talk.generation == 1
    talk.speak("hello")
    assert talk.said(reply.generation).text == "hello"
    talk.silence(8)
    assert [token for token in talk.tokens if token != PAD] == [*fed(words, "hello"), *fed(words, "the museum")]


# Laws

ACTIONS = st.one_of(
    st.tuples(st.just("step"), st.sampled_from(["", "", "", "one", "two", "three"])),
    st.tuples(st.just("steps"), st.integers(1, 30)),
    st.tuples(st.just("oracle"), st.tuples(st.integers(1, 3), st.sampled_from(list(OracleStatus)), st.booleans())),
    st.tuples(st.just("user"), st.tuples(st.integers(1, 3), st.sampled_from(list(TurnStatus)))),
    st.tuples(st.just("voice"), st.sampled_from(list(Voiced))),
    st.tuples(st.just("say"), st.sampled_from(list(SayWhen))),
    st.tuples(st.just("interrupt"), st.none()),
)


def act(talk: Talk, actions: Iterable[tuple[str, object]]) -> None:
    for revision, (name, value) in enumerate(actions, 1):
        match name, value:
            case "step", str(word):
                talk.step(talk.tokenizer.encode(word).ids[0] if word else PAD)
            case "steps", int(count):
                talk.silence(count)
            case "oracle", (turn, status, final):
                talk.tell(Oracle(SESSION, turn, revision, status, f"answer {revision} to {turn}", final))
            case "user", (turn, status):
                talk.tell(UserTurn(SESSION, turn, status, True))
            case "voice", Voiced() as voice:
                talk.tell(Activity(SESSION, voice))
            case "say", SayWhen() as when:
                talk.say(f"text {revision}", when)
            case "interrupt", _:
                talk.interrupt()


@settings(max_examples=200)
@given(st.lists(ACTIONS, max_size=40), st.booleans())
def test_what_is_told_is_consistent(words: Tokenizer, actions: list[tuple[str, object]], uses_oracle: bool) -> None:
    talk = Talk(words, uses_oracle=uses_oracle)
    act(talk, actions)
    talk.conversation.close()
    talk.collect()
    cut_up_to = 0
    generation = 0
    newest: dict[int, Said] = {}
    uses: dict[tuple[int, int], OracleUse] = {}
    for output in talk.outputs:
        match output:
            case Speech():
                assert output.generation >= max(generation, cut_up_to + 1)
                generation = output.generation
            case Cut():
                assert output.up_to_generation > cut_up_to
                cut_up_to = output.up_to_generation
            case Said():
                before = newest.get(output.generation)
                assert output.revision == (before.revision + 1 if before else 1)
                assert 0 <= output.heard_length <= len(output.text)
                if before:
                    assert output.text.startswith(before.text)
                    assert output.heard_length >= before.heard_length
                    assert output.status is before.status or before.status is SaidStatus.GROWING
                newest[output.generation] = output
            case OracleUse():
                assert output.spoken <= output.fed
                assert output.fed + output.superseded <= len(f"answer {output.revision} to {output.turn}")
                earlier = uses.get((output.turn, output.revision))
                assert earlier is None or (earlier.fed <= output.fed and earlier.spoken <= output.spoken)
                uses[output.turn, output.revision] = output
            case Floor():
                assert output.session == SESSION
    assert all(said.status is not SaidStatus.GROWING for said in newest.values())
    assert talk.holder in (Holder.NOBODY, Holder.USER)
    fed_tokens = [token for token in talk.tokens if token not in (PAD, START)]
    assert len(fed_tokens) == talk.conversation.oracle_counts.fed


@given(st.lists(ACTIONS, max_size=30))
def test_every_promised_generation_is_told_of(words: Tokenizer, actions: list[tuple[str, object]]) -> None:
    talk = Talk(words)
    promised = []
    for action in actions:
        if action[0] == "say":
            reply = talk.say("some text", SayWhen(action[1]))
            if reply.generation:
                promised.append(reply.generation)
        else:
            act(talk, [action])
    talk.conversation.close()
    talk.collect()
    assert len(set(promised)) == len(promised)
    told = {said.generation: said.status for said in talk.of(Said)}
    for number in promised:
        assert told[number] is not SaidStatus.GROWING
