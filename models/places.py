"""Paths of intermediate files and of the networks."""

import os
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
_ELSEWHERE: Final = os.environ.get("DICE_CACHE")
CACHE: Final = Path(_ELSEWHERE).absolute() if _ELSEWHERE else HERE / "cache"
"""Packages, drawings, pictures and checkpoints; another folder with DICE_CACHE=FOLDER."""
TARGET: Final = CACHE / "networks" if _ELSEWHERE else HERE
"""The networks, their contract and report: beside this file, or in the other folder."""
FLOATS: Final = CACHE / "floats"
"""The networks as they are trained, in 32 bits."""
