"""The similarity of a die to the known prints of a box, as embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from companion.engine import Face
from companion.vision.read.seen import Floats

Prints = Mapping[Face, Floats]
"""By known face the embeddings (n, 64) of its prints, unit vectors."""

NEAREST: Final = 3
"""The number of most similar prints of a face whose mean similarity counts."""


def likeness(embedding: Floats, prints: Floats) -> float:
    """The mean cosine between an embedding and the nearest of the prints (n, d)."""
    return float(np.sort(prints @ embedding)[-NEAREST:].mean())
