"""An embedding that needs no download: hashed character n-grams, made dense by an SVD.

It knows spelling and nothing of meaning ("turnover" is far from "revenue"). It stands in for a
real model so that the example runs anywhere; its numbers say nothing about real embeddings.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

N_BUCKETS = 4096
LENGTHS = (3, 4, 5)


class Embedding:
    """Fitted on the passages; `embed` gives unit vectors of `dim` numbers."""

    def __init__(self, texts: Sequence[str], dim: int = 48) -> None:
        counts = np.array([hashed(text) for text in texts])
        seen = (counts > 0).sum(axis=0)
        self.weights = np.log((1 + len(texts)) / (1 + seen))
        _, _, right = np.linalg.svd(np.sqrt(counts) * self.weights, full_matrices=False)
        self.basis = right[:dim].T

    def embed(self, text: str) -> list[float]:
        """The vector of a text."""
        vector = (np.sqrt(hashed(text)) * self.weights) @ self.basis
        length = float(np.linalg.norm(vector))
        return (vector / length if length else vector).tolist()


def hashed(text: str) -> NDArray[np.float64]:
    """How often each bucket of character n-grams occurs; the hash is the same in every process."""
    found = np.zeros(N_BUCKETS)
    for word in re.findall(r"\w+", text.lower()):
        padded = f" {word} "
        for length in LENGTHS:
            for start in range(len(padded) - length + 1):
                gram = padded[start : start + length]
                found[zlib.crc32(gram.encode()) % N_BUCKETS] += 1
    return found
