"""Another node that knows a text-to-speech server: asks it to speak, and writes feedback and result as lines of JSON.

``python asker.py TEXT [CANCEL_AFTER_WORDS]``
"""

from __future__ import annotations

import json
import sys
from typing import Any

import rclpy
from rclpy.action import ActionClient
from tts_msgs.action import TTS


def write(**told: Any) -> None:
    """Write a line."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    words: list[str] = []

    def take(feedback: Any) -> None:
        """Take a word."""
        words.append(feedback.feedback.word)
        write(word=words[-1])

    rclpy.init()
    node = rclpy.create_node("asker")
    client = ActionClient(node, TTS, "/tts_engine/tts")
    client.wait_for_server(timeout_sec=40.0)
    sent = client.send_goal_async(TTS.Goal(input=sys.argv[1]), feedback_callback=take)
    rclpy.spin_until_future_complete(node, sent, timeout_sec=20.0)
    result = sent.result().get_result_async()
    if len(sys.argv) > 2:
        while len(words) < int(sys.argv[2]):
            rclpy.spin_once(node, timeout_sec=0.1)
        sent.result().cancel_goal_async()
    rclpy.spin_until_future_complete(node, result, timeout_sec=60.0)
    for _ in range(20):  # feedback has a topic of its own, and may come after the result
        rclpy.spin_once(node, timeout_sec=0.05)
    write(status=result.result().status, error_msg=result.result().result.error_msg)
    rclpy.try_shutdown()
