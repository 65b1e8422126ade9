"""The file of intents: read as it is meant, and every mistake named in one line."""

from pathlib import Path

import pytest

from kame_ros.oracle.intents.catalogue import Rule, SlotKind
from kame_ros.oracle.intents.check import IntentError, check
from kame_ros.oracle.intents.intents_file import read
from kame_ros.oracle.intents.rules import Rules
from kame_ros.oracle.matching import knowledge_file
from kame_ros.oracle.matching.entries import Kind, filled
from kame_ros.oracle.yaml_file import YamlFileError

ROOT = Path(__file__).parents[3]
GO = """
values: {place: {cafe: [coffee shop]}}
intents:
  GO:
    description: Go somewhere.
    slots:
      goal: {description: Where., values: place}
      speed: {description: How fast., type: number, minimum: 0.1, maximum: 1, unit: m/s, required: false}
      manner: {description: How., type: choice, values: [slowly, quickly], required: false}
    say: I go to the {goal}.
    rules:
      - ask: ["go to {goal}"]
"""
SIMPLE = "intents: {STOP: {description: Stop., rules: [{ask: [stop]}]}}\n"
# The intents and required roles that the planners of service robots know by hri_actions_msgs.
SERVICE_ROBOT = {
    "BRING_OBJECT": {"object", "goal", "recipient"},
    "ENGAGE_WITH": {"recipient"},
    "GRAB_OBJECT": {"object"},
    "GREET": {"recipient"},
    "GUIDE": {"goal", "recipient"},
    "MOVE_TO": {"goal"},
    "PERFORM_MOTION": {"object"},
    "PLACE_OBJECT": {"recipient"},
    "PRESENT_CONTENT": {"object"},
    "SAY": {"object"},
    "START_ACTIVITY": {"object"},
    "STOP_ACTIVITY": {"object"},
    "SUSPEND": set[str](),
    "WAKEUP": set[str](),
}


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def go(old: str, new: str) -> str:
    assert old in GO
    return GO.replace(old, new)


def rule(key: str) -> str:
    return f"{GO}        {key}\n"


def test_a_small_file_is_read_as_it_is_meant(tmp_path: Path) -> None:
    text = GO + "refused: Sorry.\nwords: {filler: [please], articles: [the]}\n"
    text += 'confirmation: {agree: ["yes"], decline: ["no"], declined: Fine., counts_for_s: 5}'
    catalogue = read(write(tmp_path, text))
    (kind,) = catalogue.kinds
    goal, speed, manner = kind.slots
    assert (kind.name, kind.description, kind.required, kind.say) == (
        "GO",
        "Go somewhere.",
        ("goal",),
        "I go to the {goal}.",
    )
    assert (goal.kind, goal.values) == (SlotKind.TEXT, {"cafe": ("cafe", "coffee shop")})
    assert (speed.kind, speed.minimum, speed.maximum, speed.unit) == (SlotKind.NUMBER, 0.1, 1, "m/s")
    assert (manner.kind, list(manner.values)) == (SlotKind.CHOICE, ["slowly", "quickly"])
    assert kind.rules == (Rule(("go to {goal}",)),)
    assert (catalogue.refused, catalogue.declined, catalogue.confirm_s) == ("Sorry.", "Fine.", 5)
    words = catalogue.words
    assert (words.filler, words.articles, words.agree, words.decline) == (("please",), ("the",), ("yes",), ("no",))


def test_what_a_rule_gives_is_typed_as_its_slot(tmp_path: Path) -> None:
    catalogue = read(write(tmp_path, rule("roles: {speed: '0.5 m/s', manner: slowly}")))
    assert catalogue.kinds[0].rules[0].roles == {"speed": 0.5, "manner": "slowly"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("intents: [\n", "line 2, column 1: "),
        ("intent: {}", "the file: unknown key 'intent'; allowed are intents, values, words, confirmation, refused"),
        ("refused: Sorry.", "intents: is missing"),
        ("intents: {}", "intents: is empty; give at least one"),
        ("intents: [GO]", "intents: ['GO'] is not a list of keys and values"),
        ("intents: {GO: }", "intents, GO: is missing; it has the keys description, slots, say, confirm, rules"),
        ("intents: {GO: {say: Going.}}", "intents, GO: description: is missing or empty"),
        ("intents: {GO: {describtion: a}}", "intents, GO: unknown key 'describtion'; allowed are description, slots"),
        ("intents: {GO: {description: a}, GO: {description: b}}", "'GO' is given twice"),
        ("intents: {go-to: {description: a}}", "intents, go-to: the name 'go-to' must be a letter, then letters"),
        (go("goal:", "the goal:"), "intents, GO: slots, the goal: the name 'the goal' must be a letter"),
        (go("type: number", "type: float"), "slots, speed: type: 'float' is none of text, choice, number, integer"),
        (go("values: place", "minimum: 1"), "slots, goal: type: text has no minimum; only number and integer have"),
        (go("values: place", "unit: m"), "slots, goal: type: text has no unit; only number and integer have"),
        (go("minimum: 0.1", "minimum: 2"), "slots, speed: minimum 2 is above maximum 1"),
        (go("minimum: 0.1", "minimum: low"), "slots, speed: minimum: 'low' is not a number"),
        (go("minimum: 0.1", "values: place"), "slots, speed: type: number has no values; only text and choice have"),
        (go(", values: [slowly, quickly]", ""), "slots, manner: values: is missing; type choice needs it"),
        (go("[slowly, quickly]", "[]"), "slots, manner: values: has no values"),
        (go("[slowly, quickly]", "[slowly, 5]"), "slots, manner: values: 5 is not text; put it in quotes"),
        (go("values: place", "values: room"), "slots, goal: values: no list 'room' in the section values, which has"),
        (go("required: false", "required: maybe"), "slots, speed: required: 'maybe' must be true or false"),
        (go("description: Where., ", ""), "slots, goal: description: is missing or empty"),
        (go("values: place", "vaules: place"), "slots, goal: unknown key 'vaules'; allowed are description, type"),
        (go("[coffee shop]}", "[x], bar: [X]}"), "values, place: 'X' stands for both 'cafe' and 'bar'"),
        (go("{goal}.", "{speed}."), "intents, GO: say: {speed} may have no value here; those that have one: goal"),
        (go("say:", "confirm:").replace("{goal}.", "{place}?"), "intents, GO: confirm: {place} may have no value here"),
        (go("say:", "confirm:"), "confirmation: agree: is missing or empty, but GO asks for a confirmation"),
        (go("- ask:", "- aks:"), "intents, GO: rules, 1: unknown key 'aks'; allowed are ask, roles, say"),
        (go('["go to {goal}"]', "[]"), "intents, GO: rules, 1: ask: is empty; give at least one wording"),
        (go('["go to {goal}"]', '"go to {goal}"'), "rules, 1: ask: 'go to {goal}' must be a list"),
        (go('["go to {goal}"]', "[go away]"), "intents, GO: rules, 1: GO lacks the role goal; it requires goal"),
        (go("go to {goal}", "go to {place}"), "intents, GO: rules, 1: GO lacks the role goal"),
        (go("go to {goal}", "go {pace} to {goal}"), "rules, 1: GO has no role 'pace'; its roles are goal, speed"),
        (go('{goal}"]', '{goal}", go away]'), "rules, 1: ask: 'go away' must hold the same slots as the first wording"),
        (go("go to {goal}", "go {goal} {goal}"), "must hold the same slots as the first wording, each once"),
        (go("go to {goal}", "go {manner} {goal}"), "rules, 1: ask: 'go {manner} {goal}' needs words between its slots"),
        (go("go to {goal}", "go to {goal"), "rules, 1: ask: 'go to {goal': braces belong around the name of a slot"),
        (go("values: place", "type: text").replace("go to {goal}", "{goal}!"), "'{goal}!' would match everything"),
        (go("values: place", "type: boolean"), "rules, 1: ask: {goal} is true or false, which nobody says"),
        (rule("roles: {goal: cafe}"), "roles: goal: stands in the wordings"),
        (rule("roles: {speed: 99}"), "rules, 1: roles: GO: speed = 99 is out"),
        (rule("roles: {speed: [1]}"), "roles: speed: [1] is neither text nor"),
        (rule('say: "{manner}"'), "rules, 1: say: {manner} may have no value"),
        (SIMPLE.replace("[stop]}", "[stop]}, {ask: [Stop!]}"), "rules, 2: ask: 'Stop!' stands in intents, STOP: rules"),
        (SIMPLE + "words: {fillers: [please]}", "words: unknown key 'fillers'; allowed are filler, articles, joints"),
        (SIMPLE + "confirmation: {agree: [yes]}", "confirmation: agree: True is not text; put it in quotes"),
        (SIMPLE + 'confirmation: {agree: [ok], decline: ["OK!"]}', "decline: 'OK!' stands under agree too"),
        (SIMPLE + "confirmation: {counts_for_s: 0}", "confirmation: counts_for_s: 0 must be more than 0 seconds"),
        (SIMPLE + "confirmation: {counts_for_s: long}", "confirmation: counts_for_s: 'long' is not a number"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_file_place_value_and_rule(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(YamlFileError) as caught:
        read(write(tmp_path, text))
    assert any(says in mistake for mistake in caught.value.mistakes), caught.value.mistakes
    assert all(mistake.startswith("mine.yaml: ") and "\n" not in mistake for mistake in caught.value.mistakes)


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    text = "refused: 5\nintents: {A: {description: }, B: {description: b, rules: [{ask: [c], roles: {d: e}}]}}"
    with pytest.raises(YamlFileError) as caught:
        read(write(tmp_path, text))
    assert len(caught.value.mistakes) == 3


@pytest.mark.parametrize(
    "text",
    [
        go(", values: [slowly, quickly]", "") + "        roles: {manner: slowly}\n",
        go("{cafe: [coffee shop]}", ""),
        go("{cafe: [coffee shop]}", "5"),
        go("{description: Where., values: place}", ""),
        go('- ask: ["go to {goal}"]', "-"),
        "intents: {A: }",
    ],
)
def test_a_mistake_is_told_once_and_brings_no_others(tmp_path: Path, text: str) -> None:
    with pytest.raises(YamlFileError) as caught:
        read(write(tmp_path, text))
    assert len(caught.value.mistakes) == 1, caught.value.mistakes


def test_a_missing_file_names_the_parameter(tmp_path: Path) -> None:
    with pytest.raises(YamlFileError, match=r"^intents = '.*mine.yaml': No such file or directory; give the parameter"):
        read(tmp_path / "mine.yaml")


def test_the_bundled_file_has_the_intents_of_a_service_robot() -> None:
    catalogue = read(ROOT / "config/intents.yaml")
    assert {kind.name: set(kind.required) for kind in catalogue.kinds} == SERVICE_ROBOT
    for kind in catalogue.kinds:
        for text in (kind.say, kind.confirm, *(rule.say for rule in kind.rules)):
            assert not text or text[-1] in ".?", text


def test_each_wording_of_the_bundled_file_is_understood_by_its_own_rule() -> None:
    catalogue = read(ROOT / "config/intents.yaml")
    rules = Rules(catalogue)
    for kind in catalogue.kinds:
        for rule in kind.rules:
            for wording in rule.ask:
                values = {slot.name: list(slot.values)[-2] for slot in kind.slots if slot.values}
                (heard,) = rules.match(f"Robin, {filled(wording, values)}, please.")
                assert heard.intent.intent == kind.name, wording
                assert check(catalogue, kind.name, heard.intent.roles) == heard.intent.roles


@pytest.mark.parametrize(
    ("heard", "intent", "roles"),
    [
        ("Stop!", "STOP_ACTIVITY", {"object": "all"}),
        ("Could you take us to the coffee shop, please?", "GUIDE", {"goal": "cafe", "recipient": "visitor"}),
        ("bring me a glass of water", "BRING_OBJECT", {"object": "water", "goal": "visitor", "recipient": "visitor"}),
        ("take the umbrella to the front door", "BRING_OBJECT",
         {"object": "umbrella", "goal": "main entrance", "recipient": "staff"}),
    ],
)  # fmt: skip
def test_what_people_say_is_understood_with_the_bundled_file(heard: str, intent: str, roles: dict[str, str]) -> None:
    (understood,) = Rules(read(ROOT / "config/intents.yaml")).match(heard)
    assert (understood.intent.intent, understood.intent.roles) == (intent, roles)


def test_whatever_the_bundled_knowledge_asks_for_is_allowed() -> None:
    catalogue = read(ROOT / "config/intents.yaml")
    contents = knowledge_file.read(ROOT / "config/knowledge.yaml", catalogue)
    commands = [entry for entry in contents.entries if entry.kind is Kind.COMMAND]
    assert commands
    for entry in commands:
        for place, thing, motion in zip(
            *(list(contents.slots[slot])[:4] for slot in ("place", "thing", "motion")), strict=True
        ):
            values = {"place": place, "thing": thing, "motion": motion}
            roles = {role: filled(value, values) for role, value in entry.roles.items()}
            try:
                assert check(catalogue, entry.intent, roles) == roles
            except IntentError as error:
                pytest.fail(f"{entry.id}: {error}")
