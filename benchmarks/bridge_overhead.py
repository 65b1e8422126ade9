"""What the oracle bridge itself adds: from the final transcript to the request on the wire, and from there back.

    python -m benchmarks.bridge_overhead [--turns 300] [--json FILE]

A server on this machine, in a process of its own, notes when a request arrives and when it writes the first token of
its answer, which comes in pieces 10 ms apart. Both are compared with the reports around them, on one clock:

- bridge: the bridge and the real openai library, by the times at which it reports;

- node: the node oracle_bridge as it is, by the stamps of user/transcript and oracle/text, which are taken when they are
  published.

Turns are typed, so that no recogniser is in the way, and come one after the other. Run it where nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from oracle.servers.openai_chat import Asked, ChatServer, Reply, Step, said

from kame_ros.app.demo_settings import own_domain
from kame_ros.app.environment import variables
from kame_ros.app.versions import machine, versions

FIRST_TOKEN_S = 0.02
PIECES = ("Certainly, the ", "answer to question ", "{} is ", "what you think ", "it is.")
_BETWEEN_S = 0.01
_TURN_S = 10.0
_LOAD_S = 60.0
_SESSION = 7
_NUMBER = re.compile(r"\d+")
TO_WIRE = "final transcript to request on the wire"
FROM_WIRE = "first token on the wire to oracle/text"


@dataclass
class Times:
    """Steady times of one question, in seconds; None: it did not come."""

    final_s: float | None = None
    asked_s: float | None = None
    first_token_s: float | None = None
    first_text_s: float | None = None
    complete: bool = False


@dataclass
class Notes:
    """Times of all questions, by their number."""

    of: dict[int, Times] = field(default_factory=dict)

    def take_server(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Take what the server has noted."""
        for line in lines:
            times = self.of[int(line["number"])]
            times.asked_s, times.first_token_s = line["asked_s"], line["first_token_s"]

    def table(self) -> dict[str, dict[str, float]]:
        """Return what each way took, in ms."""
        there = [times for times in self.of.values() if times.final_s is not None and times.asked_s is not None]
        back = [
            times for times in self.of.values() if times.first_text_s is not None and times.first_token_s is not None
        ]
        return {
            TO_WIRE: spread([float(times.asked_s or 0) - float(times.final_s or 0) for times in there]),
            FROM_WIRE: spread([float(times.first_text_s or 0) - float(times.first_token_s or 0) for times in back]),
        }


def spread(waits_s: Sequence[float]) -> dict[str, float]:
    """Return count, median, 99th percentile and maximum, without the first ten: connections are made then."""
    settled_ms = [1000 * wait_s for wait_s in waits_s][10:] or [1000 * wait_s for wait_s in waits_s]
    return {
        "turns": len(settled_ms),
        "p50_ms": round(float(np.percentile(settled_ms, 50)), 2),
        "p99_ms": round(float(np.percentile(settled_ms, 99)), 2),
        "max_ms": round(max(settled_ms), 2),
    }


def question(number: int) -> str:
    """Return the words of a question."""
    return f"Would you tell me about thing {number}?"


def number_in(text: str) -> int:
    """Return the number that a question or an answer names; 0: none."""
    found = _NUMBER.findall(text)
    return int(found[-1]) if found else 0


def run_server() -> None:
    """Answer until the standard input ends; then write down when what came and went (child of `serving`)."""

    def answer(asked: Asked) -> Reply:
        number = number_in(asked.body["messages"][-1]["content"])
        steps: list[Step] = [FIRST_TOKEN_S]
        for piece in said(*(piece.format(number) for piece in PIECES))[1:]:
            steps += [piece, _BETWEEN_S]
        return Reply(steps)

    with ChatServer(answer) as server:
        print(server.base_url, flush=True)
        sys.stdin.read()
        notes = [
            {
                "number": number_in(asked.body["messages"][-1]["content"]),
                "asked_s": asked.at_s,
                "first_token_s": asked.first_sent_s,
            }
            for asked in server.asked
        ]
    print(json.dumps(notes))


@contextmanager
def serving(notes: Notes) -> Iterator[str]:
    """Run the server in a process of its own and give its address; ``notes`` get what it saw at the end."""
    command = [sys.executable, "-m", "benchmarks.bridge_overhead", "--server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        yield server.stdout.readline().strip()
        server.stdin.close()
        notes.take_server(json.loads(server.stdout.readline()))


def measure_bridge(turns: int) -> Notes:
    """Ask ``turns`` questions through a bridge in this process."""
    from kame_ros.oracle.backends.chain import Chain  # noqa: PLC0415 (the openai library, only where it is used)
    from kame_ros.oracle.backends.chain_policy import ChainSettings  # noqa: PLC0415
    from kame_ros.oracle.backends.openai import OpenAi, OpenAiSettings  # noqa: PLC0415
    from kame_ros.oracle.bridge import Bridge, BridgeSettings  # noqa: PLC0415
    from kame_ros.oracle.deadlines import Deadlines  # noqa: PLC0415
    from kame_ros.oracle.intents.catalogue import Catalogue  # noqa: PLC0415
    from kame_ros.oracle.prompt.prompt import Prompt, PromptSettings  # noqa: PLC0415
    from kame_ros.oracle.reports import Oracle, OracleStatus, Report, Transcript  # noqa: PLC0415

    notes, ended = Notes(), threading.Event()

    def take(report: Report) -> None:
        now_s = time.monotonic()
        match report:
            case Transcript():
                notes.of[report.turn].final_s = now_s
            case Oracle():
                times = notes.of[report.turn]
                times.first_text_s = times.first_text_s or now_s
                times.complete = report.status is OracleStatus.COMPLETE
                if report.status is not OracleStatus.GROWING:
                    ended.set()

    catalogue = Catalogue(())
    with serving(notes) as base_url:
        openai = OpenAi(OpenAiSettings(base_url, "m"), Prompt(PromptSettings()), catalogue)
        chain = Chain([openai], ChainSettings(), Deadlines(), print)
        bridge = Bridge(None, chain, catalogue, BridgeSettings(), take, lambda *_: None)
        bridge.start_session(_SESSION)
        try:
            for number in range(1, turns + 1):
                ended.clear()
                notes.of[number] = Times()
                assert bridge.ask(question(number)) == number
                ended.wait(_TURN_S)
        finally:
            bridge.close()
    return notes


def measure_node(turns: int) -> Notes:
    """Ask ``turns`` questions of the node oracle_bridge, over ROS."""
    os.environ["ROS_DOMAIN_ID"] = own_domain()
    os.environ.update(variables("local", os.environ))
    notes = Notes()
    with serving(notes) as base_url:
        parameters = {"backend": "openai", "openai_base_url": base_url, "openai_model": "m", "ask_interval_s": 2.0}
        given = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
        command = [sys.executable, "-m", "kame_ros.nodes", "oracle_bridge", "--ros-args", "--log-level", "warn", *given]
        node = subprocess.Popen(command)
        try:
            _ask_over_ros(turns, notes)
        finally:
            node.terminate()
            node.wait()
    return notes


def _ask_over_ros(turns: int, notes: Notes) -> None:
    import rclpy  # noqa: PLC0415 (ROS, only for this measurement)
    from rclpy.executors import SingleThreadedExecutor  # noqa: PLC0415

    from kame_ros.msg import DialogueState, OracleText, Transcript  # noqa: PLC0415
    from kame_ros.nodes import qos  # noqa: PLC0415
    from kame_ros.srv import Ask  # noqa: PLC0415

    rclpy.init(args=[])
    asker = rclpy.create_node("asker")
    executor = SingleThreadedExecutor()
    executor.add_node(asker)
    to_steady_s = time.monotonic() - time.time()

    def stamped_s(message: Any) -> float:
        return float(message.header.stamp.sec + message.header.stamp.nanosec / 1e9 + to_steady_s)

    def take_transcript(message: Any) -> None:
        notes.of[number_in(message.text)].final_s = stamped_s(message)

    def take_oracle(message: Any) -> None:
        times = notes.of[message.turn]
        times.first_text_s = times.first_text_s or stamped_s(message)
        times.complete = message.status == OracleText.COMPLETE

    state = asker.create_publisher(DialogueState, "dialogue/state", qos.STATE)
    asker.create_subscription(Transcript, "user/transcript", take_transcript, qos.TEXT)
    asker.create_subscription(OracleText, "oracle/text", take_oracle, qos.TEXT)
    client = asker.create_client(Ask, "ask")
    state.publish(DialogueState(session=_SESSION, phase=DialogueState.READY))

    def until(holds: Any, limit_s: float) -> None:
        end_s = time.monotonic() + limit_s
        while not holds() and time.monotonic() < end_s:
            executor.spin_once(timeout_sec=0.05)

    try:
        until(client.service_is_ready, _LOAD_S)
        if not client.service_is_ready():
            raise SystemExit("the node oracle_bridge does not come up")
        until(lambda: False, 1.0)  # whatever else has to find each other
        for number in range(1, turns + 1):
            notes.of[number] = times = Times()
            client.call_async(Ask.Request(text=question(number)))
            until(lambda times=times: times.complete, _TURN_S)
    finally:
        executor.shutdown()
        asker.destroy_node()
        rclpy.shutdown()


def markdown(result: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Lay the result out as the table of docs/benchmarks.md."""
    lines = ["| added by us | turns | median, ms | p99, ms | max, ms |", "|---|---|---|---|---|"]
    for part, table in result.items():
        for way, row in table.items():
            lines.append(f"| {part}: {way} | {row['turns']} | {row['p50_ms']} | {row['p99_ms']} | {row['max_ms']} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--turns", type=int, default=300)
    options.add_argument("--json", type=Path, help="write everything to this file")
    chosen = options.parse_args()
    result = {"bridge": measure_bridge(chosen.turns).table(), "node": measure_node(chosen.turns).table()}
    print(markdown(result))
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": machine(), "versions": versions(), "added": result}, indent=1))


if __name__ == "__main__":
    if sys.argv[1:] == ["--server"]:
        run_server()
    else:
        main()
