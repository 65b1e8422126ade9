"""Downloads through the real library, from a hub of the test's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

huggingface: Any = pytest.importorskip("huggingface_hub", reason="the tandem's tests need torch and moshi")

from kame_ros.models import hub as our_hub  # noqa: E402
from kame_ros.models.checkpoint_files import Wanted, find_checkpoint  # noqa: E402
from kame_ros.models.errors import CheckpointError  # noqa: E402
from kame_ros.models.hub import download  # noqa: E402

COMMIT = "0123456789" * 4
FILES = {"config.json": b'{"moshi_name": "lm", "mimi_name": "codec", "tokenizer_name": "hf://other/words/t.model"}'}
FILES.update({"lm": b"1", "codec": b"2", "t.model": b"3"})


class Hub(BaseHTTPRequestHandler):
    """Serves any repository except owner/missing and owner/gated, with the revisions main and COMMIT."""

    def answer(self, body: bool) -> None:
        _, name, _, revision, file = self.path.strip("/").split("/", 4)
        error = {"missing": "RepoNotFound", "gated": "GatedRepo"}.get(name)
        if error is None and revision not in ("main", COMMIT):
            error = "RevisionNotFound"
        if error is None and file not in FILES:
            error = "EntryNotFound"
        content = b"" if error else FILES[file]
        self.send_response(200 if error is None else 403 if error == "GatedRepo" else 404)
        if error:
            self.send_header("X-Error-Code", error)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{file}-of-{name}"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def log_message(self, *arguments: Any) -> None:
        pass


def use(monkeypatch: pytest.MonkeyPatch, **places: Any) -> None:
    """Let the library ask there instead of what the environment says."""
    monkeypatch.setattr(our_hub, "hf_hub_download", partial(huggingface.hf_hub_download, **places))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    use(monkeypatch, endpoint=f"http://127.0.0.1:{server.server_port}", cache_dir=tmp_path)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_repository_is_downloaded_at_its_revision(hub: Any) -> None:
    files = find_checkpoint("owner/kame", COMMIT)
    assert [path.read_bytes() for path in (files.lm, files.mimi, files.tokenizer)] == [b"1", b"2", b"3"]
    assert "models--other--words" in str(files.tokenizer)


def test_what_was_downloaded_needs_no_network(hub: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = download("owner/kame", "config.json", "")
    use(monkeypatch, local_files_only=True, cache_dir=tmp_path)
    assert download("owner/kame", "config.json", "") == first
    with pytest.raises(CheckpointError, match=r"was not downloaded before, .*; set checkpoint to a folder, or connect"):
        download("owner/kame", "lm", "")


def test_a_file_that_a_repository_does_not_have_is_none(hub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert download("owner/kame", "other.json", "") is None
    monkeypatch.delitem(FILES, "codec")
    with pytest.raises(CheckpointError, match=r"^checkpoint = 'owner/kame': no codec in it"):
        find_checkpoint("owner/kame")


@pytest.mark.parametrize(
    ("repository", "file", "revision", "line"),
    [
        ("owner/missing", "config.json", "", "checkpoint = 'owner/missing': no such repository"),
        ("owner/gated", "config.json", "", "checkpoint = 'owner/gated': accept its terms"),
        ("owner/kame", "config.json", "v9", "checkpoint_revision = 'v9': owner/kame has no such revision"),
        ("owner/ka..me", "config.json", "", "checkpoint = 'owner/ka..me': no such repository"),
    ],
)
def test_what_is_wrong_is_one_line(hub: Any, repository: str, file: str, revision: str, line: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        download(repository, file, revision)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_errors_name_the_parameter(hub: Any) -> None:
    with pytest.raises(CheckpointError, match=r"^ears = 'owner/missing': no such repository"):
        find_checkpoint("owner/missing", wanted=Wanted("ears", "ears"))
    with pytest.raises(CheckpointError, match=r"^ears_revision = 'v9': "):
        find_checkpoint("owner/kame", "v9", Wanted("ears", "ears"))
