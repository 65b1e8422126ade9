"""Whether the user holds the floor, and whether an answer is awaited."""

from __future__ import annotations

from kame_ros.frontend.inputs import TurnStatus, UserTurn, Voiced

# A turn of which nothing is heard for longer than any pause that closes one (5 s) has lost its owner.
_ABANDONED_S = 6.0
# By then the words of a voice are known (the first partial comes after about 0.6 s), or it is noise that has none.
_WORDLESS_S = 2.0
# So long a text that waits for quiet leaves room for the answer to a turn that has just been closed.
_ANSWER_WAIT_S = 5.0


class UserFloor:
    """Follows the user's turns and voice. Pure; told of the time that passes."""

    def __init__(self) -> None:
        """Start before the first turn, silent."""
        self.turn = 0
        """The newest one, 0 before the first."""
        self.open = False
        self.has_words = False
        self._speaking = False
        self._overriding_s: float | None = None  # age of a voice that stops the robot; None: there is none
        self._without_news_s = 0.0
        self._answer_wait_s = 0.0
        self._stop_turn = 0  # the newest one that asked the robot to stop

    @property
    def held(self) -> bool:
        """True while the user speaks or a turn is open."""
        return self._speaking or self.open

    @property
    def overrides(self) -> bool:
        """True in the first 2 s of a voice that stops the robot: whether it says anything is not known yet."""
        return self._overriding_s is not None and self._overriding_s < _WORDLESS_S

    @property
    def awaits_answer(self) -> bool:
        """True for a while after a turn with words was closed, until it is answered."""
        return self._answer_wait_s > 0

    def take_turn(self, news: UserTurn) -> None:
        """Take how far a turn is; what comes late of an older or closed one changes nothing."""
        if news.turn < self.turn or (news.turn == self.turn and not self.open):
            return
        if news.turn > self.turn:
            self.turn, self.has_words = news.turn, False
        self.has_words = self.has_words or news.has_words
        self.open = news.status is TurnStatus.PARTIAL
        self._without_news_s = 0.0
        self._answer_wait_s = _ANSWER_WAIT_S if news.status is TurnStatus.FINAL else 0.0

    def asks_to_stop(self, news: UserTurn) -> bool:
        """Tell whether ``news`` asks the robot to stop: once in a turn, so that the answer to it can be spoken."""
        first = news.asks_to_stop and news.turn > self._stop_turn
        if first:
            self._stop_turn = news.turn
        return first

    def take_answer(self, turn: int) -> None:
        """The answer to the final transcript of ``turn`` has come, so the turn is closed, told or not."""
        if turn >= self.turn:
            if turn > self.turn:
                self.turn, self.has_words = turn, True
            self.open = False
            self._answer_wait_s = 0.0

    def take_voice(self, voiced: Voiced, *, stops_robot: bool = False) -> None:
        """Take what the voice activity detector noticed, and whether it stops the robot where that speaks."""
        self._speaking = voiced is not Voiced.END
        self._without_news_s = 0.0
        if not self._speaking:
            self._overriding_s = None
        elif stops_robot and self._overriding_s is None:
            self._overriding_s = 0.0

    def lose_voice(self) -> None:
        """The microphone has stopped: an end of speech may never come."""
        self._speaking = False
        self._overriding_s = None

    def elapse(self, duration_s: float) -> None:
        """Let time pass."""
        self._answer_wait_s = max(0.0, self._answer_wait_s - duration_s)
        if self._overriding_s is not None:
            self._overriding_s += duration_s
        if self.open and not self._speaking:
            self._without_news_s += duration_s
            self.open = self._without_news_s < _ABANDONED_S
