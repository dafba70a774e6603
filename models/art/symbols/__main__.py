"""Build the bank of symbols: `python -m models.art.symbols`.

`python -m models.art.symbols sheet OUT.png SPLIT` draws a contact sheet of 200 of its drawings.
"""

import sys
from typing import Final

import cv2
import numpy as np

from models.art.symbols.bank import load_symbols
from models.art.symbols.build import TARGET, ensure_symbols
from models.art.symbols.sift import sheet

SHOWN: Final = 200


if __name__ == "__main__":
    if sys.argv[1:2] == ["sheet"]:
        _, _, out, split = sys.argv
        every = [d for symbol in load_symbols(TARGET).of(split) for d in symbol.drawings()]
        picks = np.random.default_rng(1).permutation(len(every))[:SHOWN]
        cv2.imwrite(out, sheet([every[int(i)] for i in picks]))
    else:
        ensure_symbols()
