"""Letters and numerals of many scripts, from fonts of package.json, as `symbols.toml` lists them.

Which are left out because they look like a face (1, 2, 3, a flash, claws) or like another letter in
a turn is written there; what else looks alike is found by shape (`sift.py`).
"""

import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from models.art.glyphs import SPLITS
from models.art.outlines import font_masks
from models.art.symbols.bank import LISTS, Drawing

HANDS: Final = 8
"""The most fonts that draw one letter of a script, or one numeral of a split."""
FILES: Final = 30
"""The most fonts of a script that are looked at."""
HELD_FONTS: Final = 10
"""Two in so many font families draw Arabic numerals for val and test alone, one for each."""
_NUMBERS: Final[Mapping[str, Any]] = LISTS["numbers"]
TWINS: Final[Mapping[str, str]] = _NUMBERS["twins"]


def _slug(character: str) -> str:
    """A character's Unicode name without its script."""
    words = unicodedata.name(character[0], character[0]).lower().split()
    words = [w for w in words if w not in ("letter", "capital", "syllable", "small", "cjk")]
    case = "-small" if character.islower() and character.isascii() else ""
    return "-".join(words[1:] or words).replace("unified-ideograph-", "") + case


def _files(root: Path, subset: str) -> list[Path]:
    """The files of fonts that have the subset: the boldest of each family, and the middle one of
    many.
    """
    chosen = []
    for folder in sorted(root.iterdir()):
        if folder.name in _NUMBERS["speckled"].split():
            continue
        files = sorted((folder / "files").glob(f"{folder.name}-{subset}-[0-9]00-normal.woff"))
        chosen += files[-1:]
        if len(files) > 3:
            chosen.append(files[len(files) // 2])
    return sorted(chosen, key=lambda path: zlib.crc32(path.stem.encode()))


def _family(path: Path) -> str:
    return path.parent.parent.name


def _font(path: Path) -> str:
    """A font's name without its subset: family and weight."""
    return f"{_family(path)}-{path.stem.split('-')[-2]}"


def split_of_font(path: Path) -> str:
    """The split for which a font draws Arabic numerals."""
    place = zlib.crc32(_family(path).encode()) % HELD_FONTS
    return {0: "val", 1: "test"}.get(place, "train")


def letters(root: Path) -> Iterator[Drawing]:
    """Yields the letters of all scripts; `root` is the folder with the font packages."""
    for script, (subset, split, characters) in LISTS["letters"].items():
        found: dict[str, list[Drawing]] = {}
        for path in _files(root, subset)[:FILES]:
            for text, mask in font_masks(path, tuple(characters)).items():
                asset = f"letter:{script}:{_slug(text)}@{_font(path)}"
                name = f"letter:{script}:{_slug(TWINS.get(text, text))}"
                drawing = Drawing(asset, f"letters:{script}", name, split, mask)
                found.setdefault(text, []).append(drawing)
        for drawings in found.values():
            yield from sorted(drawings, key=lambda d: zlib.crc32(d.asset.encode()))[:HANDS]


def _counted(system: str, split: str, files: list[Path], texts: str) -> Iterator[Drawing]:
    """Yields these numbers of Arabic or Roman numerals in each of the fonts."""
    for path in files:
        for text, mask in font_masks(path, texts.split()).items():
            name, asset = (f"numeral:{system}:{one}" for one in (TWINS.get(text, text), text))
            yield Drawing(f"{asset}@{_font(path)}", f"numerals:{system}", name, split, mask)


def numerals(root: Path) -> Iterator[Drawing]:
    """Yields numerals: Arabic ones by fonts in every split, other systems in their own."""
    files = _files(root, "latin")
    for split in SPLITS:
        mine = [path for path in files if split_of_font(path) == split]
        yield from _counted("arabic", split, mine[: 3 * HANDS], _NUMBERS["arabic"])
    yield from _counted("roman", "val", files[:HANDS], _NUMBERS["roman"])
    for system, (subset, split, characters) in LISTS["numerals"].items():
        for path in _files(root, subset)[:FILES]:
            for text, mask in font_masks(path, tuple(characters)).items():
                words = unicodedata.name(text).lower().split()
                name = f"numeral:{system}:{words[-1]}"
                name += "-extended" if words[0] == "extended" else ""
                yield Drawing(f"{name}@{_font(path)}", f"numerals:{system}", name, split, mask)
