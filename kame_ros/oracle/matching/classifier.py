"""Learning from a few example sentences of each class how like a class a new sentence is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_SHARPNESS = 2.0  # of the kernel: how soon the influence of an example fades with the cosine
_RIDGE = 0.1  # doubt about each example, against learning single ones by heart


class Classifier:
    """Kernel ridge regression on unit vectors, kernel exp(s (cosine - 1)), solved once at construction.

    Unlike the nearest example alone it learns what tells classes apart: a word that all of them share counts for none.
    """

    def __init__(self, vectors: Array, classes: NDArray[np.intp], count: int) -> None:
        """Learn from unit vectors, float32 [examples, size], and the class of each, 0 to ``count`` - 1."""
        self._examples = vectors
        kernel = self._kernel(vectors)
        kernel[np.diag_indices_from(kernel)] += np.float32(_RIDGE)
        self._weights: Array = np.linalg.solve(kernel, np.eye(count, dtype=np.float32)[classes])

    def likeness(self, vectors: Array) -> Array:
        """Return how like each class unit vectors [n, size] are, float32 [n, count], about 0 (not) to 1."""
        result: Array = self._kernel(vectors) @ self._weights
        return result

    def _kernel(self, vectors: Array) -> Array:
        result: Array = np.exp(np.float32(_SHARPNESS) * (vectors @ self._examples.T - 1))
        return result
