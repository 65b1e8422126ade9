from __future__ import annotations

from pathlib import Path

import pytest

from kame_ros.app import params_file
from kame_ros.app.error import UsageError


def written(folder: Path, text: str) -> str:
    path = folder / "params.yaml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    "key",
    ["frontend", "/frontend", "/**/frontend", "/r1/frontend", "/*/frontend", "r1:\n  frontend", "/r1:\n  frontend"],
)
def test_every_form_of_a_node_name_is_understood(tmp_path: Path, key: str) -> None:
    deep = "    " if "\n" in key else "  "
    file = written(tmp_path, f"{key}:\n{deep}ros__parameters:\n{deep}  lead_s: 0.7\n")
    given = params_file.read(file, "/r1")
    assert given == {"microphone": {}, "frontend": {"lead_s": 0.7}, "oracle_bridge": {}, "speaker": {}, "bridges": {}}


@pytest.mark.parametrize("key", ["/r2/frontend", "/r1/x/frontend", "map_server", "/*", "/r2/**"])
def test_what_is_meant_for_others_is_left_alone(tmp_path: Path, key: str) -> None:
    file = written(tmp_path, f"{key}:\n  ros__parameters:\n    whatever: [1, 2]\n")
    assert not any(params_file.read(file, "/r1").values())


def test_the_more_exact_key_wins_in_whatever_order_they_stand(tmp_path: Path) -> None:
    everybody = "/**:\n  ros__parameters:\n    lead_s: 0.5\n"
    one = "frontend:\n  ros__parameters:\n    lead_s: 0.7\n"
    for text in (everybody + one, one + everybody):
        assert params_file.read(written(tmp_path, text), "/")["frontend"] == {"lead_s": 0.7}


def test_a_parameter_for_everybody_goes_to_the_nodes_that_have_it(tmp_path: Path) -> None:
    file = written(tmp_path, "/**:\n  ros__parameters:\n    use_sim_time: true\n    sink: file\n")
    given = params_file.read(file, "/")
    assert given["speaker"] == {"use_sim_time": True, "sink": "file"}
    assert given["microphone"] == {"use_sim_time": True}


def test_values_are_converted_as_the_nodes_would(tmp_path: Path) -> None:
    file = written(tmp_path, 'microphone:\n  ros__parameters:\n    rate: 1\n    frame_ms: "40"\n    device: 8\n')
    given = params_file.read(file, "/")["microphone"]
    assert given == {"rate": 1.0, "frame_ms": 40, "device": "8"}
    assert isinstance(given["rate"], float)


def test_a_section_with_everything_commented_out_is_empty(tmp_path: Path) -> None:
    assert not any(
        params_file.read(written(tmp_path, "frontend:\n  ros__parameters:\n    # lead_s: 1\n"), "/").values()
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "must hold node names"),
        ("just words", "must hold node names"),
        ("frontend:\n  lead_s: 0.5\n", "frontend/lead_s: must hold node names"),
        ("frontend:\n  ros__parameters: 3\n", "must hold name: value"),
        ("frontend: [\n", "line 2"),
        ("frontend:\n\tros__parameters: {}\n", "line 2"),
        ("a: 2024-13-45\n", "not YAML"),
        ("a: !!bool maybe\n", "not YAML"),
        ("a: !!timestamp now\n", "not YAML"),
        (f"microphone:\n  ros__parameters:\n    rate: {'9' * 400}\n", "must be a number from 0 to 100"),
        ("\x00", "not YAML"),
        ("frontend: &all\n  deeper: *all\n", "nested without end"),
        ("frontend:\n  ros__parameters:\n    lead: 0.5\n", "lead: unknown parameter; did you mean lead_s?"),
        ("/**:\n  ros__parameters:\n    laed_s: 0.5\n", "unknown parameter; did you mean lead_s?"),
        ("/r1/frontend:\n  ros__parameters:\n    lead: 0.5\n", "unknown parameter"),
        ("frontend:\n  ros__parameters:\n    lead_s: long\n", "lead_s = 'long': must be a number"),
        ("frontend:\n  ros__parameters:\n    lead_s: [1]\n", r"lead_s = \[1\]: must be a number"),
        ("frontend:\n  ros__parameters:\n    lead_s: 99\n", "from 0.1 to 2 s"),
        ("frontend:\n  ros__parameters:\n    voice: loud\n", "must be one of auto"),
    ],
)
def test_each_fault_is_one_line_that_names_the_file(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        params_file.read(written(tmp_path, text), "/r1")
    assert "\n" not in str(refused.value)
    assert "params.yaml" in str(refused.value)


def test_a_missing_file_a_folder_and_a_binary_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sound.yaml").write_bytes(bytes(range(256)))
    for name in ("nothing.yaml", ".", "sound.yaml"):
        with pytest.raises(UsageError, match="params_file"):
            params_file.read(str(tmp_path / name), "/")


def test_a_home_that_is_unknown_is_one_line() -> None:
    with pytest.raises(UsageError, match=r"^params_file = '~nobody-has-this-name/a.yaml': Could not determine home"):
        params_file.read("~nobody-has-this-name/a.yaml", "/")
