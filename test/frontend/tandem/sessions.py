"""A process of its own for `test_two_sessions`: plays talks one after the other in one slot and prints what was made.

``python sessions.py CHECKPOINT SEED...`` prints a line for each talk: a digest of every oracle token, text token and
sample. In each of them an oracle is left unfinished.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import torch

from kame_ros.frontend.inputs import InterruptRule, Oracle, OracleStatus
from kame_ros.frontend.tandem.checkpoint import load_checkpoint
from kame_ros.frontend.tandem.conversation import Conversation
from kame_ros.frontend.tandem.sampling import Sampling
from kame_ros.frontend.tandem.stepper import Stepper
from kame_ros.models.checkpoint_files import find_checkpoint
from kame_ros.models.step import STEP_SAMPLES

STEPS = 30
WORDS = ("the old harbour is the best place to begin", "we open at ten in the morning on Saturday")


def main(checkpoint: Path, seeds: list[int]) -> None:
    """Play a talk for each seed."""
    torch.set_num_threads(1)
    loaded = load_checkpoint(find_checkpoint(str(checkpoint)), torch.device("cpu"), torch.float32)
    stepper = Stepper(loaded.lm, loaded.mimi, 1, Sampling(greedy=True))
    stepper.warm_up()
    for seed in seeds:
        stepper.reset(0)
        talk = Conversation(seed, loaded.tokenizer, loaded.ids, InterruptRule.OFF, 0.5, uses_oracle=True)
        heard = np.random.default_rng(seed).integers(-9000, 9000, (STEPS, 1, STEP_SAMPLES), dtype=np.int16)
        made = hashlib.sha256()
        for step, block in enumerate(heard):
            if step in (3, STEPS - 6):
                text = WORDS[seed % len(WORDS)]
                talk.tell(Oracle(seed, 1 + step, 1, OracleStatus.GROWING, text, turn_final=True))
            token = talk.next_token()
            result = stepper.step(block, [token], [True])
            talk.take_step(result.text_tokens[0], None)
            made.update(f"{token} {result.text_tokens[0]} ".encode() + result.sound.tobytes())
        assert token != loaded.ids.padding, "the oracle is not left unfinished"
        sys.stdout.write(made.hexdigest() + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]])
