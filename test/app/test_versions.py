from __future__ import annotations

import importlib.util
import platform
from importlib.metadata import version

import kame_ros
from kame_ros.app.versions import machine, versions


def test_the_parts_that_are_installed_are_told_and_no_others() -> None:
    found = versions()
    assert found["kame_ros"] == kame_ros.__version__
    assert found["python"] == platform.python_version()
    assert found["numpy"] == version("numpy")
    assert all(found.values())
    if importlib.util.find_spec("livekit"):
        assert found["livekit"] == version("livekit")


def test_the_machine_is_told_by_what_matters_for_times() -> None:
    told = machine()
    assert isinstance(told["cores"], int)
    assert told["cores"] >= 1
    assert told["processor"]
