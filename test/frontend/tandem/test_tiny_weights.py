"""Random weights that behave."""

from __future__ import annotations

import numpy as np

from kame_ros.frontend.tandem.tiny_weights import lm_weights, mimi_weights

LM_SHAPES = {
    "emb.0.weight": (9, 64),
    "emb.1.weight": (9, 64),
    "text_emb.weight": (33, 64),
    "text_linear.weight": (32, 64),
    "oracle_emb.weight": (33, 64),
    "out_norm.alpha": (1, 1, 64),
}
MIMI_SHAPES = {
    "encoder.model.0.conv.conv.weight": (4, 1, 7),
    "decoder.model.2.convtr.convtr.weight": (32, 16, 16),
    "decoder.model.14.conv.conv.weight": (1, 4, 3),
    "decoder.model.14.conv.conv.bias": (1,),
}


def test_the_oracle_s_row_of_a_word_points_where_its_logit_is_read() -> None:
    weights = lm_weights(LM_SHAPES, np.random.default_rng(0), padding_id=3)
    likeliest = (weights["oracle_emb.weight"] @ weights["text_linear.weight"].T).argmax(axis=1)
    assert likeliest.tolist() == [*range(32), 3], "the start marker, which is last, must give padding"


def test_shapes_are_kept_and_norms_left_alone() -> None:
    random = np.random.default_rng(0)
    for shapes, weights in (
        (LM_SHAPES, lm_weights(LM_SHAPES, random, padding_id=3)),
        (MIMI_SHAPES, mimi_weights(MIMI_SHAPES, random)),
    ):
        assert {name: values.shape for name, values in weights.items()} == shapes
        assert {values.dtype for values in weights.values()} == {np.dtype(np.float32)}
    assert (lm_weights(LM_SHAPES, random, padding_id=3)["out_norm.alpha"] == 1).all()


def test_the_codec_s_last_filter_gives_no_offset() -> None:
    weights = mimi_weights(MIMI_SHAPES, np.random.default_rng(0))
    np.testing.assert_allclose(weights["decoder.model.14.conv.conv.weight"].sum(axis=-1), 0, atol=1e-6)
    assert not weights["decoder.model.14.conv.conv.bias"].any()
