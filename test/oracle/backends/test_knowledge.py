"""The backend with a table of vectors for its behaviour, and with the real sentence model for how well it answers."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.typing import NDArray

from kame_ros.oracle.backend import AnswerPart, Finished, IntentPart, Request, TextDelta
from kame_ros.oracle.backends.knowledge import Knowledge
from kame_ros.oracle.errors import BackendSetUpError
from kame_ros.oracle.intents import intents_file
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.matching.embedding import MiniLm
from kame_ros.oracle.matching.entries import Contents
from kame_ros.oracle.matching.knowledge_file import read
from kame_ros.oracle.matching.wording import parts, without

ROOT = Path(__file__).parents[3]
SMALL = """
robot: {name: Robin}
unknown: {answer: I do not know that., examples: [weather]}
unsure: {answer: Please tell me once more., words: [not]}
facts: [{id: wifi, ask: [wifi], answer: "Yes, it is free."}]
slots: {place: {cafe: [coffee shop], shop: []}}
commands:
  - id: guide
    ask: ["guide me to the {place}"]
    answer: Follow me to the {place}.
    otherwise: I do not know the way.
    intent: GUIDE
    roles: {goal: "{place}", recipient: visitor}
"""
UNKNOWN = "I do not know that."


class Words:
    """Vectors in which each of a few words is one direction."""

    def embed(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        words = ["wifi", "guide", "weather"]
        counts = np.array([[word in sentence.split() for word in words] + [0.1] for sentence in sentences], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return intents_file.read(ROOT / "config/intents.yaml")


@pytest.fixture
def backend(tmp_path: Path, catalogue: Catalogue) -> Iterator[Knowledge]:
    file = tmp_path / "small.yaml"
    file.write_text(SMALL, encoding="utf-8")
    backend = Knowledge(file, catalogue, Words())
    yield backend
    backend.close()


def ask(backend: Knowledge, text: str, *, final: bool = True, locale: str = "en-GB") -> list[AnswerPart]:
    async def gather() -> list[AnswerPart]:
        return [part async for part in backend.answer(Request(text, final, locale=locale))]

    return asyncio.run(gather())


def test_a_fact_is_answered_on_partial_and_final_alike(backend: Knowledge) -> None:
    answer = [TextDelta("Yes, it is free."), Finished()]
    assert ask(backend, "is there wifi", final=False) == answer
    assert ask(backend, "is there wifi here") == answer


def test_a_command_gives_its_intent_for_the_final_words_only(backend: Knowledge) -> None:
    text = TextDelta("Follow me to the cafe.")
    assert ask(backend, "guide me to the coffee shop", final=False) == [text, Finished()]
    said, intent, finished = ask(backend, "guide me to the coffee shop")
    assert (said, finished) == (text, Finished())
    assert isinstance(intent, IntentPart)
    assert (intent.intent, intent.roles) == ("GUIDE", {"goal": "cafe", "recipient": "visitor"})
    assert intent.confidence is not None
    assert 0.5 < intent.confidence <= 1


def test_a_command_for_something_unlisted_says_so_and_does_nothing(backend: Knowledge) -> None:
    assert ask(backend, "guide me to the place") == [TextDelta("I do not know the way."), Finished()]


@pytest.mark.parametrize("heard", ["do not guide me to the cafe", "guide me to the cafe, I mean to the shop"])
def test_a_command_that_is_denied_or_put_right_is_asked_for_once_more(backend: Knowledge, heard: str) -> None:
    assert ask(backend, heard) == [TextDelta("Please tell me once more."), Finished()]
    assert ask(backend, heard, final=False) == [Finished()]


def test_the_unknown_is_said_for_the_final_words_only(backend: Knowledge) -> None:
    assert ask(backend, "how is the weather") == [TextDelta(UNKNOWN), Finished()]
    assert ask(backend, "") == [TextDelta(UNKNOWN), Finished()]
    assert ask(backend, "how is the", final=False) == [Finished()]


def test_another_language_is_refused_with_the_parameter(backend: Knowledge) -> None:
    with pytest.raises(BackendSetUpError, match=r"^locale = 'de-DE': the knowledge file is in en-US; set knowledge"):
        ask(backend, "wifi", locale="de-DE")
    assert ask(backend, "wifi", locale="EN-gb") == ask(backend, "wifi")


def test_an_answer_can_be_given_up_and_the_backend_closed_twice(backend: Knowledge) -> None:
    async def give_up() -> None:
        answer = backend.answer(Request("wifi", True))
        await anext(answer)
        await answer.aclose()
        task = asyncio.ensure_future(anext(backend.answer(Request("wifi", True))))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert ask(backend, "wifi")[0] == TextDelta("Yes, it is free.")
    backend.close()
    backend.close()


class Prepared:
    """The real sentence model, asked for many sentences at once beforehand, which takes a third of the time."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._model = MiniLm()
        self._known = dict(zip(sentences, self._model.embed(sentences), strict=True))

    def embed(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        missing = [sentence for sentence in sentences if sentence not in self._known]
        self._known.update(zip(missing, self._model.embed(missing), strict=True))
        return np.array([self._known[sentence] for sentence in sentences])


Set = dict[str, Any]


def load(name: str) -> Set:
    loaded: Set = yaml.safe_load((Path(__file__).parents[1] / "data" / name).read_text(encoding="utf-8"))
    return loaded


def questions(given: Set) -> list[tuple[str, str]]:
    """Return entry and question; of the long development set every third, benchmarks/matching.py asks them all."""
    sections = (given.get(section, {}) for section in ("knowable", "wrapped", "misheard"))
    asked = [(entry, text) for section in sections for entry, texts in section.items() for text in texts]
    asked = asked[:: 3 if len(asked) > 500 else 1]
    return asked + [(command["entry"], command["text"]) for command in given["commands"]]


@pytest.fixture(scope="module")
def contents(catalogue: Catalogue) -> Contents:
    return read(ROOT / "config/knowledge.yaml", catalogue)


@pytest.fixture(scope="module")
def bundled(contents: Contents, catalogue: Catalogue) -> Iterator[Knowledge]:
    sets = [load("development.yaml"), load("held_out.yaml")]
    asked = itertools.chain.from_iterable([*(text for _, text in questions(one)), *one["unknowable"]] for one in sets)
    backend = Knowledge(
        ROOT / "config/knowledge.yaml",
        catalogue,
        Prepared(list({without(part, contents.filler) for text in asked for part in parts(text)})),
    )
    yield backend
    backend.close()


def said(backend: Knowledge, text: str) -> str:
    return "".join(part.text for part in ask(backend, text) if isinstance(part, TextDelta))


def shares(backend: Knowledge, contents: Contents, given: Set) -> tuple[float, float]:
    """Return the part of questions answered from the right entry, and the part of unknowable ones left unknown."""
    answers = {entry.id: entry.answer.split("{")[0] for entry in contents.entries}
    asked = questions(given)
    right = sum(said(backend, text).startswith(answers[entry]) for entry, text in asked)
    unknown = sum(said(backend, text) == UNKNOWN for text in given["unknowable"])
    return right / len(asked), unknown / len(given["unknowable"])


def test_the_development_set_is_answered_and_its_unknown_refused(bundled: Knowledge, contents: Contents) -> None:
    right, unknown = shares(bundled, contents, load("development.yaml"))
    assert right >= 0.95
    assert unknown == 1


def test_new_questions_are_answered_nearly_as_well(bundled: Knowledge, contents: Contents) -> None:
    right, unknown = shares(bundled, contents, load("held_out.yaml"))
    assert right >= 0.87
    assert unknown >= 0.95


def test_commands_carry_the_right_intents(bundled: Knowledge) -> None:
    given = [command for command in load("development.yaml")["commands"] if "roles" in command]
    intents = [
        (part.intent, part.roles)
        for command in given
        for part in ask(bundled, command["text"])
        if isinstance(part, IntentPart)
    ]
    expected = [(command["intent"], command["roles"]) for command in given]
    assert sum(intent in expected for intent in intents) == len(intents)  # none wrong
    assert len(intents) >= 0.95 * len(expected)


@pytest.mark.parametrize(
    "heard",
    [
        "Do not go to the cafe.",
        "Don't bring me a map.",
        "Go to the cafe, no, to the exit.",
        "Go to the cafe. Forget it.",
        "Bring me some water, no, a map.",
        "Go to the cafe, I mean the exit.",
        "Do not go to sleep.",
        "Should I go to the cafe?",
        "Bring me",
    ],
)
def test_what_is_denied_or_asked_about_or_not_said_to_its_end_is_never_an_intent(
    bundled: Knowledge, heard: str
) -> None:
    assert not any(isinstance(part, IntentPart) for part in ask(bundled, heard))


def test_stop_is_understood_whatever_is_denied_with_it(bundled: Knowledge) -> None:
    for heard in ("Stop, no, stop!", "Do not move, stop.", "Don't follow me.", "No, no, stop it."):
        assert [part.intent for part in ask(bundled, heard) if isinstance(part, IntentPart)] == ["STOP_ACTIVITY"]


def test_what_a_command_asks_for_and_the_file_does_not_list_is_never_an_intent(bundled: Knowledge) -> None:
    for command in load("development.yaml")["not_listed"]:
        assert not any(isinstance(part, IntentPart) for part in ask(bundled, command["text"]))
