from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.ask import Action, Adopt, Ask, AskPolicy, Cancel, Stage, comparable
from kame_ros.oracle.asking import AskingSettings

SPEAKING, PAUSED, FINAL, NOT_UNDERSTOOD = Stage.SPEAKING, Stage.PAUSED, Stage.FINAL, Stage.NOT_UNDERSTOOD


def asks(actions: list[Action]) -> list[str]:
    return [action.text for action in actions if isinstance(action, Ask)]


def test_the_answer_asked_for_at_the_pause_serves_the_final_whether_it_runs_or_has_ended() -> None:
    for ended in (False, True):
        policy = AskPolicy(0.5)
        assert asks(policy.observe(0.0, 1, 1, "When do", SPEAKING)) == ["When do"]
        cancel, ask = policy.observe(0.1, 1, 2, "When do you open?", PAUSED)
        assert cancel == Cancel(1, replaced=True)
        assert ask == Ask(2, 1, 2, "When do you open?", whole=True, final=False)
        if ended:
            policy.ended(2, ok=True)
        assert policy.observe(0.6, 1, 3, "when do you OPEN", FINAL) == [Adopt(2, 3)]


def test_the_answer_to_growing_text_never_serves_the_final() -> None:
    policy = AskPolicy(0.5)
    policy.observe(0.0, 1, 1, "Stop.", SPEAKING)
    policy.ended(1, ok=True)
    assert policy.observe(0.3, 1, 2, "Stop.", PAUSED) == [
        Cancel(1, replaced=True),
        Ask(2, 1, 2, "Stop.", whole=True, final=False),
    ]


def test_the_final_asks_again_when_its_answer_failed_or_its_words_differ() -> None:
    policy = AskPolicy(0.5)
    policy.observe(0.0, 1, 1, "Hello", PAUSED)
    policy.ended(1, ok=False)
    assert asks(policy.observe(0.5, 1, 2, "Hello", FINAL)) == ["Hello"]
    policy.ended(2, ok=True)
    policy.observe(5.0, 2, 1, "Go", PAUSED)
    assert policy.observe(5.5, 2, 2, "Go home", FINAL) == [
        Cancel(3, replaced=True),
        Ask(4, 2, 2, "Go home", whole=True, final=True),
    ]


def test_twenty_growing_partials_in_three_seconds_ask_at_a_bounded_rate() -> None:
    policy = AskPolicy(0.5)
    asked: list[tuple[float, str]] = []
    for number in range(20):
        now = number * 0.15
        actions = policy.due(now) + policy.observe(now, 1, number + 1, "word " * (number + 1), SPEAKING)
        asked += [(now, text) for text in asks(actions)]
    assert len(asked) <= 7
    assert all(later - earlier >= 0.5 for (earlier, _), (later, _) in pairwise(asked))
    due_s = policy.next_due_s
    assert due_s is not None
    assert asks(policy.due(due_s)) == ["word " * 20]
    assert policy.next_due_s is None


def test_unchanged_text_makes_no_call() -> None:
    policy = AskPolicy(0.0)
    assert asks(policy.observe(0.0, 1, 1, "Where is", SPEAKING)) == ["Where is"]
    assert policy.observe(1.0, 1, 2, "where is...", SPEAKING) == []
    assert asks(policy.observe(2.0, 1, 3, "Where", SPEAKING)) == ["Where"]


def test_text_without_blanks_asks_when_it_changes() -> None:
    policy = AskPolicy(0.0)
    texts = ["駅は", "駅はどこ", "駅はどこ。", "駅は"]
    assert [len(asks(policy.observe(float(i), 1, i + 1, text, SPEAKING))) for i, text in enumerate(texts)] == [
        1,
        1,
        0,
        1,
    ]


def test_what_was_not_understood_drops_the_request_and_nothing_replaces_it() -> None:
    policy = AskPolicy(0.5)
    policy.observe(0.0, 1, 1, "Hm", SPEAKING)
    assert policy.observe(3.0, 1, 2, "", NOT_UNDERSTOOD) == [Cancel(1, replaced=False)]


def test_a_final_comes_once() -> None:
    policy = AskPolicy(0.5)
    assert len(policy.observe(0.0, 1, 1, "Hello", FINAL)) == 1
    assert policy.observe(0.1, 1, 2, "Hello", FINAL) == []
    assert policy.observe(0.2, 1, 3, "Hello there", SPEAKING) == []


def test_an_answer_that_is_final_goes_on_until_the_next_turn_is_final_too() -> None:
    policy = AskPolicy(0.0)
    policy.observe(0.0, 1, 1, "Tell me a story", FINAL)
    assert policy.observe(1.0, 2, 1, "Uh-huh", SPEAKING) == [Ask(2, 2, 1, "Uh-huh", whole=False, final=False)]
    assert policy.observe(2.0, 2, 2, "", NOT_UNDERSTOOD) == [Cancel(2, replaced=False)]
    policy.observe(3.0, 3, 1, "Stop", PAUSED)
    assert policy.observe(3.5, 3, 2, "Stop", FINAL) == [Cancel(1, replaced=False), Adopt(3, 2)]


def test_a_final_answer_that_has_ended_is_not_cancelled() -> None:
    policy = AskPolicy(0.0)
    policy.observe(0.0, 1, 1, "Hello", FINAL)
    policy.ended(1, ok=True)
    assert policy.observe(1.0, 2, 1, "And now?", FINAL) == [Ask(2, 2, 1, "And now?", whole=True, final=True)]


def test_text_without_a_letter_is_no_question() -> None:
    policy = AskPolicy(0.0)
    assert policy.observe(0.0, 1, 1, "...", SPEAKING) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("What's up?", "what\u2019s  up"), ("ＡＢＣ", "abc"), ("Go!", "go")],  # noqa: RUF001
)
def test_texts_that_ask_the_same_are_equal(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


def test_blanks_tell_words_apart() -> None:
    assert comparable("now here") != comparable("nowhere")


transcripts = st.tuples(
    st.floats(0.0, 1.0), st.integers(0, 2), st.sampled_from(["a", "a b", "b", "c d"]), st.sampled_from(list(Stage))
)


@given(st.lists(transcripts, max_size=25), st.data())
def test_at_most_one_request_of_a_turn_is_alive_and_none_is_used_after_its_cancel(
    talk: list[tuple[float, int, str, Stage]], data: st.DataObject
) -> None:
    policy = AskPolicy(0.5)
    alive: dict[int, Ask] = {}
    final_turns: set[int] = set()
    now, turn = 0.0, 1
    for revision, (step_s, further, text, stage) in enumerate(talk):
        now += step_s
        turn += further
        actions = policy.due(now) + policy.observe(now, turn, revision + 1, text, stage)
        for action in actions:
            match action:
                case Ask(request=request):
                    alive[request] = action
                case Cancel(request=request):
                    assert request in alive
                    del alive[request]
                case Adopt(request=request):
                    assert alive[request].whole
                    assert comparable(alive[request].text) == comparable(text)
            is_final = isinstance(action, Adopt) or (isinstance(action, Ask) and action.final)
            assert not is_final or turn not in final_turns
            if is_final:
                final_turns.add(turn)
        current = [ask for ask in alive.values() if ask.turn == turn]
        assert len(current) <= 1
        running = sorted(alive)
        if running and data.draw(st.booleans()):
            ended = data.draw(st.sampled_from(running))
            policy.ended(ended, ok=data.draw(st.booleans()))
            if alive[ended].turn < turn:
                del alive[ended]


def test_sixteen_words_over_six_seconds_cost_at_most_four_calls_the_last_for_all_of_them() -> None:
    policy = AskPolicy(AskingSettings().interval_s)
    words = [f"word{number}" for number in range(16)]
    asked: list[str] = []
    for look in range(1, 12):
        now_s = look * 0.5
        asked += asks(policy.due(now_s))
        asked += asks(policy.observe(now_s, 1, look, " ".join(words[: round(now_s * 16 / 6)]), SPEAKING))
    asked += asks(policy.observe(6.1, 1, 12, " ".join(words), PAUSED))
    assert policy.observe(6.5, 1, 13, " ".join(words), FINAL) == [Adopt(len(asked), 13)]
    assert len(asked) <= 4
    assert asked[-1] == " ".join(words)


def test_an_answer_asked_for_while_the_user_spoke_serves_the_final_if_its_giver_answers_whole_anyway() -> None:
    policy = AskPolicy(2.0)
    policy.observe(0.0, 1, 1, "Where is the station", SPEAKING)
    policy.answering(1, answers_whole=True)
    assert policy.observe(0.6, 1, 2, "Where is the station?", PAUSED) == []
    assert policy.observe(0.9, 1, 3, "Where is the station?", FINAL) == [Adopt(1, 3)]


def test_who_answers_whole_is_asked_anew_by_another_who_does_not() -> None:
    policy = AskPolicy(2.0)
    policy.observe(0.0, 1, 1, "Where", SPEAKING)
    policy.answering(1, answers_whole=True)
    policy.answering(1, answers_whole=False)
    assert asks(policy.observe(0.6, 1, 2, "Where?", PAUSED)) == ["Where?"]


def test_a_final_without_a_letter_lets_go_of_what_was_asked_before() -> None:
    policy = AskPolicy(2.0)
    policy.observe(0.0, 1, 1, "Hm", SPEAKING)
    assert policy.observe(0.6, 1, 2, "...", FINAL) == [Cancel(1, replaced=False)]


@pytest.mark.parametrize(
    "texts",
    [
        ["one two three four five six", "one two three four"],
        ["すみません", "すみません駅は", "すみません駅はどこ", "駅はどこですか"],
    ],
)
def test_changed_text_is_what_counts_and_not_how_many_words_there_are(texts: list[str]) -> None:
    policy = AskPolicy(2.0)
    asked = [asks(policy.observe(2.0 * turn, 1, turn + 1, text, SPEAKING)) for turn, text in enumerate(texts)]
    assert asked == [[text] for text in texts]
