"""Our intents for planners that follow ``/intents``."""

from __future__ import annotations

from kame_ros.bridges.bridge import Bridge, find
from kame_ros.msg import Intent
from kame_ros.nodes import qos
from kame_ros.nodes.base import KameNode

_FIELDS = ("intent", "data", "source", "modality", "priority", "confidence")
# As hri_actions_msgs writes them.
_RAW = "RAW_USER_INPUT"
_UNKNOWN_AGENT = "__unknown_agent__"
_MODALITIES = {"speech": "__modality_speech__"}
_OTHER_MODALITY = "__modality_other__"


class IntentsBridge(Bridge):
    """Publishes each `Intent` as `hri_actions_msgs/Intent` too."""

    def __init__(self, node: KameNode) -> None:
        """Find the type, or raise `NodeError`."""
        super().__init__(node)
        self._kind = find("intents", "hri_actions_msgs", ("Intent", _FIELDS))
        self._intents = self.publisher(self._kind, "/intents", qos.TEXT)
        self.subscribe(Intent, "intent", self._take, qos.TEXT)

    def _take(self, intent: Intent) -> None:
        self._intents.publish(
            self._kind(
                intent=name(intent.intent),
                data=intent.data or "{}",
                source=intent.source or _UNKNOWN_AGENT,
                modality=_MODALITIES.get(intent.modality, _OTHER_MODALITY),
                priority=intent.priority,
                confidence=max(0.0, float(intent.confidence)),  # there is no unknown there
            )
        )
        self.passed += 1


def name(intent: str) -> str:
    """Return an intent's name as hri_actions_msgs writes it, such as __intent_move_to__ for MOVE_TO."""
    if intent.startswith("__"):
        return intent
    return f"__{intent.lower()}__" if intent == _RAW else f"__intent_{intent.lower()}__"
