"""Lets nodes that know a text-to-speech server make our robot speak."""

from __future__ import annotations

import importlib
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from kame_ros.bridges.bridge import Bridge
from kame_ros.client import Client, Ending, Reply
from kame_ros.msg import RobotText
from kame_ros.nodes.base import KameNode, NodeError

SERVER = "/tts_engine/tts"
_SPEECH_S = 120.0
_LAST_WORDS_S = 0.2


class TtsBridge(Bridge):
    """Serves `tts_msgs/action/TTS`: speaks the goal's input when it is quiet, and succeeds when it has been heard.

    Feedback is each word as it is heard; a goal that is cancelled interrupts the robot. Locale and voice of a goal are
    those of the frontend, whatever it asks for.
    """

    def __init__(self, node: KameNode) -> None:
        """Find the type and offer the server, or raise `NodeError`."""
        super().__init__(node)
        try:
            self._kind = importlib.import_module("tts_msgs.action").TTS
        except (ImportError, AttributeError) as error:
            raise NodeError("bridges = tts: tts_msgs is not installed here; source its workspace") from error
        self._client = Client(node)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._server = ActionServer(node, self._kind, SERVER, self._speak, cancel_callback=self._cancel)

    def close(self) -> None:
        """Take the server down; again does nothing."""
        if not self._client.closed:
            self._client.close()
            self._server.destroy()
        super().close()

    async def _speak(self, goal: Any) -> Any:
        result = self._kind.Result()
        words = _Words(goal, self._kind)
        unfollow = self._client.follow_robot_text(words.take)
        try:
            words.generation = await _done(self._client.say(goal.request.input))
            end = await _done(self._client.end_of_speech(words.generation, timeout_s=_SPEECH_S))
        except Exception as error:  # whatever hindered it is the goal's result
            result.error_msg = str(error)
            goal.abort()
            return result
        finally:
            unfollow()
        self.passed += 1
        await self._pause()
        if end.ending is Ending.HEARD:
            goal.succeed()
        elif goal.is_cancel_requested:
            goal.canceled()
        else:
            result.error_msg = f"interrupted after: {end.heard}" if end.heard else "interrupted before it was heard"
            goal.abort()
        return result

    async def _pause(self) -> None:
        """Let the last words reach the client, which hears no feedback once it has the result."""
        future: Future[Any] = Future()
        timer = self.node.create_timer(_LAST_WORDS_S, lambda: future.set_result(None), clock=self._steady)
        await future
        self.node.destroy_timer(timer)

    def _cancel(self, _goal: Any) -> CancelResponse:
        self._client.interrupt()
        return CancelResponse.ACCEPT


class _Words:
    """Tells a goal each word of its speech as it is heard."""

    def __init__(self, goal: Any, kind: Any) -> None:
        self.generation = 0
        self._goal, self._kind, self._told = goal, kind, 0

    def take(self, text: RobotText) -> None:
        if text.generation != self.generation:
            return
        words = text.text[: text.heard_length].split()
        for word in words[self._told :]:
            self._goal.publish_feedback(self._kind.Feedback(word=word))
        self._told = max(self._told, len(words))


async def _done(reply: Reply[Any]) -> Any:
    """Wait for ``reply`` as a task of rclpy's executor."""
    future: Future[Any] = Future()
    reply.add_done_callback(lambda _: future.set_result(None))
    await future
    return reply.result(0.0)
