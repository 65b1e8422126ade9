import pytest

from kame_ros.oracle.matching.misheard import misheard

WORDINGS = ["where are the toilets", "how old is the canoe", "is there wifi", "can I bring my dog", "tell me a joke"]


@pytest.mark.parametrize(
    ("heard", "wording"),
    [
        ("wear are the toilets", 0),
        ("where are the toy lets", 0),
        ("is there why fi", 2),
        ("can I bring my dock", 3),
        ("tell me a choke", 4),
        ("tell me a joke", 4),
    ],
)
def test_what_sounds_alike_is_found(heard: str, wording: int) -> None:
    found = misheard(heard, WORDINGS)
    assert found is not None
    assert found[0] == wording
    assert 0 < found[1] <= 1
    assert (found[1] == 1) is (heard == WORDINGS[wording])


@pytest.mark.parametrize("heard", ["how old is the pope", "where are my glasses", "is there a god", "", "yes"])
def test_what_only_looks_alike_is_not(heard: str) -> None:
    assert misheard(heard, WORDINGS) is None
