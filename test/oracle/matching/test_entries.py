from kame_ros.oracle.matching.entries import Entry, Kind, filled, named, slots_of


def test_slots_are_read_filled_and_named() -> None:
    text = "bring the {thing} to the {place}"
    assert slots_of(text) == ("place", "thing")
    assert filled(text, {"thing": "map"}) == "bring the map to the {place}"
    assert named(text) == "bring the thing to the place"
    assert Entry("bring", Kind.COMMAND, (text,), "All right.").slots == ("place", "thing")
