"""What an array's file may say, and that every mistake in it is one line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from kame_ros.audio.array_file import load_array
from kame_ros.audio.error import GeometryError
from kame_ros.audio.geometry import Geometry
from kame_ros.audio.respeaker import Mounting

RING = "microphones: {1: [32.5, 0, 0], 2: [0, 32.5, 0], 4: [-32.5, 0, 0], 3: [0, -32.5, 0]}\n"
PAIR = "microphones: {1: [0, 50, 0], 2: [0, -50, 0]}\n"


def read(tmp_path: Path, text: str) -> Geometry | Mounting:
    path = tmp_path / "array.yaml"
    path.write_text(text)
    return load_array(path)


def test_a_ring_hears_all_around(tmp_path: Path) -> None:
    geometry = read(tmp_path, RING + "elevation_deg: [0, 45]\n")
    assert isinstance(geometry, Geometry)
    assert geometry.channels == (1, 2, 4, 3)
    assert geometry.positions_m[1] == (0.0, 0.0325, 0.0)
    assert geometry.azimuth_deg == (-180.0, 180.0)
    assert geometry.elevation_deg == (0.0, 45.0)


def test_without_a_range_people_are_level_and_anywhere(tmp_path: Path) -> None:
    geometry = read(tmp_path, RING)
    assert isinstance(geometry, Geometry)
    assert geometry.elevation_deg == (0.0, 0.0)


def test_a_respeaker_tells_the_direction_itself(tmp_path: Path) -> None:
    assert read(tmp_path, "respeaker: {zero_deg: 90, clockwise: true}") == Mounting(90.0, clockwise=True)
    assert read(tmp_path, "respeaker: {}") == Mounting()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "holds None, not keys and values; its keys are microphones, azimuth_deg, elevation_deg"),
        ("- 1", "holds [1], not keys and values; its keys are microphones, azimuth_deg, elevation_deg"),
        ("mics: {}", "has the unknown key 'mics'; its keys are microphones, azimuth_deg, elevation_deg"),
        ("microphones: {1: [1, 2, 3], 1: [4, 5, 6]}", "1 is given twice"),
        ("microphones: 4", "microphones = 4: must be channels and places, such as 1: [32.5, 0, 0]"),
        ("microphones: {0: [1, 2, 3]}", "microphones: 0 is not a channel; they are counted from 1"),
        ("microphones: {1: [1, 2]}", "microphones, 1 = [1, 2]: must be a list of 3 numbers"),
        ("microphones: {1: [1, 2, .nan]}", "microphones, 1 = [1, 2, nan]: must be a list of 3 numbers"),
        ("microphones: {1: [1, 2, 3]}", "microphones: 1 given; a direction takes two or more"),
        (
            "microphones: {1: [0, 0, 0], 2: [0, 1, 0]}",
            "microphones 1 and 2 are 1 mm apart; it must be 5 to 1000 mm",
        ),
        (
            "microphones: {1: [0, 0, 0], 2: [0, 65, 65000]}",
            "microphones 1 and 2 are 65000 mm apart; it must be 5 to 1000 mm",
        ),
        (PAIR, "microphones in a line cannot tell azimuth -180, elevation 0 from azimuth 0, elevation 0; "
         "give azimuth_deg or elevation_deg a range with only one of the two"),
        (
            PAIR + "azimuth_deg: [-90, 90]\nelevation_deg: [0, 30]",
            "elevation_deg = [0.0, 30.0]: microphones in a line cannot tell the elevation; "
            "give one twice, such as [0, 0]",
        ),
        (
            "microphones: {1: [0, 0, 0], 2: [0, 0, 65]}",
            "microphones are in a line that stands; such an array cannot tell the azimuth",
        ),
        (
            RING + "elevation_deg: [30, -30]",
            "elevation_deg = [30.0, -30.0]: must be two angles from -90 to 90, the smaller first",
        ),
        (
            RING + "azimuth_deg: [0, 400]",
            "azimuth_deg = [0.0, 400.0]: must be two angles from -180 to 360, the smaller first, 360 apart at most",
        ),
        ("respeaker: {}\nmicrophones: {}", "has the unknown key 'microphones'; its keys are respeaker"),
        ("respeaker:", "respeaker holds None, not keys and values; its keys are zero_deg, clockwise"),
        ("respeaker: {angle: 1}", "respeaker has the unknown key 'angle'; its keys are zero_deg, clockwise"),
        ("respeaker: {zero_deg: north}", "respeaker, zero_deg = 'north': must be a number of degrees"),
        ("respeaker: {clockwise: 1}", "respeaker, clockwise = 1: must be true or false"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(GeometryError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == f"array = {str(tmp_path / 'array.yaml')!r}: {line}"


@pytest.mark.parametrize(
    "content", [None, b"\xff\xfe\x00", b"a: [", b"a: 2026-99-99", b"!!map [1]", b"!!bool maybe", b"!!timestamp now"]
)
def test_a_file_that_cannot_be_read_names_the_parameter(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "array.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(GeometryError) as caught:
        load_array(path)
    assert str(caught.value).startswith(f"array = {str(path)!r}: ")
    assert "\n" not in str(caught.value)


def test_a_home_that_is_unknown_is_one_line() -> None:
    with pytest.raises(GeometryError, match=r"^array = '~nobody-has-this-name/ring.yaml': Could not determine home"):
        load_array(Path("~nobody-has-this-name/ring.yaml"))


def test_a_number_that_is_too_large_for_any_array_is_one_line(tmp_path: Path) -> None:
    for text in (f"microphones: {{1: [{'9' * 400}, 0, 0]}}", f"respeaker: {{zero_deg: {'9' * 400}}}"):
        with pytest.raises(GeometryError, match=r"must be a (list of 3 numbers|number of degrees)$"):
            read(tmp_path, text)


def test_the_bundled_array_is_a_ring_of_65_mm(root: Path) -> None:
    geometry = load_array(root / "config" / "array_ring.yaml")
    assert isinstance(geometry, Geometry)
    assert geometry.channels == (2, 3, 4, 5)
    assert math.dist(geometry.positions_m[0], geometry.positions_m[2]) == pytest.approx(0.065)


def test_the_bundled_respeaker_tells_the_direction_itself(root: Path) -> None:
    assert isinstance(load_array(root / "config" / "array_respeaker.yaml"), Mounting)
