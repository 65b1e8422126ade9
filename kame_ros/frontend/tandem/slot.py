"""One place in the batch, and the session that is in it."""

from __future__ import annotations

from collections.abc import Callable

from kame_ros.frontend.inputs import InterruptRule, MicFrame, MicStopped, News
from kame_ros.frontend.outputs import Output
from kame_ros.frontend.tandem.backlog import Backlog
from kame_ros.frontend.tandem.conversation import Conversation
from kame_ros.frontend.tandem.schedule import SlotView
from kame_ros.frontend.tandem.sound_check import SoundCheck
from kame_ros.frontend.tandem.step_maker import Stepped


class Slot:
    """What a session has in the engine: the sound that waits, and its conversation once the model is there."""

    def __init__(self, session: int, most_steps: int) -> None:
        """Start empty; ``most_steps`` of sound may wait."""
        self.session = session
        self.backlog = Backlog(most_steps)
        self.check = SoundCheck()
        self.conversation: Conversation | None = None
        self.steps = 0
        self.early_steps = 0
        """Steps of sound that came and went before the model was there."""
        self.begun = False
        """False until the model has forgotten who was in this place before."""
        self._running = False
        self._cut_before = 0

    @property
    def cut_steps(self) -> int:
        """Steps of sound that nobody heard, since the model was too slow."""
        return self.backlog.counts.cut_steps - self._cut_before

    def begin(self, converse: Callable[[int, InterruptRule], Conversation], rule: InterruptRule) -> None:
        """The model is there: of the sound that came before it only the newest step is heard."""
        self._cut_before = self.early_steps = self.backlog.counts.cut_steps
        while self.backlog.ready_steps > 1:
            self.backlog.pop()
            self.early_steps += 1
        self.conversation = converse(self.session, rule)

    def hear(self, frame: MicFrame, now_s: float) -> None:
        """Take a frame that comes at ``now_s``."""
        self._running = True
        self.backlog.push(frame, now_s)

    def tell(self, news: News) -> None:
        """Take anything else; what comes before the model is lost."""
        if isinstance(news, MicStopped):
            self._running = False
        if self.conversation:
            self.conversation.tell(news)

    def view(self, now_s: float) -> SlotView:
        """Return what there is to step."""
        oldest_s = self.backlog.oldest_s
        return SlotView(None if oldest_s is None else now_s - oldest_s, self._running)

    def take(self, stepped: Stepped, index: int) -> None:
        """Take the outcome of its step, which was made at ``index`` of the batch."""
        self.steps += 1
        text_token = stepped.text_tokens[index]
        sound = None if text_token is None else self.check.check(stepped.sound[index])
        if self.conversation:
            self.conversation.take_step(text_token, sound)

    def outputs(self) -> list[Output]:
        """Return what is to be told, in order."""
        return self.conversation.outputs() if self.conversation else []
