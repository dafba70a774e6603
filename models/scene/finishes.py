"""The finishes of dice: colours, gloss and wear."""

from dataclasses import dataclass

import numpy as np

from models.arrays import Floats


@dataclass(frozen=True, slots=True)
class Finish:
    """The colours and gloss of a die; colours are linear BGR in 0..1."""

    body: Floats
    ink: Floats
    colour: str
    gloss: float
    sharpness: float
    radius: float
    wear: float


def linear(colour: list[float] | Floats) -> Floats:
    """Convert an sRGB-like colour 0..255 to linear 0..1."""
    return np.asarray((np.asarray(colour) / 255.0) ** 2.2, np.float32)


def finish(rng: np.random.Generator, odd: float = 0.18, worn: float = 0.4) -> Finish:
    """Make a random body and ink as owners' dice have them: black and green, a share of `odd`
    colours. `worn` is the most that a print may be worn; above 0.3 strokes may be missing.
    """
    pick = rng.random() / (1 - odd) * 0.82
    green = [rng.uniform(10, 90), rng.uniform(150, 255), rng.uniform(60, 235)]
    dark = np.clip(rng.uniform(8, 70) + rng.normal(0, 8, 3), 4, 255)
    if pick < 0.6:
        body, ink, colour = linear(dark), linear(green), "black"
    elif pick < 0.82:
        body, ink, colour = linear(green), linear(dark * 0.6), "green"
    else:
        body = linear(rng.uniform(10, 250, 3))
        ink = linear(rng.uniform(10, 250, 3))
        if abs(float(body.mean() - ink.mean())) < 0.15:
            ink = np.asarray(body * 0.1 if body.mean() > 0.3 else 1 - body, np.float32)
        colour = "other"
    return Finish(
        body, ink, colour, rng.choice([0.0, 0.25, 0.6, 1.0]) * rng.uniform(0.3, 1.0),
        float(np.exp(rng.uniform(np.log(8), np.log(300)))), rng.uniform(0.06, 0.24),
        rng.uniform(0, worn) if rng.random() < 0.4 else 0.0,
    )  # fmt: skip
