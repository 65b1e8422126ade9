"""The client in a node of its own, over DDS, beside a dialogue that the test plays."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
import rclpy
from std_srvs.srv import SetBool, Trigger

from kame_ros.client import Client, ClientError, End, Ending, NoAnswerError, RefusedError
from kame_ros.msg import DialogueState, Intent, RobotText, Transcript
from kame_ros.srv import Ask, Say

pytestmark = pytest.mark.ros


def heard(turn: int, generation: int = 1) -> RobotText:
    return RobotText(
        session=7, turn=turn, generation=generation, text="Yes.", heard_length=4, status=RobotText.COMPLETE
    )


def test_what_is_said_and_wanted_is_followed_until_it_no_longer_is(dialogue: Any, client: Client) -> None:
    came: list[Any] = []
    unfollow = client.follow_intents(came.append)
    client.follow_transcripts(came.append)
    client.follow_robot_text(came.append)
    assert dialogue.ros.wait_until(dialogue.found)
    dialogue.tell(DialogueState(session=7))
    assert dialogue.ros.wait_until(lambda: client.session == 7)
    dialogue.tell(Intent(session=7, intent="GREET"), Transcript(session=7, text="hello"), heard(1))
    assert dialogue.ros.wait_until(lambda: len(came) == 3)
    assert {type(message) for message in came} == {Intent, Transcript, RobotText}
    unfollow()
    unfollow()
    dialogue.tell(Intent(session=7), Transcript(session=6, text="of the session before"), Transcript(session=7))
    assert dialogue.ros.wait_until(lambda: len(came) == 4)
    assert not dialogue.ros.wait_until(lambda: len(came) > 4, 0.3)
    assert came[-1].text == ""


def test_requests_reach_their_services_and_give_what_they_say(dialogue: Any, client: Client) -> None:
    replies = [
        client.say("Hello."), client.say("Stop!", when_quiet=False), client.ask("where"), client.interrupt(),
        client.mute(True),
    ]  # fmt: skip
    assert dialogue.ros.wait_until(lambda: all(reply.done() for reply in replies))
    assert [reply.result() for reply in replies] == [4, 4, 4, None, None]
    for request in (
        Say.Request(text="Hello.", when=Say.Request.WHEN_QUIET),
        Say.Request(text="Stop!", when=Say.Request.NOW),
        Ask.Request(text="where"),
        Trigger.Request(),
        SetBool.Request(data=True),
    ):
        assert request in dialogue.asked


def test_a_refusal_gives_its_reason(dialogue: Any, client: Client) -> None:
    dialogue.refuse = "no session is open"
    for reply in (client.say("Hello."), client.ask("where"), client.interrupt(), client.mute(False)):
        assert dialogue.ros.wait_until(reply.done)
        with pytest.raises(RefusedError, match="no session is open"):
            reply.result()


def test_nobody_there_fails_within_the_stated_time(client: Client) -> None:
    with pytest.raises(NoAnswerError, match="service /r1/say is not there"):
        client.say("Hello.", timeout_s=0.3).result(timeout=10)
    with pytest.raises(NoAnswerError, match=r"/r1/the end of turn 1: not within 0\.3 s"):
        client.end_of_turn(1, timeout_s=0.3).result(timeout=10)


def test_a_node_that_nobody_spins_does_not_hang_who_waits(ros: Any) -> None:
    client = Client(ros.node, "r1")
    with pytest.raises(NoAnswerError, match="nobody spins the node"):
        client.say("Hello.", timeout_s=0.2).result()
    client.close()


def test_the_end_of_a_turn_and_of_a_speech_is_waited_for_by_callback_and_thread(dialogue: Any, client: Client) -> None:
    assert dialogue.ros.wait_until(dialogue.found)
    dialogue.tell(DialogueState(session=7))
    came: list[End] = []
    client.end_of_turn(2).add_done_callback(lambda reply: came.append(reply.result()))
    thread = threading.Thread(target=lambda: came.append(client.end_of_speech(5).result()))
    thread.start()
    dialogue.tell(heard(1, generation=4))
    assert not dialogue.ros.wait_until(lambda: came, 0.3)
    dialogue.tell(heard(2, generation=5))
    assert dialogue.ros.wait_until(lambda: len(came) == 2)
    thread.join()
    assert came == [End(Ending.HEARD, 2, 5, "Yes.")] * 2
    late = client.end_of_turn(2)
    assert dialogue.ros.wait_until(late.done), "what has ended already is known"
    assert late.result() == came[0]


def test_the_end_of_the_session_ends_what_is_waited_for(dialogue: Any, client: Client) -> None:
    assert dialogue.ros.wait_until(dialogue.found)
    unknown = client.end_of_turn(1)  # of whichever session comes first
    dialogue.tell(DialogueState(session=7))
    assert dialogue.ros.wait_until(lambda: client.session == 7)
    known = client.end_of_speech(3)
    assert not dialogue.ros.wait_until(lambda: unknown.done() or known.done(), 0.3)
    dialogue.tell(DialogueState(session=8))
    assert dialogue.ros.wait_until(lambda: unknown.done() and known.done())
    assert unknown.result() == End(Ending.SESSION_ENDED, 1, 0, "")
    assert known.result() == End(Ending.SESSION_ENDED, 0, 3, "")


def test_closing_fails_what_is_waited_for_and_all_that_comes_later(ros: Any) -> None:
    client = Client(ros.node)
    before = [client.say("Hello."), client.end_of_turn(1)]
    client.close()
    for reply in (*before, client.mute(True), client.end_of_speech(1)):
        with pytest.raises(ClientError, match="closed"):
            reply.result(timeout=1)
    assert not list(ros.node.subscriptions)
    assert not list(ros.node.guards)


def test_with_asyncio_everything_is_awaited(dialogue: Any, client: Client) -> None:
    """The test's own thread spins the dialogue, and a loop in another has the planner."""

    async def plan() -> tuple[list[str], End, End]:
        async with client.intents() as intents:
            names = []
            async for intent in intents:
                names.append(intent.intent)
                if intent.intent == "GREET":
                    break
        await client.mute(False)
        first, second = client.end_of_turn(1), client.end_of_speech(await client.say("Hello."))
        return names, *(await asyncio.gather(first, second))

    assert dialogue.ros.wait_until(dialogue.found)
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(asyncio.run(plan())))
    thread.start()
    intents = client._followers[Intent]
    assert dialogue.ros.wait_until(lambda: intents)
    dialogue.tell(Intent(intent="MOVE_TO"), Intent(intent="GREET"))
    assert dialogue.ros.wait_until(lambda: any(isinstance(request, Say.Request) for request in dialogue.asked))
    dialogue.tell(DialogueState(session=7), heard(1, generation=4))
    assert dialogue.ros.wait_until(lambda: done)
    thread.join()
    assert done == [(["MOVE_TO", "GREET"], *[End(Ending.HEARD, 1, 4, "Yes.")] * 2)]
    assert not intents


def test_a_task_that_is_cancelled_waits_no_more(dialogue: Any, client: Client) -> None:
    async def give_up() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(client.end_of_turn(1), 0.1)

    asyncio.run(give_up())
    dialogue.tell(DialogueState(session=7))
    assert dialogue.ros.wait_until(lambda: not client._waits)
    assert client.session in (0, 7)
    reply = client.say("Hello.")
    assert reply.cancel()
    assert dialogue.ros.wait_until(lambda: dialogue.asked), "and what comes of it later disturbs nobody"
    assert client.mute(True).cancel() is True
    assert dialogue.ros.wait_until(lambda: len(dialogue.asked) == 2)


def test_a_stream_that_nobody_reads_drops_the_oldest_and_ends_when_closed(dialogue: Any, client: Client) -> None:
    async def read() -> tuple[int, list[str]]:
        stream = client.transcripts()
        count = 0

        def tell() -> None:
            for number in range(130):
                for take in list(client._followers[Transcript]):
                    take(Transcript(text=str(number)))

        await asyncio.to_thread(tell)
        await asyncio.sleep(0)
        texts = []
        while count < 100:
            texts.append((await anext(stream)).text)
            count += 1
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        stream.close()
        stream.close()
        with pytest.raises(StopAsyncIteration):
            await waiting
        assert [message async for message in stream] == []
        return stream.dropped, texts

    dropped, texts = asyncio.run(read())
    assert dropped == 30
    assert texts == [str(number) for number in range(30, 130)]


def test_a_stream_needs_a_loop_and_outlives_it_quietly(client: Client) -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        client.transcripts()

    async def leave() -> None:
        client.robot_text()

    asyncio.run(leave())
    for take in client._followers[RobotText]:
        take(RobotText())


def test_it_is_one_more_part_of_any_node(ros: Any) -> None:
    """Two robots in one node, and the node's own namespace."""
    clients = [Client(ros.node), Client(ros.node, "r1"), Client(ros.node, "/r2/")]
    topics = {subscription.topic_name for subscription in ros.node.subscriptions}
    assert {"/intent", "/r1/intent", "/r2/intent"} <= topics
    for client in clients:
        client.close()
    assert rclpy.ok()
