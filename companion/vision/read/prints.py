"""The prints that are known of a box, as the classifier sees them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from companion.engine import Face
from companion.vision.read.seen import Floats

Prints = Mapping[Face, Floats]
"""Of each known face the embeddings (n, 64) of its prints, unit vectors."""

_NEAREST = 3
"""The likeness to a face is the mean of that to so many of its prints, the most alike."""


def likeness(embedding: Floats, prints: Floats) -> float:
    """How like the prints (n, d) the die is, a cosine: the mean of the nearest."""
    return float(np.sort(prints @ embedding)[-_NEAREST:].mean())
