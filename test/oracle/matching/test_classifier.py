import numpy as np
import pytest
from numpy.typing import NDArray

from kame_ros.oracle.matching.classifier import Classifier


def unit(*rows: list[float]) -> NDArray[np.float32]:
    vectors = np.array(rows, np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_examples_are_like_their_own_class_and_unlike_others() -> None:
    vectors = unit([1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0, 0.9, 0.1], [0, 0, 1])
    classes = np.array([0, 0, 1, 1, 2])
    likeness = Classifier(vectors, classes, 3).likeness(vectors)
    assert likeness.shape == (5, 3)
    assert likeness.argmax(axis=1).tolist() == classes.tolist()
    assert likeness[0] == pytest.approx([1, 0, 0], abs=0.15)


def test_what_all_examples_share_counts_for_none() -> None:
    # The first number is the word that stands in every sentence, such as museum.
    vectors = unit([3, 1, 0, 0], [3, 0, 1, 0], [3, 0, 0, 1])
    classifier = Classifier(vectors, np.arange(3), 3)
    shared, mixed = classifier.likeness(unit([1, 0, 0, 0], [3, 1, 0.4, 0]))
    assert np.ptp(shared) < 0.05
    assert mixed[0] > mixed[1] > mixed[2]


def test_a_class_without_examples_is_never_likely() -> None:
    vectors = unit([1, 0], [0, 1])
    assert Classifier(vectors, np.array([0, 0]), 2).likeness(vectors)[:, 1] == pytest.approx([0, 0])
