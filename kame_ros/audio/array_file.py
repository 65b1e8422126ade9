"""What a file says about an array of microphones."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from kame_ros.audio.error import GeometryError
from kame_ros.audio.geometry import EVERYWHERE, LEVEL, Geometry
from kame_ros.audio.respeaker import Mounting

_GEOMETRY_KEYS = ("microphones", "azimuth_deg", "elevation_deg")
_MOUNTING_KEYS = ("zero_deg", "clockwise")
_LARGEST = 1e6  # no angle in degrees and no place in mm is further


class _Loader(yaml.SafeLoader):
    """Refuses a key given twice, where YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()  # its parent refuses what is tagged as one
        keys = [key.value for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                raise GeometryError(f"{key} is given twice")
        return super().construct_mapping(node, deep)


def load_array(path: Path) -> Geometry | Mounting:
    """Return what the YAML file ``path``, the value of the parameter ``array``, describes.

    It is where the microphones are, or how a ReSpeaker is mounted that tells the direction itself.

    Raises:
        GeometryError: the file cannot be read, or what it says cannot be worked with; one line.
    """
    try:
        text = path.expanduser().read_text(encoding="utf-8")
        return _read(yaml.load(text, Loader=_Loader))  # noqa: S506 - derived from SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise GeometryError(f"array = {str(path)!r}: {reason}; give the parameter a YAML file") from error
    except (yaml.YAMLError, ValueError, AttributeError, LookupError, RecursionError) as error:
        # Of the Python errors PyYAML lets out one for each kind of impossible value: of a date, a time, a bool.
        raise GeometryError(f"array = {str(path)!r}: not YAML: {' '.join(str(error).split())}") from error
    except RuntimeError as error:
        why = str(error).rstrip(".")
        raise GeometryError(f"array = {str(path)!r}: {why}; give the parameter a YAML file") from error
    except GeometryError as error:
        raise GeometryError(f"array = {str(path)!r}: {error}") from error


def _read(document: Any) -> Geometry | Mounting:
    if isinstance(document, dict) and "respeaker" in document:
        _check_keys("", document, ("respeaker",))
        return _mounting(document["respeaker"])
    _check_keys("", document, _GEOMETRY_KEYS)
    microphones = document.get("microphones")
    if not isinstance(microphones, dict) or not microphones:
        raise GeometryError(f"microphones = {microphones!r}: must be channels and places, such as 1: [32.5, 0, 0]")
    for channel in microphones:
        if isinstance(channel, bool) or not isinstance(channel, int) or channel < 1:
            raise GeometryError(f"microphones: {channel!r} is not a channel; they are counted from 1")
    places = []
    for channel, place in microphones.items():
        x_mm, y_mm, z_mm = _numbers(f"microphones, {channel}", place, 3)
        places.append((x_mm / 1000.0, y_mm / 1000.0, z_mm / 1000.0))
    from_deg, to_deg = _numbers("azimuth_deg", document.get("azimuth_deg", EVERYWHERE), 2)
    lowest_deg, highest_deg = _numbers("elevation_deg", document.get("elevation_deg", LEVEL), 2)
    return Geometry(tuple(microphones), tuple(places), (from_deg, to_deg), (lowest_deg, highest_deg))


def _mounting(document: Any) -> Mounting:
    _check_keys("respeaker ", document, _MOUNTING_KEYS)
    zero_deg, clockwise = document.get("zero_deg", 0.0), document.get("clockwise", False)
    if not _is_number(zero_deg):
        raise GeometryError(f"respeaker, zero_deg = {zero_deg!r}: must be a number of degrees")
    if not isinstance(clockwise, bool):
        raise GeometryError(f"respeaker, clockwise = {clockwise!r}: must be true or false")
    return Mounting(float(zero_deg), clockwise)


def _check_keys(place: str, document: Any, known: tuple[str, ...]) -> None:
    if not isinstance(document, dict):
        raise GeometryError(f"{place}holds {document!r}, not keys and values; its keys are {', '.join(known)}")
    for key in document:
        if key not in known:
            raise GeometryError(f"{place}has the unknown key {key!r}; its keys are {', '.join(known)}")


def _numbers(place: str, value: Any, count: int) -> list[float]:
    numbers = value if isinstance(value, (list, tuple)) else []
    if len(numbers) != count or not all(_is_number(number) for number in numbers):
        raise GeometryError(f"{place} = {value!r}: must be a list of {count} numbers")
    return [float(number) for number in numbers]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST
