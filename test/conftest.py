"""Fixtures that every room's tests may use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """Give the folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of a tiny KAME checkpoint, which says what the oracle tells it."""
    pytest.importorskip("torch", reason="the tandem's tests need torch and moshi")
    pytest.importorskip("moshi", reason="the tandem's tests need torch and moshi")
    from kame_ros.frontend.tandem.tiny import write_tiny_checkpoint

    folder = tmp_path_factory.mktemp("tiny")
    write_tiny_checkpoint(folder)
    return folder


@pytest.fixture(scope="session", autouse=True)
def own_ros_domain() -> None:
    """Keep this run's ROS traffic on the machine and apart from every other run on it, also from its other worker."""
    from kame_ros.app.demo_settings import DOMAINS, free_domain
    from kame_ros.app.environment import package_path

    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(free_domain(DOMAINS[worker::workers]))
    os.environ.update(package_path(os.environ))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session", autouse=True)
def hang_up_as_usual() -> None:
    """Undo nohup for the processes that tests start: whether a hang-up is ignored is handed on to them."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def start_node() -> Iterator[Any]:
    """Give a function that starts one of our nodes as a process: ``start_node("speaker", sink="file", file=...)``.

    Every process is told to stop at the end, and must then end by itself with exit code 0.
    """
    processes: list[subprocess.Popen[str]] = []

    def start(name: str, *, namespace: str = "/", log_level: str = "info", **parameters: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "kame_ros.nodes", name, "--ros-args", "-r", f"__ns:={namespace}"]
        command += ["--log-level", log_level]
        for key, value in parameters.items():
            command += ["-p", f"{key}:={json.dumps(value)}"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        processes.append(process)
        return process

    yield start
    for process in processes:
        if process.poll() is None:
            process.terminate()
    wrong = []
    for process in processes:
        try:
            output, _ = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            wrong.append(f"did not stop: {process.args}\n{output}")
            continue
        if "Traceback" in output:
            wrong.append(f"traceback: {process.args}\n{output}")
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="session")
def sound_server_can_run() -> None:
    """Skip by name what needs a sound server where there is none; fail it where CI has promised one."""
    from benchmarks.sound_server import missing

    if why := missing():
        told = f"needs a sound server: {why}"
        if os.environ.get("KAME_TEST_SOUND") == "required":
            pytest.fail(told)
        pytest.skip(told)


@pytest.fixture
def sound_server(sound_server_can_run: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a sound server with virtual devices, which PyAudio here and in the processes of a test connects to."""
    from benchmarks.sound_server import serving

    with serving() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def ros() -> Iterator[Any]:
    """Give a plain node of this process and a function that spins it until something holds."""
    import rclpy
    from rclpy.executors import SingleThreadedExecutor

    rclpy.init()
    node = rclpy.create_node("test_probe")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    yield Probe(node, executor)
    executor.remove_node(node)
    node.destroy_node()
    rclpy.try_shutdown()


class Probe:
    """A node of the test's own, with a way to wait."""

    def __init__(self, node: Any, executor: Any) -> None:
        self.node = node
        self.executor = executor

    def wait_until(self, holds: Any, timeout_s: float = 20.0) -> bool:
        """Spin until ``holds()`` is true; return False when ``timeout_s`` has passed first."""
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            self.executor.spin_once(timeout_sec=0.05)
            if holds():
                return True
        return bool(holds())

    def collect(self, message_type: Any, topic: str, qos: Any) -> list[Any]:
        """Subscribe and return the list that grows with each message."""
        received: list[Any] = []
        self.node.create_subscription(message_type, topic, received.append, qos)
        return received

    def change(self, name: str, **parameters: Any) -> str:
        """Change ``parameters`` of the node ``name``, whole or not at all; return why not, empty when it was done."""
        from rcl_interfaces.srv import SetParametersAtomically
        from rclpy.parameter import Parameter

        given = [Parameter(key, value=value).to_parameter_msg() for key, value in parameters.items()]
        request = SetParametersAtomically.Request(parameters=given)
        result = self.call(SetParametersAtomically, f"{name}/set_parameters_atomically", request).result
        assert result.successful != bool(result.reason)
        return str(result.reason)

    def call(self, service_type: Any, name: str, request: Any, timeout_s: float = 10.0) -> Any:
        """Call a service and return its answer."""
        client = self.node.create_client(service_type, name)
        assert client.wait_for_service(timeout_sec=timeout_s), f"no service {name}"
        future = client.call_async(request)
        assert self.wait_until(future.done, timeout_s), f"{name} did not answer"
        self.node.destroy_client(client)
        return future.result()
