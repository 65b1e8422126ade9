"""Plain numbers of what an oracle bridge has counted."""

from __future__ import annotations

from std_msgs.msg import Header

from kame_ros.msg import OracleBridgeStats
from kame_ros.nodes.stats import count, number
from kame_ros.oracle.bridge import BridgeCounts
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ


def oracle_stats(
    counts: BridgeCounts, frame_samples: int, missing_samples: int, header: Header, session: int
) -> OracleBridgeStats:
    """Write oracle_bridge/stats; a frame of the microphone has ``frame_samples``."""
    asking = counts.asking
    lost_samples = missing_samples + counts.dropped_frames * frame_samples
    return OracleBridgeStats(
        header=header,
        session=session,
        backlog_s=counts.waiting_frames * frame_samples / SAMPLE_RATE_HZ,
        transcript_latency_s=number(counts.listening, "speech_to_final_last_s"),
        answer_latency_s=number(asking, "final_to_first_text_last_s"),
        first_token_s=number(asking, "request_to_first_token_last_s"),
        complete_s=number(asking, "request_to_complete_last_s"),
        turns=count(asking, "turns"),
        requests=count(asking, "calls"),
        failed_requests=sum(count(asking, name) for name in asking if name.startswith("failed_")),
        missing_s=lost_samples / SAMPLE_RATE_HZ,
    )
