"""Is it a die at all, and does it lie flat? One number each from all that speaks for or against.

No single sign tells a die's top from its side, a marker or a token: the detector may like a side
face, which does not fit the plane; a cocked die does not fit either, but shows its print. Weighed
together by weights fitted on rendered pictures they do.
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
    """(N, 9) what speaks for each candidate, in the order of `SIGNS`.

    `chances` (N, 4): the detector's score, the probabilities of being a top, of being no readable
    face, and of the likeliest face. `leans` (N,) degrees, `misfits` (N,) shares of a side,
    `contrasts` (N,) grey levels. Each is bounded, so that none of them decides alone. The rank
    is the score against that of the fourth best: dice of one picture are liked about equally.
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
"""No lean is known better than this: the axis of most dice is off as well."""

FLAT_SIGNS = ("flat", "lean", "misfit", "surprise", "spread", "constant")
"""The order of `Evidence.flat_weights`."""


def flat_signs(looks: npt.ArrayLike, leans: npt.ArrayLike, misfits: npt.ArrayLike) -> Floats:
    """(N, 6) what speaks for each die lying flat, in the order of `FLAT_SIGNS`.

    `looks` (N, 2): its own look's probability, and by how many degrees its axis is typically off;
    `leans` (N,) degrees and `misfits` (N,) shares of a side against the other dice. The surprise
    is the lean in typical errors, its own and that of the others.
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
    """(N, 8) what speaks for each candidate at the picture's edge, in the order of `CUT_SIGNS`.

    As in `signs`, less what needs the whole die to be seen: its axis and how it fits the plane.
    `lengths` (N,) px are the sides of the tops; the size is by how much, as a logarithm, it is
    another than that of the likeliest finds: dice of one picture are about as large. `insides` (N,)
    are the shares of the tops in the picture: of a sliver less can be expected.
    """
    odds = _log_odds(np.asarray(chances, np.float64))
    return np.stack(
        (
            odds[:, 0],
            np.minimum(odds[:, 1], 7.0),
            odds[:, 2],
            odds[:, 3],
            np.minimum(contrasts, 150.0) / 50,
            np.minimum(np.abs(np.log(_others(odds[:, 0], np.asarray(lengths, np.float64)))), 1.5),
            np.asarray(insides, np.float64),
            np.ones(len(odds)),
        ),
        axis=1,
    )


def _others(liked: Floats, lengths: Floats) -> Floats:
    """(N,) each length in shares of the median of the five that are liked best."""
    lengths = np.maximum(lengths, 1.0)
    return np.asarray(lengths / np.median(lengths[np.argsort(-liked)[:5]]), np.float64)


def cut_log_odds(evidence: Evidence, seen: Floats) -> Floats:
    """(N,) the logarithm of the odds that each is a die cut off, from its signs (N, 8)."""
    return np.asarray(seen @ np.array(evidence.cut_weights), np.float64)


def flat_log_odds(evidence: Evidence, seen: Floats) -> Floats:
    """(N,) the logarithm of the odds that each die lies flat, from its signs (N, 6)."""
    return np.asarray(seen @ np.array(evidence.flat_weights), np.float64)


def log_odds(evidence: Evidence, seen: Floats) -> Floats:
    """(N,) the logarithm of the odds that each candidate is a die, from its signs (N, 9)."""
    return np.asarray(seen @ np.array(evidence.weights), np.float64)


def chosen(
    evidence: Evidence, odds: Sequence[float], expected: int | None
) -> tuple[list[int], list[int]]:
    """Which candidates are dice, and which of these only perhaps; indices into `odds`.

    Where so many dice are expected, the likeliest of the doubtful fill up what the certain leave
    open, and the others are nothing: a die known to be there may be faint. Where nobody knows how
    many there are, every doubtful one is reported, because it could be a die.
    """
    least = evidence.trace if expected is None else evidence.faint
    certain = [i for i, value in enumerate(odds) if value >= evidence.die]
    perhaps = [i for i, value in enumerate(odds) if least <= value < evidence.die]
    perhaps.sort(key=lambda index: -odds[index])
    if expected is not None:
        perhaps = perhaps[: max(0, expected - len(certain))]
    return certain, perhaps


def _log_odds(chances: Floats) -> Floats:
    bounded = np.clip(chances, 1e-4, 1 - 1e-4)
    return np.log(bounded / (1 - bounded))
