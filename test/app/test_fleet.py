from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest
import yaml

from kame_ros.app.description import STOP_ORDER
from kame_ros.app.fleet import Fleet, node_command, node_environment
from kame_ros.app.settings import resolve

STAYS = "import time; time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"

Said = list[tuple[str, str]]


@pytest.fixture
def start() -> Iterator[Callable[..., tuple[Fleet, Said]]]:
    """Give a function that makes a fleet of small programs in the place of nodes, and what it says and relays."""
    read_fd, write_fd = os.pipe()
    fleets: list[Fleet] = []

    def make(**code: str) -> tuple[Fleet, Said]:
        said: Said = []
        commands = {name: [sys.executable, "-c", code.get(name, STAYS)] for name in STOP_ORDER}

        def note(name: str, text: str) -> None:
            said.append((name, text))

        fleets.append(Fleet(commands, os.environ, read_fd, note, note))
        return fleets[-1], said

    yield make
    for fleet in fleets:
        fleet.close()
    os.close(read_fd)
    os.close(write_fd)


def turn_until(fleet: Fleet, holds: Callable[[], bool], timeout_s: float = 10.0) -> None:
    end_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end_s
        fleet.turn(0.05)


def pid_of(said: Said, name: str) -> int:
    texts = [text for who, text in said if who == name and text.startswith("started")]
    return int(texts[-1].rpartition(" ")[2].rstrip(")"))


def test_a_killed_node_is_said_and_started_again_while_the_others_live(
    start: Callable[..., tuple[Fleet, Said]],
) -> None:
    fleet, said = start()
    fleet.turn(0.05)
    pids = {name: pid_of(said, name) for name in STOP_ORDER}
    os.kill(pids["speaker"], signal.SIGKILL)
    turn_until(fleet, lambda: any("started again" in text for _, text in said))
    assert ("speaker", "died (SIGKILL); it starts again in 1 s") in said
    assert fleet.take_ended() == ["speaker"]
    assert fleet.take_ended() == []
    assert {name for name in STOP_ORDER if pid_of(said, name) != pids[name]} == {"speaker"}


def test_a_stop_ends_them_in_order_even_when_one_is_stubborn(start: Callable[..., tuple[Fleet, Said]]) -> None:
    fleet, said = start(oracle_bridge=STUBBORN)
    turn_until(fleet, lambda: ("oracle_bridge", "up") in said)
    start_s = time.monotonic()
    fleet.stop()
    turn_until(fleet, lambda: fleet.finished)
    assert time.monotonic() - start_s < 3.0
    stopped = [name for name, text in said if text.startswith("stopped")]
    assert stopped == [*(name for name in STOP_ORDER if name != "oracle_bridge"), "oracle_bridge"]


def test_a_stop_during_the_start_leaves_nothing(start: Callable[..., tuple[Fleet, Said]]) -> None:
    fleet, said = start()
    fleet.turn(0.0)
    fleet.stop()
    fleet.stop()
    turn_until(fleet, lambda: fleet.finished)
    assert sum(text.startswith("started") for _, text in said) == len(STOP_ORDER)


def test_wrong_parameters_end_it_for_good(start: Callable[..., tuple[Fleet, Said]]) -> None:
    wrong = "print('rate: wrong'); raise SystemExit(2)"
    fleet, said = start(**dict.fromkeys(STOP_ORDER, wrong))
    turn_until(fleet, lambda: fleet.finished)
    assert fleet.refused
    assert ("frontend", "rate: wrong") in said


def test_what_was_given_reaches_the_node_as_it_was_meant() -> None:
    settings = resolve(
        {"namespace": "r1", "microphone_device": '8 "ö 😀\n', "microphone.rate": "0.00001", "log_level": "warn"}
    )
    command = node_command(settings.instances[-1], settings)
    assert command[:4] == [sys.executable, "-m", "kame_ros.nodes", "microphone"]
    assert "__ns:=/r1" in command
    assert command[command.index("--log-level") + 1] == "warn"
    values = dict(word.split(":=", 1) for word in command if word.startswith(("device:=", "rate:=")))
    assert yaml.safe_load(values["device"]) == '8 "ö 😀\n'
    assert float(values["rate"]) == 0.00001


def test_the_nodes_inherit_the_environment_with_discovery_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    monkeypatch.setenv("RCUTILS_CONSOLE_OUTPUT_FORMAT", "{message}")
    environment = node_environment(resolve({}))
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert environment["RCUTILS_CONSOLE_OUTPUT_FORMAT"] == "{message}"
    assert environment["PATH"] == os.environ["PATH"]
