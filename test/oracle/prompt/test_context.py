from hypothesis import given
from hypothesis import strategies as st

from kame_ros.oracle.backend import Context
from kame_ros.oracle.prompt.context import ContextStore


def test_the_newest_value_holds_until_it_is_out_of_date() -> None:
    store = ContextStore()
    store.put("battery", "20 percent", 5.0, 100.0)
    store.put("place", "hall", None, 100.0)
    store.put("battery", "19 percent", 5.0, 102.0)
    assert store.current(106.9) == (Context("battery", "19 percent"), Context("place", "hall"))
    assert store.current(107.0) == (Context("place", "hall"),)
    assert store.current(1e9) == (Context("place", "hall"),)


def test_an_empty_value_forgets_the_name() -> None:
    store = ContextStore()
    store.put("place", "hall", None, 0.0)
    store.put("place", " \n", None, 1.0)
    store.put(" ", "nameless", None, 1.0)
    assert store.current(1.0) == ()


def test_what_finds_no_place_or_is_too_long_is_counted() -> None:
    store = ContextStore(most=2, longest_characters=5)
    for name in ("a", "b", "c"):
        store.put(name, "value", 1.0, 0.0)
    assert (store.dropped, store.shortened) == (1, 0)
    store.put("a", "longer value", 1.0, 0.5)
    store.put("c", "new", 1.0, 1.0)  # b is out of date
    assert store.current(1.0) == (Context("a", "longe"), Context("c", "new"))
    assert (store.dropped, store.shortened) == (1, 1)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.text(max_size=9), st.none() | st.floats(0, 9), st.floats(0, 9))))
def test_never_more_than_there_is_place_for(puts: list[tuple[str, str, float | None, float]]) -> None:
    store = ContextStore(most=3, longest_characters=4)
    for name, value, valid_s, now_s in puts:
        store.put(name, value, valid_s, now_s)
        known = store.current(now_s)
        assert len(known) <= 3
        assert all(0 < len(held.value) <= 4 for held in known)
        assert len({held.name for held in known}) == len(known)
