import pytest

from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.intents.confirmation import Reply, reply


@pytest.mark.parametrize(
    ("heard", "meaning"),
    [
        ("Yes.", Reply.AGREE),
        ("yes, yes, do it, please!", Reply.AGREE),
        ("Robin, yes", Reply.AGREE),
        ("okay", Reply.AGREE),
        ("okay, no", Reply.DECLINE),
        ("はい。", Reply.AGREE),
        ("No, don't!", Reply.DECLINE),
        ("no please don\u2019t", Reply.DECLINE),
        ("please", Reply.OTHER),
        ("", Reply.OTHER),
        ("yes but later", Reply.OTHER),
        ("yes no", Reply.OTHER),
        ("yesterday", Reply.OTHER),
        ("do", Reply.OTHER),
        ("what did you say", Reply.OTHER),
    ],
)
def test_only_a_clear_yes_agrees(catalogue: Catalogue, heard: str, meaning: Reply) -> None:
    assert reply(heard, catalogue.words) is meaning
