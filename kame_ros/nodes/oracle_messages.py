"""Turns messages into what the oracle's worker takes, and what it reports into messages."""

from __future__ import annotations

import json

import numpy as np
from std_msgs.msg import Header

from kame_ros.msg import AudioFrame, Intent, OracleText, Transcript, VoiceActivity
from kame_ros.oracle import reports
from kame_ros.oracle.inbox import Activity, ActivityKind, Frame
from kame_ros.oracle.reports import OracleStatus, TranscriptStatus
from kame_ros.oracle.transcriber import SAMPLE_RATE_HZ

_USUAL_PRIORITY = 128
_UNKNOWN = -1.0

_KINDS = {
    VoiceActivity.NONE: ActivityKind.LEVEL,
    VoiceActivity.ONSET: ActivityKind.ONSET,
    VoiceActivity.END: ActivityKind.END,
}
_TRANSCRIPT_STATUS = {
    TranscriptStatus.PARTIAL: Transcript.PARTIAL,
    TranscriptStatus.FINAL: Transcript.FINAL,
    TranscriptStatus.NOT_UNDERSTOOD: Transcript.NOT_UNDERSTOOD,
}
_ORACLE_STATUS = {
    OracleStatus.GROWING: OracleText.GROWING,
    OracleStatus.COMPLETE: OracleText.COMPLETE,
    OracleStatus.INCOMPLETE: OracleText.INCOMPLETE,
    OracleStatus.CANCELLED: OracleText.CANCELLED,
}


def frame(message: AudioFrame, skip_samples: int) -> Frame:
    """Read a frame of mic/audio without its first ``skip_samples``."""
    samples = np.frombuffer(message.samples, np.int16)[skip_samples:]
    skipped_ns = skip_samples * 1_000_000_000 // SAMPLE_RATE_HZ
    steady_ns = message.steady_ns + skipped_ns if message.steady_ns else None
    return Frame(message.stream, message.first_sample + skip_samples, samples, steady_ns)


def activity(message: VoiceActivity) -> Activity | None:
    """Read mic/activity; None for what is not about turns."""
    kind = _KINDS.get(message.event)
    if kind is None:
        return None
    probability = None if message.probability < 0.0 else float(message.probability)
    return Activity(kind, message.stream, message.at_sample, probability)


def transcript(report: reports.Transcript, header: Header) -> Transcript:
    """Write user/transcript."""
    return Transcript(
        header=header,
        session=report.session,
        turn=report.turn,
        revision=report.revision,
        status=_TRANSCRIPT_STATUS[report.status],
        text=report.text,
        stable_length=report.stable_length,
        confidence=_UNKNOWN if report.confidence is None else report.confidence,
        locale=report.locale,
        stream=report.stream or 0,
        first_sample=report.first_sample,
        end_sample=report.first_sample if report.end_sample is None else report.end_sample,
    )


def oracle_text(report: reports.Oracle, header: Header) -> OracleText:
    """Write oracle/text."""
    return OracleText(
        header=header,
        session=report.session,
        turn=report.turn,
        revision=report.revision,
        status=_ORACLE_STATUS[report.status],
        text=report.text,
        transcript_revision=report.transcript_revision,
        turn_final=report.turn_final,
        backend=report.backend,
        latency_s=report.latency_s,
    )


def intent(report: reports.IntentFound, header: Header) -> Intent:
    """Write intent."""
    return Intent(
        header=header,
        session=report.session,
        turn=report.turn,
        intent=report.intent,
        data=json.dumps(dict(report.roles), ensure_ascii=False),
        modality="text" if report.typed else "speech",
        priority=_USUAL_PRIORITY,
        confidence=_UNKNOWN if report.confidence is None else report.confidence,
    )
