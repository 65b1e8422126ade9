"""One robot's dialogue, for a node of somebody else."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from kame_ros.client.ends import End, Ending, Ends
from kame_ros.client.reply import ClientError, RefusedError, Reply
from kame_ros.client.stream import Stream
from kame_ros.msg import DialogueState, Intent, Interrupt, OracleText, RobotText, Transcript
from kame_ros.nodes import qos
from kame_ros.nodes.calls import Calls, NoAnswerError
from kame_ros.srv import Ask, Say

T = TypeVar("T")
Take = Callable[[Any], None]
_CALL_S = 5.0
_END_S = 120.0
_LOOK_S = 0.1
_TOPICS = {
    Transcript: ("user/transcript", qos.TEXT),
    OracleText: ("oracle/text", qos.TEXT),
    RobotText: ("robot/text", qos.TEXT),
    Intent: ("intent", qos.TEXT),
    Interrupt: ("speaker/interrupt", qos.INTERRUPT),
    DialogueState: ("dialogue/state", qos.STATE),
}


class _Wait(NamedTuple):
    session: int
    turn: int
    generation: int
    deadline_s: float
    reply: Reply[End]


class Client:
    """Follows what is said and asked for, speaks, and waits, as part of ``node``, which somebody must spin.

    Every method may be called on any thread, and none of them waits: see `Reply`. Functions that follow something are
    called on the thread that spins the node, with messages of the session that runs; one that raises is treated as any
    callback of a node.
    """

    def __init__(self, node: Node, robot: str = "") -> None:
        """Take part in the dialogue of ``robot``, its namespace; empty: the namespace of ``node``."""
        self._node = node
        self._prefix = f"{robot.rstrip('/')}/" if robot else ""
        self._ends = Ends()
        self._followers: dict[type, list[Take]] = {kind: [] for kind in _TOPICS}
        self._calls = Calls(node)
        self._replies: set[Reply[Any]] = set()
        self._new_waits: SimpleQueue[_Wait] = SimpleQueue()
        self._waits: list[_Wait] = []
        self._closed = False
        self._wake = node.create_guard_condition(self._look)
        self._timer = node.create_timer(_LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._subscriptions = [
            node.create_subscription(kind, self._prefix + topic, partial(self._take, kind), profile)
            for kind, (topic, profile) in _TOPICS.items()
        ]

    @property
    def session(self) -> int:
        """The session that runs; 0: none, or not known yet."""
        return self._ends.session

    @property
    def closed(self) -> bool:
        """Whether it takes part no more."""
        return self._closed

    # What happens

    def follow_transcripts(self, take: Callable[[Transcript], None]) -> Callable[[], None]:
        """Call ``take`` with each message of user/transcript; what is returned ends it."""
        return self._follow(Transcript, take)

    def follow_robot_text(self, take: Callable[[RobotText], None]) -> Callable[[], None]:
        """Call ``take`` with each message of robot/text; what is returned ends it."""
        return self._follow(RobotText, take)

    def follow_intents(self, take: Callable[[Intent], None]) -> Callable[[], None]:
        """Call ``take`` with each message of intent; what is returned ends it."""
        return self._follow(Intent, take)

    def transcripts(self) -> Stream:
        """Return the messages of user/transcript from now on, for asyncio."""
        return Stream(self.follow_transcripts)

    def robot_text(self) -> Stream:
        """Return the messages of robot/text from now on, for asyncio."""
        return Stream(self.follow_robot_text)

    def intents(self) -> Stream:
        """Return the messages of intent from now on, for asyncio."""
        return Stream(self.follow_intents)

    # What to do

    def say(self, text: str, *, when_quiet: bool = True, timeout_s: float = _CALL_S) -> Reply[int]:
        """Have the robot speak ``text``, when nobody holds the floor or at once; gives its generation."""
        when = Say.Request.WHEN_QUIET if when_quiet else Say.Request.NOW
        return self._call(Say, "say", Say.Request(text=text, when=when), timeout_s, _generation)

    def ask(self, text: str, *, timeout_s: float = _CALL_S) -> Reply[int]:
        """Type ``text`` as the user, in place of speaking it; gives its turn."""
        return self._call(Ask, "ask", Ask.Request(text=text), timeout_s, _turn)

    def interrupt(self, *, timeout_s: float = _CALL_S) -> Reply[None]:
        """Drop what the robot is saying; refused when it says nothing."""
        return self._call(Trigger, "interrupt", Trigger.Request(), timeout_s, _done)

    def mute(self, muted: bool, *, timeout_s: float = _CALL_S) -> Reply[None]:
        """Close or open the robot's ears."""
        return self._call(SetBool, "mute", SetBool.Request(data=muted), timeout_s, _done)

    # The end of it

    def end_of_turn(self, turn: int, *, timeout_s: float = _END_S) -> Reply[End]:
        """Wait until the user's turn ``turn`` is over: its answer heard, interrupted, or none to come.

        ``turn`` is that of a transcript, an intent, or `ask`. Nothing is known of the turns that a ``moshi`` answers.
        """
        return self._wait(f"the end of turn {turn}", timeout_s, turn=turn)

    def end_of_speech(self, generation: int, *, timeout_s: float = _END_S) -> Reply[End]:
        """Wait until the speech ``generation``, that of `say` or of a robot text, has been heard or was interrupted."""
        return self._wait(f"the end of speech {generation}", timeout_s, generation=generation)

    def close(self) -> None:
        """Take part no more: what is waited for fails. On the thread that spins the node, or when nobody does."""
        if self._closed:
            return
        self._closed = True
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._node.destroy_timer(self._timer)
        self._node.destroy_guard_condition(self._wake)
        self._calls.close()
        for reply in list(self._replies):
            reply.settle(partial(_fail, ClientError(f"{reply.about}: the client was closed")))

    def _follow(self, kind: type, take: Take) -> Callable[[], None]:
        followers = self._followers[kind]
        followers.append(take)

        def unfollow() -> None:
            if take in followers:
                followers.remove(take)

        return unfollow

    def _take(self, kind: type, message: Any) -> None:
        if self._ends.take(message):
            self._look()
            for take in list(self._followers[kind]):
                take(message)

    def _call(self, kind: Any, name: str, request: Any, timeout_s: float, read: Callable[[Any], T]) -> Reply[T]:
        reply: Reply[T] = self._reply(f"service {name}", timeout_s)
        if not self._closed:
            call = self._calls.call(kind, self._prefix + name, request, timeout_s)
            call.add_done_callback(lambda answer: reply.settle(lambda: read(answer.result())))
        return reply

    def _wait(self, about: str, timeout_s: float, turn: int = 0, generation: int = 0) -> Reply[End]:
        reply: Reply[End] = self._reply(about, timeout_s)
        if not self._closed:
            self._new_waits.put(_Wait(self.session, turn, generation, time.monotonic() + timeout_s, reply))
            self._wake.trigger()
        return reply

    def _reply(self, about: str, timeout_s: float) -> Reply[Any]:
        reply: Reply[Any] = Reply(f"{self._prefix}{about}", timeout_s)
        if self._closed:
            reply.settle(partial(_fail, ClientError(f"{reply.about}: the client is closed")))
        else:
            self._replies.add(reply)
            reply.add_done_callback(self._replies.discard)
        return reply

    def _look(self) -> None:
        """See which ends have come; on the thread that spins the node."""
        waits, self._waits = self._waits, []
        while not self._new_waits.empty():
            waits.append(self._new_waits.get())
        for wait in waits:
            end, reply = self._end(wait), wait.reply
            if end is not None:
                reply.settle(partial(_give, end))
            elif time.monotonic() >= wait.deadline_s:
                reply.settle(partial(_fail, NoAnswerError(f"{reply.about}: not within {reply.timeout_s:g} s")))
            elif not reply.cancelled():
                self._waits.append(wait._replace(session=wait.session or self.session))
        if self._waits:
            self._timer.reset()
        else:
            self._timer.cancel()  # a client that waits for nothing costs nothing

    def _end(self, wait: _Wait) -> End | None:
        if wait.session not in (0, self.session):
            return End(Ending.SESSION_ENDED, wait.turn, wait.generation, "")
        return self._ends.of_turn(wait.turn) if wait.turn else self._ends.of_speech(wait.generation)


def _give(value: T) -> T:
    return value


def _fail(error: Exception) -> Any:
    raise error


def _generation(response: Say.Response) -> int:
    if not response.accepted:
        raise RefusedError(response.reason)
    return int(response.generation)


def _turn(response: Ask.Response) -> int:
    if not response.accepted:
        raise RefusedError(response.reason)
    return int(response.turn)


def _done(response: Any) -> None:
    if not response.success:
        raise RefusedError(response.message)
