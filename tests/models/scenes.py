"""Assets made of the project's own drawings alone, so that tests need no icon packages."""

from dataclasses import replace
from itertools import islice

from models.art.glyphs import FACES, Bank, own_glyphs
from models.scene.box import Assets
from models.scene.surfaces import surfaces


def own_assets() -> Assets:
    """Load drawings and grounds of the train split, own ones only."""
    glyphs = tuple(g for face in FACES for g in islice(own_glyphs(face, 1), 1))
    foreign = replace(glyphs[0], face="other")
    return Assets(Bank((*glyphs, foreign)), tuple(surfaces("train", 3, 1)), "train")
