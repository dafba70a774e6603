"""Build the bank of symbols: `python -m models.art.symbols`.

`python -m models.art.symbols sheet OUT.png SPLIT` draws a contact sheet of 200 of its drawings.
"""

import sys
from itertools import chain
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from models.art.glyphs import load_bank
from models.art.icons import PACKAGES, ensure_bank, install
from models.art.symbols.bank import Symbols, leaks, load_symbols, save_symbols
from models.art.symbols.letters import letters, numerals
from models.art.symbols.packages import icons
from models.art.symbols.patterns import dots, marks, pips
from models.art.symbols.sift import known_of, sheet, sifted
from models.places import CACHE

TARGET: Final = CACHE / "symbols.npz"
SHOWN: Final = 200


def build_symbols(root: Path) -> Symbols:
    """Draw and sift every symbol; `root` is the folder with the installed packages."""
    drawn = chain(
        letters(root / "@fontsource"), numerals(root / "@fontsource"), pips(), dots(), marks(),
        icons(root / "@iconify-json"),
    )  # fmt: skip
    return sifted(tuple(drawn), known_of(load_bank()))


def ensure_symbols() -> None:
    """Build the bank in the cache, and install the packages, where it is missing. ValueError where
    a drawing of val or test looks like one that is trained on.
    """
    if TARGET.exists():
        return
    ensure_bank()
    root = PACKAGES / "node_modules"
    if not (root / "@fontsource" / "noto-sans-runic").exists():
        install()
    symbols = build_symbols(root)
    foreign = [g.variants for g in load_bank().of("train", "other")]
    found = leaks(symbols, np.concatenate(foreign))
    if found:
        raise ValueError(f"symbols of val or test look like trained ones: {found[:20]}")
    save_symbols(symbols, TARGET)


if __name__ == "__main__":
    if sys.argv[1:2] == ["sheet"]:
        _, _, out, split = sys.argv
        every = [d for symbol in load_symbols(TARGET).of(split) for d in symbol.drawings()]
        picks = np.random.default_rng(1).permutation(len(every))[:SHOWN]
        cv2.imwrite(out, sheet([every[int(i)] for i in picks]))
    else:
        ensure_symbols()
