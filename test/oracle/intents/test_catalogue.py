from kame_ros.oracle.intents.catalogue import Catalogue


def test_intents_and_slots_are_found_by_name(catalogue: Catalogue) -> None:
    kind = catalogue.kind("THROW")
    assert kind
    assert kind.slot("object")
    assert kind.slot("goal") is None
    assert catalogue.kind("throw") is None
