"""Generations of the robot's speech, on made-up steps."""

from __future__ import annotations

import numpy as np

from kame_ros.frontend.inputs import CutReason, Played
from kame_ros.frontend.outputs import Cut, Output, Said, SaidStatus, Speech
from kame_ros.frontend.tandem.robot_speech import RobotSpeech
from kame_ros.models.step import STEP_SAMPLES
from kame_ros.models.tokenizer import Tokenizer

SESSION = 7
SOUND = np.arange(STEP_SAMPLES, dtype=np.int16)


class Robot:
    def __init__(self, tokenizer: Tokenizer) -> None:
        self.outputs: list[Output] = []
        self.tokenizer = tokenizer
        self.speech = RobotSpeech(SESSION, tokenizer, 0.5, self.outputs.append)
        self.speech.begin(1, turn=0, promised=False)

    def say(self, text: str) -> None:
        for token in self.tokenizer.encode(text).ids:
            self.speech.take_step(token, SOUND)

    def silence(self, steps: int) -> None:
        for _ in range(steps):
            self.speech.take_step(None, SOUND)

    def play(self, samples: int, generation: int = 1, *, flushed: bool = False) -> None:
        self.speech.take_played(Played(SESSION, generation, samples, flushed))

    def said(self, generation: int = 1) -> Said:
        return [output for output in self.outputs if isinstance(output, Said) and output.generation == generation][-1]


def test_a_step_is_sent_as_frames(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.silence(1)
    frames = [output.samples for output in robot.outputs if isinstance(output, Speech)]
    assert [len(frame) for frame in frames] == [480] * 4
    np.testing.assert_array_equal(np.concatenate(frames), SOUND)


def test_after_a_cut_nothing_is_sent_until_a_generation_begins(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.say("hello")
    robot.silence(8)
    assert robot.speech.sounding
    robot.speech.cut(CutReason.USER)
    assert not robot.speech.held
    assert not robot.speech.sounding
    assert robot.outputs[-2] == Cut(SESSION, 1, CutReason.USER)
    assert robot.said().status is SaidStatus.INTERRUPTED
    before = len(robot.outputs)
    robot.say("there")
    robot.silence(6)
    assert not robot.speech.held
    robot.silence(1)
    assert robot.speech.held
    robot.speech.cut(CutReason.USER)
    assert robot.outputs[before:] == []
    robot.speech.begin(2, turn=3, promised=False)
    robot.say("yes")
    assert robot.said(2) == Said(SESSION, 3, 2, 1, "yes", 0, SaidStatus.GROWING)


def test_it_is_over_a_second_after_its_last_word_once_that_was_heard(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.silence(50)
    assert not robot.speech.over
    robot.say("hello")
    robot.silence(12)
    robot.play(51 * STEP_SAMPLES)  # the word's sound is not over
    assert not robot.speech.over
    robot.play(60 * STEP_SAMPLES)
    assert not robot.speech.over
    robot.silence(1)
    assert robot.speech.over


def test_it_is_over_some_time_later_if_nobody_says_that_it_was_heard(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.say("hello")
    for _ in range(37):
        robot.silence(1)
        robot.play(0)
    assert not robot.speech.over
    robot.silence(1)
    assert robot.speech.over


def test_without_a_loudspeaker_the_steps_count_as_played(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.say("hello")
    robot.silence(11)
    assert robot.speech.sounding
    robot.silence(2)
    assert not robot.speech.sounding
    assert robot.said().heard_length == 0


def test_what_was_sent_before_the_next_generation_is_heard_when_that_one_is_played(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.say("one two")
    robot.speech.begin(2, turn=0, promised=False)
    robot.silence(1)
    assert robot.said().heard_length == 0
    robot.play(480, generation=2)
    assert robot.said() == Said(SESSION, 0, 1, 4, "one two", 7, SaidStatus.COMPLETE)


def test_of_what_was_cut_only_the_loudspeaker_tells_what_was_heard(words: Tokenizer) -> None:
    robot = Robot(words)
    robot.say("one two three")
    robot.speech.cut(CutReason.SERVICE)
    robot.play(2 * STEP_SAMPLES)
    assert robot.said().heard_length == len("one two")
    robot.speech.begin(2, turn=0, promised=False)
    robot.play(480, generation=2)
    robot.play(9 * STEP_SAMPLES)
    assert robot.said().heard_length == len("one two")
