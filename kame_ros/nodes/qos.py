"""The quality of service of each kind of topic, as the table in docs/architecture.md gives it."""

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy


def _reliable(depth: int, durability: DurabilityPolicy = DurabilityPolicy.VOLATILE) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=depth, reliability=ReliabilityPolicy.RELIABLE, durability=durability
    )


# 50 frames of 20 ms are one second: a recogniser may hold its process for 0.35 s, and a depth of 10 lost frames then.
AUDIO = _reliable(50)
# Of others: best effort hears also those who promise no more.
ANY_AUDIO = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=50, reliability=ReliabilityPolicy.BEST_EFFORT)
# An onset and an end lie closer together than a busy subscriber's longest pause.
EVENT = _reliable(50)
TEXT = _reliable(20)
INTERRUPT = _reliable(1)
STATS = _reliable(10)
# Latched: a subscriber that comes late learns the newest state.
STATE = _reliable(1, DurabilityPolicy.TRANSIENT_LOCAL)
