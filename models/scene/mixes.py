"""Kinds of rendered scenes: how often what happens in them."""

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Mix:
    """How often things happen in a kind of scene; shares of scenes, or of dice."""

    counts: tuple[int, ...]
    margins: tuple[float, ...]
    """The distance of dice from the edge, in shares of the picture; below zero they are cut off."""
    foreign: float
    leaning: float
    stacked: float
    cubes: float
    steep: float
    """The share of pictures taken at one of `tilts`; the others are taken at 0 to 20 degrees."""
    hands: float = 0.08
    """The share of pictures into which a hand reaches."""
    odd: float = 0.18
    """The share of dice of other colours than black and green."""
    tipped: tuple[float, float] = (10.0, 42.0)
    """The lean of leaning dice, degrees."""
    blinded: float = 0.0
    """The share of small renders in which a reflection covers one top."""
    signs: float = 0.35
    """The share of other games' dice that carry signs; the others have pips."""
    sign: str = "other"
    """What is on other games' dice with signs: `other` icons of the bank of faces, `symbols` (any
    six, each a class) or `strangers` (six symbols of one kind)."""
    worn: float = 0.4
    """The most that a print may be worn (`die.finish`)."""
    tilts: tuple[float, float] = (15.0, 52.0)
    """Degrees."""
    dim: float = 0.0
    """The share of pictures under lamps of a quarter of the usual light to all of it."""
    engraved: float = 0.0
    """The share of dice, besides those of a varied finish, whose print is cut in."""
    game: int | None = None
    """An index of `die.GAMES`; None: either."""
    cut: bool = False
    """Whether dice may be cut off though the margin is above zero."""
    varied: bool = False
    """Whether there are bodies, engraved print, raking lamps and shadows from die to die as
    photographs have them."""
    boards: float = 0.0
    """The share of pictures with a printed board or a keyboard as ground."""
    one_box: bool = False
    """Whether all dice of the game come from one box, with the same print; there is then one other
    finish among all dice at most, as of the box's extra ones: another game's look like them."""


HARD: Final = Mix(
    (1, 3, 4, 5, 6, 7, 8), (0.12, -0.04, -0.1), 0.07, 0.4, 0.08, 0.55, 0.5,
    tilts=(15.0, 60.0), varied=True, boards=0.2, engraved=0.15,
)  # fmt: skip
"""Training scenes: every fault is frequent."""
SMALL: Final = replace(HARD, counts=(1, 2, 3, 4), blinded=0.1)
"""As HARD, for small pictures."""
ODD: Final = replace(SMALL, foreign=0.25, stacked=0.35)
"""As SMALL, with many foreign dice, and dice upon dice."""
STRANGE: Final = replace(SMALL, foreign=1.0, signs=0.9, stacked=0.0)
"""As SMALL, with foreign dice only, most with signs: only signs are taken for faces."""
NAMED: Final = replace(
    SMALL, counts=(2, 3, 4, 4), foreign=1.0, signs=1.0, sign="symbols", stacked=0.0
)
"""As SMALL, with dice whose every side has another symbol."""
ROLL: Final = Mix(
    (6, 6, 6, 6, 6, 6, 7, 8), (0.12, 0.16), 0.0, 0.0, 0.0, 0.3, 0.35, 0.01, 0.08,
    worn=0.2, one_box=True,
)  # fmt: skip
"""Rolls as at a table, fit to be read."""
STAND_IN: Final = replace(ROLL, signs=1.0, sign="strangers")
"""Rolls of a box of symbols that stand in for a game's faces."""
TRACED: Final = replace(ROLL, steep=1.0, engraved=0.5)
"""Rolls to be path-traced."""
CLOSE: Final = replace(HARD, counts=(1, 1, 2, 3), margins=(0.1, 0.3), cut=True, boards=0.1)
"""Training scenes with large dice, some of which are cut off."""
EMPTY: Final = replace(HARD, counts=(0,), stacked=0.0, boards=0.75)
"""Training scenes without dice, most with a board or a keyboard: there is nothing to find."""


def steep_and_dim(mix: Mix) -> Mix:
    """The mix as strangers' stills are: from aside, in little light, the print cut in."""
    return replace(mix, steep=1.0, tilts=(35.0, 52.0), dim=0.7, engraved=0.4)


def faults_of(mix: Mix) -> dict[str, Mix]:
    """Rolls like those of the mix that must be refused, by their fault."""
    return {
        "cocked": replace(mix, leaning=1.0, tipped=(13.0, 42.0)),
        "stacked": replace(mix, stacked=1.0),
        "cut": replace(mix, margins=(-0.03, -0.06)),
        "foreign": replace(mix, foreign=0.3),
        "glare": mix,
        "dark": mix,
    }


FAULTS: Final = faults_of(ROLL)
"""Rolls that must be refused, by their fault."""
