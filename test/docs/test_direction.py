"""The head on the page of directions, run as it stands there."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Float64MultiArray, Header

from kame_ros.nodes import qos
from kame_ros.nodes.direction_messages import gaze_goal

pytestmark = pytest.mark.ros


def test_the_head_of_the_page_turns_to_the_voice_and_bears_with_small_moves(ros: Any, root: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (root / "docs" / "direction.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {"__name__": "page"}
    exec(code, names)  # noqa: S102 - it is our own page
    head = names["Head"]()
    ros.executor.add_node(head)
    pans: list[Float64MultiArray] = ros.collect(Float64MultiArray, "neck_controller/commands", 1)
    goals = ros.node.create_publisher(PoseStamped, "user/gaze_goal", qos.EVENT)
    assert ros.wait_until(lambda: goals.get_subscription_count() and head.count_subscribers("neck_controller/commands"))
    for azimuths_deg in ((90.0,), (95.0, -45.0)):
        count = len(pans)
        for azimuth_deg in azimuths_deg:
            azimuth = math.radians(azimuth_deg)
            goals.publish(gaze_goal((math.cos(azimuth), math.sin(azimuth), 0.0), Header(frame_id="mic_link")))
        assert ros.wait_until(lambda count=count: len(pans) > count)
    assert [math.degrees(pan.data[0]) for pan in pans] == pytest.approx([90.0, -45.0])
    ros.executor.remove_node(head)
    head.destroy_node()
