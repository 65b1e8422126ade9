"""Turns messages into what a frontend is told, and what it tells into messages."""

from __future__ import annotations

from array import array

import numpy as np
from std_msgs.msg import Header

from kame_ros.frontend.dialogue import DialogueView
from kame_ros.frontend.inputs import (
    SAMPLE_RATE_HZ,
    Activity,
    MicFrame,
    Oracle,
    OracleStatus,
    Played,
    TurnStatus,
    UserTurn,
    Voiced,
)
from kame_ros.frontend.outputs import Cut, OracleUse, Said, Speech
from kame_ros.frontend.stop_words import StopWords
from kame_ros.msg import (
    AudioFrame,
    DialogueState,
    Interrupt,
    OracleProgress,
    OracleText,
    RobotText,
    SpeakerState,
    Transcript,
    VoiceActivity,
)


def mic_frame(message: AudioFrame, session: int, skip_samples: int) -> MicFrame:
    """Read a frame of mic/audio for ``session``, without its first ``skip_samples``."""
    samples = np.frombuffer(message.samples, np.int16)[skip_samples:]
    return MicFrame(session, message.stream, message.first_sample + skip_samples, samples)


def activity(message: VoiceActivity) -> Activity | None:
    """Read mic/activity; None when it holds no event."""
    return None if message.event == VoiceActivity.NONE else Activity(message.session, Voiced(message.event))


def user_turn(message: Transcript, stop_words: StopWords) -> UserTurn:
    """Read user/transcript."""
    return UserTurn(
        session=message.session,
        turn=message.turn,
        status=TurnStatus(message.status),
        has_words=bool(message.text.strip()),
        asks_to_stop=stop_words.said(message.text),
    )


def oracle(message: OracleText) -> Oracle:
    """Read oracle/text."""
    return Oracle(
        session=message.session,
        turn=message.turn,
        revision=message.revision,
        status=OracleStatus(message.status),
        text=message.text,
        turn_final=message.turn_final,
    )


def played(message: SpeakerState) -> Played:
    """Read speaker/state."""
    idle = not message.playing and message.buffered_s == 0
    return Played(message.session, message.generation, message.played_samples, message.flushed, idle)


def audio_frame(speech: Speech, header: Header, stream: int, first_sample: int) -> AudioFrame:
    """Write speaker/audio; positions count on over all generations of the node's ``stream``."""
    return AudioFrame(
        header=header,
        session=speech.session,
        stream=stream,
        first_sample=first_sample,
        sample_rate=SAMPLE_RATE_HZ,
        channels=1,
        generation=speech.generation,
        # An array of the right type is taken as it is; anything else would be checked sample by sample.
        samples=array("h", speech.samples.tobytes()),
    )


def robot_text(said: Said, header: Header) -> RobotText:
    """Write robot/text."""
    return RobotText(
        header=header,
        session=said.session,
        turn=said.turn,
        generation=said.generation,
        revision=said.revision,
        text=said.text,
        heard_length=said.heard_length,
        status=said.status,
    )


def oracle_progress(use: OracleUse, header: Header) -> OracleProgress:
    """Write oracle/progress."""
    return OracleProgress(
        header=header,
        session=use.session,
        turn=use.turn,
        revision=use.revision,
        fed=use.fed,
        spoken=use.spoken,
        superseded=use.superseded,
    )


def interrupt(cut: Cut, header: Header) -> Interrupt:
    """Write speaker/interrupt."""
    return Interrupt(header=header, session=cut.session, up_to_generation=cut.up_to_generation, reason=cut.reason)


def dialogue_state(view: DialogueView, header: Header, frontend: str) -> DialogueState:
    """Write dialogue/state."""
    return DialogueState(
        header=header,
        session=view.session,
        floor=view.holder,
        phase=view.phase,
        frontend=frontend,
        reason=view.reason,
    )
