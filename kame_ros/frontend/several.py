"""Several frontends of one slot each, as one with several slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kame_ros.frontend.errors import FrontendError
from kame_ros.frontend.frontend import Frontend
from kame_ros.frontend.inputs import MicFrame, News, SayWhen
from kame_ros.frontend.outputs import Output, SayReply
from kame_ros.frontend.tuning import Tuning

_NO_SESSION = "no session is open"


class Several:
    """A `Frontend` that gives each session one of ``frontends`` of its own."""

    def __init__(self, frontends: Sequence[Frontend]) -> None:
        """Take the frontends, none of them started."""
        self._free = list(frontends)
        self._taken: dict[int, Frontend] = {}

    def start(self, emit: Callable[[Output], None]) -> None:
        """Begin to load them all, see `Frontend`."""
        for frontend in self._free:
            frontend.start(emit)

    def open_session(self, session: int) -> None:
        """Take a free one, see `Frontend`."""
        if not self._free:
            taken = ", ".join(map(str, self._taken))
            raise FrontendError(
                f"session {session}: max_sessions = {len(self._taken)}, and all are taken, by {taken}; stop one"
            )
        self._free[-1].open_session(session)
        self._taken[session] = self._free.pop()

    def close_session(self, session: int) -> None:
        """Free it, see `Frontend`."""
        frontend = self._taken.get(session)
        if frontend:
            frontend.close_session(session)
            del self._taken[session]
            self._free.append(frontend)

    def hear(self, frame: MicFrame) -> None:
        """Hand on a frame, see `Frontend`."""
        if frontend := self._taken.get(frame.session):
            frontend.hear(frame)

    def tell(self, news: News) -> None:
        """Hand on ``news``, see `Frontend`."""
        if frontend := self._taken.get(news.session):
            frontend.tell(news)

    def say(self, session: int, text: str, when: SayWhen) -> SayReply:
        """Have ``text`` said, see `Frontend`."""
        frontend = self._taken.get(session)
        return frontend.say(session, text, when) if frontend else SayReply(0, _NO_SESSION)

    def interrupt(self, session: int) -> str:
        """Stop what is being said, see `Frontend`."""
        frontend = self._taken.get(session)
        return frontend.interrupt(session) if frontend else _NO_SESSION

    def tune(self, tuning: Tuning) -> None:
        """Tune them all, see `Frontend`."""
        for frontend in (*self._free, *self._taken.values()):
            frontend.tune(tuning)

    def counters(self) -> Mapping[str, object]:
        """Count slots."""
        return {"slots_taken": len(self._taken), "slots_free": len(self._free)}

    def close(self) -> None:
        """Close them all, see `Frontend`."""
        for session in list(self._taken):
            self.close_session(session)
        for frontend in self._free:
            frontend.close()
