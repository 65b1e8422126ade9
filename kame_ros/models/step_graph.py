"""Runs the same device work again and again, as one CUDA graph where that can be had."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import ExitStack

import torch
from moshi.modules.streaming import State
from moshi.utils.compile import no_compile, no_cuda_graph
from torch._dynamo.exc import BackendCompilerFailed

from kame_ros.models.slot_states import kept_in_place

_WARM_UP_CALLS = 3  # the first compiles, the second is the first to find every buffer there, the third is usual

_log = logging.getLogger(__name__)
_uncompiled = ExitStack()  # moshi's switch is the whole process's


class StepGraph:
    """A function without arguments that reads and writes tensors whose addresses never change.

    ``states`` are the streaming states that it advances. ``whole`` tells, once warm, whether one CUDA graph holds all
    of it; ``reason`` says why not (on a GPU moshi's own graphs of its parts are used then). One thread.
    """

    def __init__(self, run: Callable[[], object], states: Iterable[State], device: torch.device) -> None:
        """Prepare to call ``run`` on ``device``."""
        self._run = run
        self._states = tuple(states)
        self._device = device
        self._graph: torch.cuda.CUDAGraph | None = None
        self.reason = "" if device.type == "cuda" else f"device = {device}: no CUDA"

    @property
    def whole(self) -> bool:
        """Whether one CUDA graph holds all of the work."""
        return self._graph is not None

    def warm_up(self) -> None:
        """Run until nothing is left to compile, to allocate or to capture: the states are advanced by a few steps."""
        with no_cuda_graph():
            try:
                self._repeat()
            except BackendCompilerFailed as error:  # most often there is no C++ compiler
                _log.warning("nothing is compiled, so steps are slower: %s", str(error).partition("\n")[0])
                _uncompiled.enter_context(no_compile())
                self._repeat()
        if self._device.type == "cuda":
            self._capture()
            self._repeat()

    def renew(self) -> None:
        """Capture the work anew, for it is another now; the states stay as they are."""
        if self._graph is not None:
            self._capture()

    def __call__(self) -> None:
        """Do the work once; on a GPU it may still be under way at return."""
        if self._graph is not None:
            self._graph.replay()
            return
        with kept_in_place(self._states):
            self._run()

    def _repeat(self) -> None:
        for _ in range(_WARM_UP_CALLS):
            self()
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def _capture(self) -> None:
        self._graph = None  # its memory may be had again
        graph = torch.cuda.CUDAGraph()
        # moshi's own graphs are off: what they would hold belongs to this one.
        off = no_cuda_graph()
        try:
            with off, torch.cuda.graph(graph, capture_error_mode="thread_local"), kept_in_place(self._states):
                self._run()
        except RuntimeError as error:
            self.reason = str(error).partition("\n")[0]
            _log.warning("the step is not one CUDA graph but several: %s", self.reason, exc_info=error)
            return
        self._graph = graph
