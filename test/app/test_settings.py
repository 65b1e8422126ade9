from __future__ import annotations

from pathlib import Path

import pytest

from kame_ros.app.description import ARGUMENTS, START_ORDER, STOP_ORDER
from kame_ros.app.error import UsageError
from kame_ros.app.settings import resolve
from kame_ros.nodes.parameters import ALL_NODES


def test_with_nothing_given_the_nodes_keep_their_own_defaults() -> None:
    settings = resolve({})
    assert not any(settings.parameters.values())
    assert (settings.namespace, settings.discovery, settings.log_level, settings.respawn) == (
        "/",
        "local",
        "info",
        True,
    )


def test_an_argument_sets_the_parameter_it_is_described_with() -> None:
    settings = resolve({"voice": "flite", "source": "file", "microphone_file": "a.wav", "autostart": "false"})
    assert settings.parameters["frontend"] == {"voice": "flite", "autostart": False}
    assert settings.parameters["microphone"] == {"source": "file", "file": "a.wav", "autostart": False}
    assert settings.parameters["speaker"] == {"autostart": False}


def test_any_parameter_of_a_node_can_be_given_and_goes_first() -> None:
    settings = resolve({"frontend.voice": "espeak", "voice": "flite", "microphone.rate": "2"})
    assert settings.parameters["frontend"] == {"voice": "espeak"}
    assert settings.parameters["microphone"] == {"rate": 2.0}


def test_an_argument_goes_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text("frontend:\n  ros__parameters:\n    voice: piper\n    lead_s: 0.6\n")
    given = {"params_file": str(file), "voice": "flite"}
    assert resolve(given).parameters["frontend"] == {"voice": "flite", "lead_s": 0.6}
    assert resolve({**given, "voice": ""}).parameters["frontend"] == {"voice": "piper", "lead_s": 0.6}


@pytest.mark.parametrize(
    ("typed", "name"), [("", "/"), ("/", "/"), ("r1", "/r1"), ("/r1/", "/r1"), ("a/b_2", "/a/b_2")]
)
def test_a_namespace_is_made_absolute(typed: str, name: str) -> None:
    assert resolve({"namespace": typed}).namespace == name


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"voise": "flite"}, "voise: unknown argument; did you mean voice?"),
        ({"lead_s": "1"}, "unknown argument; a node's own parameter is written frontend.lead_s:=VALUE"),
        ({"voice": "loud"}, "voice = 'loud': must be one of auto"),
        ({"backend": "gpt"}, "backend = 'gpt': must be one or more of knowledge"),
        ({"autostart": "perhaps"}, "autostart = 'perhaps': must be true or false"),
        ({"respawn": ""}, "respawn = '': must be one of true, false"),
        ({"discovery": "world"}, "discovery = 'world': must be one of local, network"),
        ({"log_level": "loud"}, "log_level = 'loud'"),
        ({"namespace": "1a"}, "namespace = '1a': must be a ROS name"),
        ({"namespace": "a//b"}, "must be a ROS name"),
        ({"frontend.lead_s": "abc"}, "frontend.lead_s = 'abc': must be a number"),
        ({"frontend.leads": "1"}, "frontend has no parameter 'leads'; did you mean lead_s?"),
        ({"front.lead_s": "1"}, "no node 'front'; the nodes are .*did you mean frontend?"),
        ({"params_file": "/nowhere/x.yaml"}, "params_file = '/nowhere/x.yaml': No such file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        resolve(given)
    assert "\n" not in str(refused.value)


def test_the_description_speaks_of_the_nodes_and_parameters_that_there_are() -> None:
    assert set(START_ORDER) == set(STOP_ORDER) == set(ALL_NODES)
    for argument in ARGUMENTS:
        for node, parameter in argument.sets:
            assert parameter in {known.name for known in ALL_NODES[node]}
        assert argument.meaning.endswith(".")


def test_of_several_robots_each_has_its_own_nodes_and_shares_the_frontend(tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(
        "microphone:\n  ros__parameters:\n    gain_db: 3\n/hall/r2/microphone:\n  ros__parameters:\n    device: array\n"
    )
    settings = resolve({"robots": "r1, r2", "namespace": "hall", "params_file": str(file), "speaker_device": "usb"})
    started = {it.name: (it.node, it.namespace, dict(it.parameters)) for it in settings.instances}
    assert list(started)[0:3] == ["r1/oracle_bridge", "r2/oracle_bridge", "frontend"]
    assert started["frontend"] == ("frontend", "/hall", {"robots": "r1, r2", "max_sessions": 2})
    assert started["r1/microphone"] == ("microphone", "/hall/r1", {"gain_db": 3.0})
    assert started["r2/microphone"] == ("microphone", "/hall/r2", {"gain_db": 3.0, "device": "array"})
    assert started["r2/speaker"] == ("speaker", "/hall/r2", {"device": "usb"})
    assert settings.talks == ("/hall/r1", "/hall/r2")


def test_what_is_given_for_the_sessions_of_several_robots_holds() -> None:
    assert resolve({"robots": "r1, r2", "frontend.max_sessions": "8"}).parameters["frontend"]["max_sessions"] == 8


def test_only_the_nodes_that_are_chosen_are_started_here() -> None:
    assert [it.name for it in resolve({"nodes": "microphone,speaker"}).instances] == ["speaker", "microphone"]
    assert [it.name for it in resolve({"nodes": "frontend", "robots": "r1, /r2"}).instances] == ["frontend"]
    assert resolve({"nodes": "frontend", "robots": "r1, /r2"}).talks == ("/r1", "/r2")
    with pytest.raises(UsageError, match="nodes = 'ears': must be one or more of oracle_bridge"):
        resolve({"nodes": "ears"})


def test_the_bridges_are_started_only_when_some_are_asked_for() -> None:
    assert "bridges" not in {it.name for it in resolve({}).instances}
    last = resolve({"bridges": "voices, intents", "nodes": "speaker", "bridges.audio_in_hz": "8000"}).instances[-1]
    assert (last.name, dict(last.parameters)) == ("bridges", {"bridges": "voices, intents", "audio_in_hz": 8000})
