from pathlib import Path

import pytest
import yaml

from kame_ros.oracle.intents import intents_file
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.matching.knowledge_file import read
from kame_ros.oracle.yaml_file import YamlFileError

ROOT = Path(__file__).parents[3]
HEAD = "robot: {name: Robin}\nunknown: {answer: I do not know that.}\n"
COMMAND = """
slots: {place: {cafe: [coffee shop]}}
commands:
  - {id: go, ask: ["go to the {place}"], answer: "I go to the {place}.", intent: MOVE_TO, roles: {goal: "{place}"}}
"""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return intents_file.read(ROOT / "config/intents.yaml")


def write(folder: Path, text: str) -> Path:
    path = folder / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_small_file_is_read_with_the_name_filled_in(catalogue: Catalogue, tmp_path: Path) -> None:
    contents = read(
        write(tmp_path, HEAD + COMMAND + 'small_talk: [{id: who, ask: ["hi {robot}"], answer: "{robot}."}]'), catalogue
    )
    talk, command = contents.entries
    assert (talk.ask, talk.answer) == (("hi Robin",), "Robin.")
    assert (command.slots, command.intent, command.roles) == (("place",), "MOVE_TO", {"goal": "{place}"})
    assert contents.slots == {"place": {"cafe": ("cafe", "coffee shop")}}
    assert contents.filler == ("Robin",)
    assert (contents.language, contents.unknown_answer) == ("en-US", "I do not know that.")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("robot: [\n", "my.yaml: line 2, column 1: "),
        (HEAD + "fact: []", "the file: unknown key 'fact'; allowed are robot, unknown, unsure, filler, facts"),
        (HEAD + "facts: {a: b}", "facts: must be a list of entries"),
        (HEAD + "facts: [wifi]", "facts, entry 1: 'wifi' is not a list of keys and values; it has the keys id, ask"),
        ("unknown: {answer: No.}", "robot: is missing; it has the keys name, language"),
        ("robot: {name: R}\n", "unknown: answer: is missing or empty"),
        ("robot: {name: R, language: de-DE}\nunknown: {answer: N}", "'de-DE': the sentence model knows English only"),
        (HEAD + "facts: [{id: a, ask: [b], answer: }]", "facts, a: answer: is missing or empty"),
        (HEAD + "facts: [{id: a, ask: [], answer: c}]", "facts, a: ask: is empty; give at least one wording"),
        (HEAD + "facts: [{id: a, ask: hello, answer: c}]", "facts, a: ask: 'hello' must be a list"),
        (HEAD + "facts: [{id: a, answer: c}]", "facts, a: ask: is missing"),
        (HEAD + "facts: [{id: a, ask: [yes], answer: c}]", "facts, a: ask: True is not text; put it in quotes"),
        (
            HEAD + "facts: [{id: a, ask: [b], answer: c, anwser: d}]",
            "unknown key 'anwser'; allowed are id, ask, answer",
        ),
        (HEAD + "facts: [{id: a, ask: [b], answer: c, answer: d}]", "'answer' is given twice"),
        (
            HEAD + "facts: [{id: a, ask: [b], answer: c}, {id: a, ask: [d], answer: e}]",
            "facts, a: the id is given twice",
        ),
        (
            HEAD + "facts: [{id: a, ask: [B!], answer: c}, {id: d, ask: [b], answer: e}]",
            "facts, d: ask: 'b' stands in a",
        ),
        (HEAD + 'facts: [{id: a, ask: ["{x}"], answer: c}]', "unknown slot {x}; only commands have slots"),
        (
            HEAD + COMMAND.replace("go to the {place}", "go to {where}"),
            "unknown slot {where}; the section slots has place",
        ),
        (HEAD + COMMAND.replace('"go to the {place}"', '"go to the {place}", go away'), "must hold the same slots as"),
        (HEAD + COMMAND.replace("I go to the {place}.", "I go to {room}."), "holds {room}, which its ask does not"),
        (
            HEAD + COMMAND.replace("MOVE_TO", "FLY_TO"),
            "commands, go: intent 'FLY_TO' is not allowed; allowed are MOVE_TO, GUIDE",
        ),
        (HEAD + COMMAND.replace("goal:", "target:"), "commands, go: MOVE_TO lacks the role goal"),
        (
            HEAD + COMMAND.replace("roles: {", "roles: {target: cafe, "),
            "commands, go: MOVE_TO has no role 'target'; its roles are goal, speed",
        ),
        (
            HEAD + COMMAND.replace("roles: {", "roles: {speed: fast, "),
            "commands, go: MOVE_TO: speed = 'fast' is not a number",
        ),
        (HEAD + COMMAND.replace(", intent: MOVE_TO", ""), "commands, go: intent: is missing or empty"),
        (
            HEAD + COMMAND.replace("answer:", "otherwise: 'No {place}.', answer:"),
            "otherwise: is for commands with slots",
        ),
        (
            HEAD + COMMAND.replace("[coffee shop]}", "[x], bar: [X]}"),
            "slots, place: 'X' stands for both 'cafe' and 'bar'",
        ),
        (HEAD + "slots: {place: {}}", "slots, place: has no values"),
        (HEAD + "slots: {a place: {b: }}", "slots, a place: a slot's name is one word"),
    ],
)
def test_a_mistake_is_one_line_with_file_entry_and_rule(
    catalogue: Catalogue, tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(YamlFileError) as caught:
        read(write(tmp_path, text), catalogue)
    matching = [mistake for mistake in caught.value.mistakes if says in mistake]
    assert matching, caught.value.mistakes
    assert all(mistake.startswith("my.yaml: ") and "\n" not in mistake for mistake in caught.value.mistakes)


@pytest.mark.parametrize(
    ("text", "says"), [("# nothing yet\n", "is empty"), ("[1, 2]", r"holds \[1, 2\], not keys and values")]
)
def test_a_file_without_keys_is_one_mistake_and_no_more(
    catalogue: Catalogue, tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(YamlFileError, match=f"^my.yaml: the file {says}; its keys are robot, unknown, .*$") as caught:
        read(write(tmp_path, text), catalogue)
    assert len(caught.value.mistakes) == 1


def test_all_mistakes_are_named_at_once(catalogue: Catalogue, tmp_path: Path) -> None:
    text = HEAD + "facts: [{id: a, ask: [], answer: b}, {id: c, ask: [d], answer: 5}, {ask: [e], answer: f}]"
    with pytest.raises(YamlFileError) as caught:
        read(write(tmp_path, text), catalogue)
    assert len(caught.value.mistakes) == 3


def test_a_missing_file_names_the_parameter(catalogue: Catalogue, tmp_path: Path) -> None:
    with pytest.raises(YamlFileError, match=r"^knowledge = '.*my.yaml': No such file or directory; give the parameter"):
        read(tmp_path / "my.yaml", catalogue)


def test_the_bundled_file_is_right_and_its_answers_can_be_spoken(catalogue: Catalogue) -> None:
    contents = read(ROOT / "config/knowledge.yaml", catalogue)
    answers = [text for entry in contents.entries for text in (entry.answer, entry.otherwise) if text]
    assert len(contents.entries) > 60
    for answer in (*answers, contents.unknown_answer):
        assert answer[-1] in ".?", answer
        assert not any(character.isdigit() or character in "*#_/<>[]" for character in answer), answer
        assert len(answer.split()) <= 30, answer


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_the_questions_of_the_benchmark_are_in_other_words_than_the_file(catalogue: Catalogue, name: str) -> None:
    wordings = {
        text.casefold() for entry in read(ROOT / "config/knowledge.yaml", catalogue).entries for text in entry.ask
    }
    questions = yaml.safe_load((ROOT / f"benchmarks/questions_{name}.yaml").read_text(encoding="utf-8"))
    texts = [question["text"].rstrip("?.").casefold() for question in questions["knowable"]]
    assert len(texts) == 20
    assert not wordings & set(texts)
