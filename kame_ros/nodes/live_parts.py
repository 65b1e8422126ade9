"""Loads backend and recogniser of ``oracle_bridge`` anew, beside the talk, when what they are made of changes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from kame_ros.nodes.base import KameNode, Level, NodeError, Part
from kame_ros.nodes.oracle_parts import OracleParts
from kame_ros.nodes.parameter import Value
from kame_ros.oracle.bridge import Bridge
from kame_ros.oracle.intents.catalogue import Catalogue

# What follows at once, without a new part.
_FOLLOWS = frozenset(
    {
        "ask_interval_s",
        "apology",
        "longest_turn_s",
        "partial_interval_s",
        "pause_prediction",
        "pause_s",
        "shortest_turn_s",
        "transcript_topic",
    }
)
_KEY_FILES = frozenset({"gemini_key_file", "openai_key_file"})


class LiveParts:
    """Keeps the parts of ``bridge`` those that the node's parameters ask for; no turn is lost."""

    def __init__(self, node: KameNode, parts: OracleParts, bridge: Bridge, catalogue: Catalogue) -> None:
        """Take the parts that ``bridge`` has for those that the parameters ask for now."""
        self._node = node
        self._parts = parts
        self._bridge = bridge
        self._catalogue = catalogue
        self._made_of = dict(node.values)
        self._loader = ThreadPoolExecutor(1, thread_name_prefix="loader")  # busy while `_loading`
        self._loading = threading.Event()

    def look(self) -> None:
        """Have loaded what the parameters ask for now; while something loads, the newest value waits for its end."""
        if self._loading.is_set():
            return
        wanted = dict(self._node.values)
        changed = {name for name in wanted if wanted[name] != self._made_of[name]} - _FOLLOWS
        if changed:
            self._made_of = wanted
            self._loading.set()
            self._loader.submit(self._load, wanted, changed)

    def close(self) -> None:
        """Wait for the part that is being loaded, and load nothing more."""
        self._loader.shutdown(cancel_futures=True)

    def _load(self, wanted: Mapping[str, Value], changed: set[str]) -> None:
        """Put other parts in place; on the loader's thread."""
        try:
            if any(map(_of_transcriber, changed)):
                self._bridge.set_transcriber(self._parts.load_transcriber(str(wanted["locale"])))
            if not all(map(_of_transcriber_only, changed)):
                self._bridge.set_backend(self._parts.load_backend(str(wanted["backend"]), self._catalogue))
                self._node.get_logger().info(f"backend = {wanted['backend']}")
        except NodeError as error:
            line = f"{error}; the backend before goes on"
            self._parts.backend = Part("backend", Level.WARN, line)
            self._node.warn(line)
        except Exception as fault:  # the thread must outlive whatever a library brings
            self._node.report_fault("loading", fault)
        finally:
            self._loading.clear()


def _of_transcriber(name: str) -> bool:
    return _of_transcriber_only(name) or name in _KEY_FILES


def _of_transcriber_only(name: str) -> bool:
    return name.startswith("transcriber") or name == "locale"
