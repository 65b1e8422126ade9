from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.ros

Kame = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def robot(ros: Any) -> Callable[..., None]:
    """Give a function that makes this process a robot in the namespace r1, with texts to say, each with a status."""
    from kame_ros.msg import RobotText
    from kame_ros.nodes import qos
    from kame_ros.srv import Ask

    publisher = ros.node.create_publisher(RobotText, "r1/robot/text", qos.TEXT)

    def answer(texts: list[tuple[str, int]], *, newer: bool = False) -> None:
        def take(request: Ask.Request, response: Ask.Response) -> Ask.Response:
            response.accepted = request.text == "where is the exit"
            response.turn, response.reason = 4, "" if response.accepted else "the node is not active"
            said = [RobotText(turn=3, text="Something else.", status=1)]
            said += [RobotText(turn=4, text=text, status=status) for text, status in texts]
            said += [RobotText(turn=5, text="Something newer.", status=0)] if newer else []
            # Told after the answer to the call, as by real nodes.
            timer = ros.node.create_timer(0.3, lambda: (timer.cancel(), [publisher.publish(one) for one in said]))
            return response

        ros.node.create_service(Ask, "r1/ask", take)

    return answer


def finished(ros: Any, process: subprocess.Popen[str]) -> tuple[int, str]:
    assert ros.wait_until(lambda: process.poll() is not None, 30.0)
    output = process.communicate()[0]
    assert "Traceback" not in output
    return process.returncode, output


def test_the_answer_is_printed_as_it_grows(ros: Any, robot: Any, kame: Kame) -> None:
    robot([("Down", 0), ("Down the stairs.", 0), ("Down the stairs.", 1)])
    assert finished(ros, kame("ask", "where is the exit", "namespace:=r1")) == (0, "Down the stairs.\n")


def test_words_need_no_quotes_and_an_interruption_is_said(ros: Any, robot: Any, kame: Kame) -> None:
    robot([("Down the", 2)])
    process = kame("ask", "where", "is", "namespace:=r1", "the", "exit")
    assert finished(ros, process) == (0, "Down the (interrupted)\n")


def test_a_question_that_is_not_taken_says_why(ros: Any, robot: Any, kame: Kame) -> None:
    robot([])
    code, output = finished(ros, kame("ask", "what", "namespace:=r1"))
    assert (code, output) == (1, "kame: the question was not taken: the node is not active\n")


def test_an_answer_that_does_not_come_is_given_up(ros: Any, robot: Any, kame: Kame) -> None:
    robot([])
    code, output = finished(ros, kame("ask", "where is the exit", "namespace:=r1", "limit_s:=1"))
    assert code == 1
    assert "not spoken to its end within limit_s = 1 s" in output


def test_an_answer_whose_place_a_newer_question_took_is_not_waited_for(ros: Any, robot: Any, kame: Kame) -> None:
    robot([], newer=True)
    code, output = finished(ros, kame("ask", "where is the exit", "namespace:=r1", "limit_s:=30"))
    assert (code, output) == (1, "kame: a newer question is answered in its place\n")


def test_without_nodes_one_line_says_where_it_looked(kame: Kame) -> None:
    process = kame("ask", "hello", "namespace:=nobody")
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert output.count("\n") == 1
    assert f"namespace /nobody, ROS_DOMAIN_ID {os.environ['ROS_DOMAIN_ID']}, discovery local" in output


def test_a_stop_while_it_waits_is_quiet(kame: Kame) -> None:
    process = kame("ask", "hello", "namespace:=nobody")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=10)
    assert (process.returncode, output) == (0, "")
