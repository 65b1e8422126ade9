"""What the set-up installs with apt, and when it leaves that to the user; nothing is installed here."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Has = Callable[..., None]
SOUND = {"pulseaudio", "pulseaudio-utils", "portaudio19-dev", "libasound2-plugins"}


@pytest.fixture(scope="module")
def setup(root: Path) -> Any:
    """Give the script as a module."""
    spec = importlib.util.spec_from_file_location("kame_setup", root / "tools" / "setup.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Has:
    """Give a function that leaves this machine no programs but the named ones, which end with the given code."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def leave(*, root: bool = False, **programs: int) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
        for name, code in programs.items():
            program = tmp_path / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\nexit {code}\n")
            program.chmod(0o755)

    return leave


def test_root_installs_with_apt(setup: Any, has: Has) -> None:
    has(root=True, apt_get=0)
    assert setup.apt_get()[0] == "apt-get"


def test_who_needs_no_password_installs_with_sudo(setup: Any, has: Has) -> None:
    has(apt_get=0, sudo=0)
    assert setup.apt_get()[:2] == ["sudo", "-n"]


@pytest.mark.parametrize("programs", [{"apt_get": 0, "sudo": 1}, {"apt_get": 0}, {"sudo": 0}, {}])
def test_nobody_else_installs_anything(setup: Any, has: Has, programs: dict[str, int]) -> None:
    has(**programs)
    assert setup.apt_get() == []


def test_the_tests_get_a_sound_server_where_it_may_be_installed(
    setup: Any, has: Has, monkeypatch: pytest.MonkeyPatch
) -> None:
    has(gcc=0)
    monkeypatch.setattr(setup, "ALSA_PLUGIN", "*/of-nobody.so")
    monkeypatch.setattr(setup, "has_portaudio", lambda: False)
    assert set(setup.missing_packages(["run", "test"], may_install=True)) >= {*SOUND, "g++", "flite"}
    assert not {*SOUND, "flite"} & set(setup.missing_packages(["run", "test"], may_install=False))
    assert "g++" in setup.missing_packages(["run", "test"], may_install=False), "without it nothing can be built"
    assert not SOUND & set(setup.missing_packages(["run"], may_install=True)), "the demo plays into a file"


def test_the_sound_card_needs_portaudio_whoever_asks(setup: Any, has: Has, monkeypatch: pytest.MonkeyPatch) -> None:
    has()
    monkeypatch.setattr(setup, "has_portaudio", lambda: False)
    assert "portaudio19-dev" in setup.missing_packages(["run", "device"], may_install=False)
