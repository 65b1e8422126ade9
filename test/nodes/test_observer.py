from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kame_ros.frontend.dialogue import Phase
from kame_ros.frontend.inputs import OracleStatus, TurnStatus
from kame_ros.frontend.outputs import SaidStatus
from kame_ros.nodes.events import (
    Answered,
    Diagnosed,
    DialogueChanged,
    Event,
    LifecycleChanged,
    Place,
    Sounded,
    SpeakerChanged,
    Spoke,
    Transcribed,
    Wanted,
)

pytestmark = pytest.mark.ros


@pytest.fixture
def observe() -> Iterator[Callable[..., tuple[object, list[Event]]]]:
    """Give a function that starts an observer and returns it with the list that its events go to."""
    from kame_ros.nodes.observer import Observer

    observers = []

    def start(**arguments: object) -> tuple[object, list[Event]]:
        events: list[Event] = []
        observers.append(Observer(events.append, **arguments))
        return observers[-1], events

    yield start
    for observer in observers:
        observer.close()
        observer.close()


def test_every_message_arrives_as_the_event_it_is(ros, observe) -> None:
    from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

    from kame_ros import msg
    from kame_ros.nodes import qos

    _, events = observe(namespace="/r1", lifecycle=False)
    sent = [
        ("r1/user/transcript", qos.TEXT, msg.Transcript(session=3, turn=1, revision=2, status=1, text="hi", stream=4)),
        ("r1/oracle/text", qos.TEXT, msg.OracleText(session=3, turn=1, status=1, text="yes", latency_s=-1.0)),
        ("r1/robot/text", qos.TEXT, msg.RobotText(session=3, turn=1, generation=2, status=2, heard_length=1)),
        ("r1/intent", qos.TEXT, msg.Intent(session=3, turn=1, intent="GREET", data="{}")),
        ("r1/dialogue/state", qos.STATE, msg.DialogueState(session=3, phase=1, frontend="cascade")),
        ("r1/speaker/state", qos.STATE, msg.SpeakerState(session=3, generation=2, playing=True)),
        ("r1/mic/audio", qos.AUDIO, msg.AudioFrame(stream=4, steady_ns=9, samples=array("h", [1, -2]))),
        ("r1/speaker/played", qos.AUDIO, msg.AudioFrame(stream=4, generation=2, samples=array("h", [3]))),
    ]
    publishers = [(ros.node.create_publisher(type(message), topic, how), message) for topic, how, message in sent]
    diagnostics = ros.node.create_publisher(DiagnosticArray, "/diagnostics", qos.TEXT)
    assert ros.wait_until(lambda: all(one.get_subscription_count() for one, _ in publishers))
    assert ros.wait_until(diagnostics.get_subscription_count)
    before_ns = time.monotonic_ns()
    for publisher, message in publishers:
        publisher.publish(message)
    for name in ("r1/frontend: voice", "r1/frontend: voice", "r2/frontend: voice", "r1/arm: motor"):
        status = DiagnosticStatus(level=DiagnosticStatus.WARN, name=name, message="flite")
        diagnostics.publish(DiagnosticArray(status=[status]))
    assert ros.wait_until(lambda: len(events) >= 9)
    assert not ros.wait_until(lambda: len(events) > 9, 0.3)
    assert all(before_ns <= event.at_ns <= time.monotonic_ns() for event in events)
    told = {type(event): event for event in events if not isinstance(event, Sounded)}
    assert (told[Transcribed].session, told[Transcribed].status) == (3, TurnStatus.FINAL)
    assert (told[Answered].status, told[Answered].latency_s) == (OracleStatus.COMPLETE, None)
    assert (told[Spoke].status, told[Spoke].generation) == (SaidStatus.INTERRUPTED, 2)
    assert (told[Wanted].intent, told[DialogueChanged].phase, told[SpeakerChanged].playing) == (
        "GREET",
        Phase.READY,
        True,
    )
    assert (told[Diagnosed].node, told[Diagnosed].part, told[Diagnosed].level) == ("frontend", "voice", 1)
    heard, played = sorted((event for event in events if isinstance(event, Sounded)), key=lambda event: event.place)
    assert (heard.place, heard.steady_ns, heard.samples.tolist()) == (Place.MICROPHONE, 9, [1, -2])
    assert (played.place, played.steady_ns, played.generation) == (Place.LOUDSPEAKER, None, 2)
    assert heard.samples.dtype == np.int16


def test_a_status_it_does_not_know_ends_nothing(ros, observe) -> None:
    from kame_ros import msg
    from kame_ros.nodes import qos

    _, events = observe(sound=False, lifecycle=False)
    publisher = ros.node.create_publisher(msg.Transcript, "user/transcript", qos.TEXT)
    assert ros.wait_until(publisher.get_subscription_count)
    for status in (99, 0):
        publisher.publish(msg.Transcript(turn=1, status=status))
    assert ros.wait_until(lambda: events)
    assert [event.status for event in events] == [TurnStatus.PARTIAL]


def test_a_question_is_typed_and_answered(ros, observe) -> None:
    from kame_ros.srv import Ask, Say

    def take(request: Ask.Request, response: Ask.Response) -> Ask.Response:
        response.accepted, response.turn = request.text == "where", 7
        return response

    def speak(request: Say.Request, response: Say.Response) -> Say.Response:
        response.accepted, response.generation = request.when == Say.Request.WHEN_QUIET, 3
        return response

    ros.node.create_service(Ask, "ask", take)
    ros.node.create_service(Say, "say", speak)
    observer, _ = observe(sound=False, lifecycle=False)
    asked, said = observer.ask("where", 10.0), observer.say("hello", 10.0, when_quiet=True)
    assert ros.wait_until(lambda: asked.done() and said.done())
    assert (asked.result().accepted, asked.result().turn) == (True, 7)
    assert (said.result().accepted, said.result().generation) == (True, 3)


def test_a_service_that_is_not_there_or_does_not_answer_fails_in_time(ros, observe) -> None:
    from kame_ros.nodes.calls import NoAnswerError
    from kame_ros.srv import Say

    observer, _ = observe(sound=False, lifecycle=False)
    with pytest.raises(NoAnswerError, match="service ask is not there"):
        observer.ask("where", 0.3).result(timeout=10)
    ros.node.create_service(Say, "say", lambda request, response: response)  # its node is not spun
    with pytest.raises(NoAnswerError, match="service say did not answer"):
        observer.say("hello", 3.0).result(timeout=10)


def test_a_node_is_known_to_be_active_and_asked_again_when_it_was_forgotten(ros, observe) -> None:
    from lifecycle_msgs.srv import GetState

    states = iter(["inactive", "active", "active"])

    def tell(_request: GetState.Request, response: GetState.Response) -> GetState.Response:
        response.current_state.label = next(states)
        return response

    ros.node.create_service(GetState, "speaker/get_state", tell)
    observer, events = observe(sound=False)
    assert ros.wait_until(lambda: len(events) >= 2)
    observer.forget("speaker")
    assert ros.wait_until(lambda: len(events) >= 3)
    assert not ros.wait_until(lambda: len(events) > 3, 0.6)
    assert [(event.node, event.state) for event in events if isinstance(event, LifecycleChanged)] == [
        ("speaker", "inactive"),
        ("speaker", "active"),
        ("speaker", "active"),
    ]
