"""Building the bank of symbols: `python -m models.art.symbols.build`."""

from itertools import chain
from typing import Final

import numpy as np

from models.art.glyphs import load_bank
from models.art.icons import PACKAGES, ensure_bank, install
from models.art.symbols.bank import Symbols, leaks, save_symbols
from models.art.symbols.letters import letters, numerals
from models.art.symbols.packages import icons
from models.art.symbols.patterns import dots, marks, pips
from models.art.symbols.sift import known_of, sifted
from models.places import CACHE

TARGET: Final = CACHE / "symbols.npz"
FONTS: Final = PACKAGES / "node_modules" / "@fontsource"


def build_symbols() -> Symbols:
    """Draw and sift every symbol; needs the installed packages."""
    drawn = chain(letters(FONTS), numerals(FONTS), pips(), dots(), marks(), icons())
    return sifted(tuple(drawn), known_of(load_bank()))


def ensure_symbols() -> None:
    """Build the bank in the cache, and install the packages, if it is missing. ValueError if
    a drawing of val or test looks like one that is trained on.
    """
    if TARGET.exists():
        return
    ensure_bank()
    if not FONTS.exists():
        install()
    symbols = build_symbols()
    foreign = [g.variants for g in load_bank().of("train", "other")]
    found = leaks(symbols, np.concatenate(foreign))
    if found:
        raise ValueError(f"symbols of val or test look like trained ones: {found[:20]}")
    save_symbols(symbols, TARGET)


if __name__ == "__main__":
    ensure_symbols()
