from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.prompt.scanner import LONGEST_ASIDE, LONGEST_REGION, Part, Scanner


def scanned(pieces: list[str]) -> str:
    """Double what is said between < and >, drop what is between { and }, and leave the rest."""
    said: list[str] = []
    scanner = Scanner(said.append)

    def doubled() -> Part:
        inside, character = yield from scanner.collect(">", longest=3)
        if character != ">":
            return (yield from scanner.read_again(inside, character))
        scanner.say(inside * 2)
        return (yield)

    scanner.begin({"<": doubled, "{": lambda: scanner.skip("}")})
    for piece in pieces:
        scanner.feed(piece)
    scanner.finish()
    return "".join(said)


def test_rules_take_what_they_know_and_give_back_the_rest() -> None:
    assert scanned(["ab<cd>e{f}g"]) == "abcdcdeg"
    assert scanned(["<long enough> <a"]) == "long enough> a"
    assert scanned(["a{b"]) == "a"
    assert scanned(["<{a}"]) == scanned(["<", "{", "a", "}"]) == ""


@given(st.text(st.sampled_from("ab<>{}"), max_size=30), st.integers(0, 30))
def test_how_a_text_was_cut_never_matters(text: str, place: int) -> None:
    assert scanned([text[:place], text[place:]]) == scanned([text]) == scanned(list(text))


def test_what_is_kept_of_a_long_part_is_bounded() -> None:
    scanner = Scanner(lambda _: None)
    kept: list[tuple[str, str]] = []

    def region() -> Part:
        kept.append((yield from scanner.region("end")))
        kept.append((yield from scanner.balanced("(")))
        kept.append((yield from scanner.collect("x")))
        return kept[-1][1]

    scanner.begin({"<": region})
    scanner.feed(f"<{'a' * 20_000}END{'b' * 20_000})(){'c' * 1_000}")
    scanner.finish()
    region_kept, balanced_kept, collected = kept
    assert region_kept[1] == "end"
    assert len(region_kept[0]) <= LONGEST_REGION
    assert (len(balanced_kept[0]), balanced_kept[1]) == (LONGEST_REGION, ")")
    assert len(collected[0]) == LONGEST_ASIDE
