"""``kame demo``: a spoken question, and how it is answered."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from kame_ros.app import verdict
from kame_ros.app.console import Console
from kame_ros.app.demo_settings import DemoSettings, own_domain, resolve_demo
from kame_ros.app.ensemble import Ensemble
from kame_ros.app.environment import package_path
from kame_ros.app.meter import Meter, bar
from kame_ros.app.record import TalkRecord
from kame_ros.app.reply import Reply
from kame_ros.app.report import report, table
from kame_ros.app.signals import Signals
from kame_ros.app.subtitles import Subtitles
from kame_ros.app.versions import machine, versions
from kame_ros.nodes.events import Event, Place, Sounded
from kame_ros.nodes.parameters import NODES

_LOOK_S = 0.05


def demo(words: Sequence[str], signals: Signals) -> int:
    """Ask the question, show the talk, write reply.wav and report.json; return 0 if it was answered aloud, else 1.

    A talk with the sound card goes on until a stop is asked for, and then returns 0.
    """
    with tempfile.TemporaryDirectory(prefix="kame-") as workspace:
        os.environ.update(package_path(os.environ))  # the bundled question is one of its files
        settings = resolve_demo(words, Path(workspace))
        os.environ["ROS_DOMAIN_ID"] = own_domain()
        return Demo(settings, signals).run()


class Demo:
    """One run of the demo. All on the main thread; ROS is followed by threads of its own."""

    def __init__(self, settings: DemoSettings, signals: Signals) -> None:
        """Prepare; nothing is started yet."""
        self._settings = settings
        self._signals = signals
        self._console = Console(on_closed=signals.request_stop)
        self._record = TalkRecord()
        self._subtitles = Subtitles()
        self._growing: dict[tuple[str, int, int], str] = {}
        self._meters = {Place.MICROPHONE: Meter("microphone"), Place.LOUDSPEAKER: Meter("loudspeaker")}
        self._reply = Reply(settings.folder / "reply.wav")
        self._ensemble = Ensemble(settings.nodes, signals, self._console, sound=True)

    def run(self) -> int:
        """Carry the demo out and return its exit code; everything is stopped then, whatever happened."""
        try:
            missing = self._load() or self._talk()
            self._console.live(())
            self._ensemble.stop(_LOOK_S)
        finally:
            self._ensemble.close()
            self._reply.close()
        return self._conclude(missing)

    def _load(self) -> str:
        """Start the nodes and wait for them; return why there can be no talk, or nothing."""
        follower, console = self._ensemble.follower, self._console
        # The observer is there first, so that it hears all.
        while not (follower.ready or follower.failure or self._signals.stop):
            console.live(["loading ROS"])
            self._signals.wait(_LOOK_S)
        if follower.failure:
            return f"the dialogue cannot be followed: {follower.failure}"
        end_s = time.monotonic() + self._settings.limit_s
        shown = ""
        while not self._ensemble.readiness.ready:
            if hindrance := self._hindrance(time.monotonic() > end_s):
                return hindrance
            self._step()
            progress = self._progress()
            console.live([progress])
            if progress != shown and not console.is_terminal:
                console.say(progress)
            shown = progress
        return ""

    def _hindrance(self, late: bool) -> str:
        """Return why the nodes will not be ready, or nothing."""
        if self._signals.stop:
            return "stopped before the nodes were ready"
        if self._ensemble.fleet.finished:
            return "the nodes have ended, see above"
        if self._ensemble.readiness.hindrance:
            return self._ensemble.readiness.hindrance
        waiting = ", ".join(self._ensemble.readiness.waiting_for)
        return f"not ready within limit_s = {self._settings.limit_s:g} s: {waiting}" if late else ""

    def _progress(self) -> str:
        waiting = self._ensemble.readiness.waiting_for
        what = f"waiting for {', '.join(waiting)}" if waiting else "ready"
        return f"loading [{bar(1 - len(waiting) / len(NODES), 24)}] {what}"

    def _talk(self) -> str:
        """Follow the talk to its end; return what was missing in it, or nothing."""
        settings = self._settings
        if settings.question is None:
            self._console.say("Speak; Ctrl-C ends the talk.")
        else:
            self._console.say(f"The microphone plays {settings.question} ({settings.question_s:.1f} s).")
        end_s = time.monotonic() + settings.question_s + settings.limit_s
        while not self._signals.stop:
            self._step()
            if settings.question is None and (silent := verdict.without_sound(self._record)):
                return silent
            self._draw()
            late = time.monotonic() > end_s
            if settings.question is not None and (late or verdict.over(self._record, time.monotonic_ns())):
                return verdict.missing(self._record)
        return "" if settings.question is None else "stopped before the question was answered"

    def _step(self) -> None:
        for event in self._ensemble.step(_LOOK_S):
            self._take(event)

    def _take(self, event: Event) -> None:
        self._record.take(event)
        if isinstance(event, Sounded):
            self._meters[event.place].take(event.samples)
            if event.place is Place.LOUDSPEAKER and event.generation:
                self._reply.take(event.samples)
        line = self._subtitles.take(event)
        if line is None:
            return
        self._growing[line.key] = line.text
        if line.done:
            del self._growing[line.key]
            self._draw()
        if line.done or not self._console.is_terminal:
            self._console.say(line.text)

    def _draw(self) -> None:
        meters = "  ".join(meter.draw() for meter in self._meters.values())
        self._console.live([*self._growing.values(), meters])

    def _conclude(self, missing: str) -> int:
        settings, console = self._settings, self._console
        about: dict[str, Any] = {
            "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "machine": machine(),
            "versions": versions(),
            "question": str(settings.question) if settings.question else None,
            "question_s": settings.question_s,
            "parameters": settings.nodes.parameters,
        }
        result = report(self._record, missing, about)
        path = settings.folder / "report.json"
        path.write_text(json.dumps(result, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
        for line in ["", *table(self._record), ""]:
            console.say(line)
        for replaced in result["replaced"]:
            console.say(f"next best: {replaced}")
        console.say(f"Written: {settings.folder / 'reply.wav'}, {path}")
        if missing:
            console.say(f"kame demo: {missing}")
            return 1
        return 0
