"""Turns what a microphone has heard into messages."""

from __future__ import annotations

from array import array

from std_msgs.msg import Header

from kame_ros.audio.hearing import Activity, Frame
from kame_ros.audio.pcm import SAMPLE_RATE_HZ
from kame_ros.audio.voice_activity import ActivityKind
from kame_ros.msg import AudioFrame, VoiceActivity

_EVENTS = {
    None: VoiceActivity.NONE,
    ActivityKind.ONSET: VoiceActivity.ONSET,
    ActivityKind.END: VoiceActivity.END,
    ActivityKind.INTERRUPT: VoiceActivity.INTERRUPT,
}
_UNKNOWN_PROBABILITY = -1.0


def audio_frame(frame: Frame, header: Header, session: int) -> AudioFrame:
    """Write mic/audio."""
    return AudioFrame(
        header=header,
        session=session,
        stream=frame.stream,
        first_sample=frame.first_sample,
        steady_ns=frame.steady_ns or 0,
        sample_rate=SAMPLE_RATE_HZ,
        channels=1,
        muted=frame.muted,
        samples=array("h", frame.samples.tobytes()),
    )


def voice_activity(activity: Activity, header: Header, session: int) -> VoiceActivity:
    """Write mic/activity."""
    return VoiceActivity(
        header=header,
        session=session,
        event=_EVENTS[activity.kind],
        stream=activity.stream,
        at_sample=activity.at_sample,
        speaking=activity.speaking,
        probability=_UNKNOWN_PROBABILITY if activity.probability is None else activity.probability,
        level_dbfs=activity.level_dbfs,
    )
