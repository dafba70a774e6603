"""Assets made of the project's own drawings alone, so that tests need no icon packages."""

from dataclasses import replace
from itertools import islice

from models.art.glyphs import FACES, Bank, own_glyphs
from models.art.symbols.bank import Symbols
from models.scene.box import Assets
from models.scene.finishes import make_boards, surfaces


def own_assets(split: str = "train", symbols: Symbols | None = None) -> Assets:
    """Load grounds of the split, and own drawings, the same for every split."""
    glyphs = tuple(
        replace(g, split=split) for face in FACES for g in islice(own_glyphs(face, 1), 1)
    )
    foreign = replace(glyphs[0], face="other")
    boards = tuple(make_boards(split, [glyphs[0].variants[0]], 2, 1))
    return Assets(Bank((*glyphs, foreign)), tuple(surfaces(split, 3, 1)), split, boards, symbols)
