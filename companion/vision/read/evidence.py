"""Logistic models: the log-odds of being a die, of lying flat, of its face, of being cut off.

No single sign separates a die's top from its side, a marker or a token: the detector may score a
side face high, which does not fit the plane; a cocked die does not fit either, but shows its print.
Together, with weights fitted on rendered pictures (`models.measure.fit_evidence`), they do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from companion.vision.networks.contract import Evidence

Floats = npt.NDArray[np.float64]

SIGNS = ("score", "top", "lean", "misfit", "reject", "face", "contrast", "rank", "constant")
"""The order of `Evidence.weights`."""


def signs(
    chances: npt.ArrayLike, leans: npt.ArrayLike, misfits: npt.ArrayLike, contrasts: npt.ArrayLike
) -> Floats:
    """(N, 9) the signs that each candidate is a die, in the order of `SIGNS`.

    `chances` (N, 4): the detector's score, the probabilities of being a top, of being no readable
    face, and of the likeliest face. `leans` (N,) degrees, `misfits` (N,) shares of a side,
    `contrasts` (N,) grey levels. Each is bounded, so that no sign decides by itself. The rank
    is the score relative to the fourth best: dice of one picture score about equally.
    """
    odds = _log_odds(np.asarray(chances, np.float64))
    scores = np.maximum(np.asarray(chances, np.float64)[:, 0], 1e-3)
    fourth = np.sort(scores)[::-1][min(3, len(scores) - 1)]
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            np.minimum(leans, 45.0) / 20,
            np.minimum(misfits, 1.0),
            odds[:, 2],
            odds[:, 3],
            np.minimum(contrasts, 150.0) / 50,
            np.clip(np.log(scores / fourth), -2.0, 1.0),
            np.ones(len(odds)),
        ),
        axis=1,
    )


_COMMON_DEG = 2.0
"""The error of the common axis: no lean is known better."""

FLAT_SIGNS = ("flat", "lean", "misfit", "surprise", "spread", "constant")
"""The order of `Evidence.flat_weights`."""


def flat_signs(looks: npt.ArrayLike, leans: npt.ArrayLike, misfits: npt.ArrayLike) -> Floats:
    """(N, 6) the signs that each die lies flat, in the order of `FLAT_SIGNS`.

    `looks` (N, 2): its own look's probability, and the typical error of its axis in degrees;
    `leans` (N,) degrees and `misfits` (N,) shares of a side against the other dice. The surprise
    is the lean in units of the typical errors of its axis and the common one.
    """
    flats, spreads = np.asarray(looks, np.float64).reshape(-1, 2).T
    spreads = np.maximum(spreads, 1.0)
    return np.stack(
        (
            np.clip(_log_odds(flats), -5.0, 5.0),
            np.minimum(leans, 45.0) / 10,
            np.sqrt(np.minimum(misfits, 1.0)),
            np.minimum(np.asarray(leans) / (spreads + _COMMON_DEG), 6.0) / 2,
            np.log(spreads),
            np.ones(len(flats)),
        ),
        axis=1,
    )


CUT_SIGNS = ("score", "top", "reject", "face", "contrast", "size", "inside", "constant")
"""The order of `Evidence.cut_weights`."""


def cut_signs(
    chances: npt.ArrayLike,
    contrasts: npt.ArrayLike,
    lengths: npt.ArrayLike,
    insides: npt.ArrayLike,
) -> Floats:
    """(N, 8) the signs that each candidate is a die cut off, in the order of `CUT_SIGNS`.

    As `signs`, without those that need the whole die: its axis and its fit to the plane.
    `lengths` (N,) px are the sides of the tops; the size sign is the absolute logarithm of the
    length relative to the likeliest finds, since dice of one picture have similar sizes.
    `insides` (N,) are the shares of the tops inside the picture: a sliver shows weaker signs.
    """
    odds = _log_odds(np.asarray(chances, np.float64))
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            odds[:, 2],
            odds[:, 3],
            np.minimum(contrasts, 150.0) / 50,
            np.minimum(np.abs(np.log(_relative(odds[:, 0], np.asarray(lengths, np.float64)))), 1.5),
            np.asarray(insides, np.float64),
            np.ones(len(odds)),
        ),
        axis=1,
    )


def _relative(scores: Floats, lengths: Floats) -> Floats:
    """(N,) the lengths relative to the median of the five that score best."""
    lengths = np.maximum(lengths, 1.0)
    return np.asarray(lengths / np.median(lengths[np.argsort(-scores)[:5]]), np.float64)


def cut_log_odds(evidence: Evidence, seen: Floats) -> Floats:
    """(N,) the log-odds that each candidate is a die cut off, from its signs (N, 6)."""
    return np.asarray(seen @ np.array(evidence.cut_weights), np.float64)


def flat_log_odds(evidence: Evidence, seen: Floats) -> Floats:
    """(N,) the log-odds that each die lies flat, from its signs (N, 6)."""
    return np.asarray(seen @ np.array(evidence.flat_weights), np.float64)


def log_odds(evidence: Evidence, seen: Floats) -> Floats:
    """(N,) the log-odds that each candidate is a die, from its signs (N, 9)."""
    return np.asarray(seen @ np.array(evidence.weights), np.float64)


def choose_dice(evidence: Evidence, odds: Sequence[float], expected: int | None) -> list[int]:
    """Choose the dice among candidates; indices into `odds`.

    Where the number of dice is known, the likeliest possible ones complete it, under a lower bound,
    and the others are dropped. Where it is not known, every possible one is reported.
    """
    lowest = evidence.possible if expected is None else evidence.possible_if_counted
    certain = [i for i, value in enumerate(odds) if value >= evidence.accept]
    perhaps = [i for i, value in enumerate(odds) if lowest <= value < evidence.accept]
    perhaps.sort(key=lambda index: -odds[index])
    if expected is not None:
        perhaps = perhaps[: max(0, expected - len(certain))]
    return certain + perhaps


FACE_SIGNS = ("odds", "likeness", "alone", "alone odds", "likeness odds", "company", "constant")
"""The order of `Evidence.face_weights` and `Enrolment.face_weights`."""


def face_signs(chances: npt.ArrayLike, likenesses: npt.ArrayLike) -> Floats:
    """(N, 7) the signs that each die's likeliest face is right, in the order of `FACE_SIGNS`.

    `chances` (N, 3): the probabilities of its likeliest face of the game, of the next one, and of
    whatever is no face of the game. `likenesses` (N,) are cosines to what shows the same face,
    another die or known prints; NaN where nothing does. All dice of a box carry the same print of a
    face, so a foreign sign that is taken for a face differs from it, however sure the network is of
    both. Other games' dice come several at a time: the company is how likely one of the others is
    no face of the game, nothing while it may well be one.
    """
    best, second, none = np.maximum(np.asarray(chances, np.float64).reshape(-1, 3).T, 0.0)
    odds = np.log(np.maximum(best, 1e-6) / (second + none + 1e-4))
    alike = np.asarray(likenesses, np.float64)
    alone = np.isnan(alike)
    likeness = np.where(alone, 0.0, -np.log(1.02 - np.where(alone, 0.0, alike)))
    return np.stack(
        (
            odds,
            likeness,
            alone.astype(np.float64),
            alone * odds,
            likeness * odds,
            _most_of_others(np.clip(_log_odds(none), 0.0, 6.0)),
            np.ones(len(odds)),
        ),
        axis=1,
    )


def _most_of_others(values: Floats) -> Floats:
    """(N,) the largest of the values beside each, 0 for one alone; none is negative."""
    ordered = np.sort(np.concatenate((np.zeros(2), values)))
    return np.asarray(np.where(values == ordered[-1], ordered[-2], ordered[-1]), np.float64)


def face_log_odds(weights: Sequence[float], seen: Floats) -> Floats:
    """(N,) the log-odds that each die's likeliest face is right, from its signs (N, 7)."""
    return np.asarray(seen @ np.array(weights), np.float64)


def chances_of(odds: Floats) -> Floats:
    """The probabilities of log-odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30.0, 30.0))), np.float64)


def _log_odds(chances: Floats) -> Floats:
    bounded = np.clip(chances, 1e-4, 1 - 1e-4)
    return np.log(bounded / (1 - bounded))
