"""Building the bank: own drawings, and the icons and fonts that `names.toml` lists.

`python -m models.art.icons` installs the packages of package.json into the cache and builds it.
"""

import json
import re
import shutil
import subprocess
import tomllib
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from models.arrays import Mask
from models.art.glyphs import (
    FACES,
    LATE,
    NEAR_COPY,
    SPLITS,
    Bank,
    Glyph,
    leaks,
    overlap,
    own_glyphs,
    save_bank,
    without_copies,
)
from models.art.outlines import font_masks, icon_mask
from models.places import CACHE, HERE

PACKAGES: Final = CACHE / "glyphs"
BANK: Final = CACHE / "glyphs.npz"
NAMES: Final[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "names.toml").read_text())
SOLID: Final = 0.85
"""An icon that fills more of its square has lost a clip path."""
VAL_OTHER: Final = 40
"""One in so many of game-icons' other drawings came to val, on dice of other games."""
DIGITS: Final = {"one": "1", "two": "2", "three": "3"}
SEED: Final = 1
"""Of the hands that draw the own drawings."""


@cache
def package(name: str) -> dict[str, Any]:
    """Read the icons of an installed package."""
    path = PACKAGES / "node_modules" / "@iconify-json" / name / "icons.json"
    table: dict[str, Any] = json.loads(path.read_text())
    return table


def icon(pack: str, name: str) -> Mask | None:
    """Draw an icon. ValueError if the package has none of that name."""
    table = package(pack)
    found = table["icons"].get(name)
    if found is None:
        raise ValueError(f"{pack} of package.json has no icon {name}: mend names.toml")
    return icon_mask(found["body"], float(found.get("width", table.get("width", 16))))


def _icons(named: Mapping[str, str]) -> Iterator[tuple[str, Mask]]:
    """Yields the icons of these names, by their packages, with their assets."""
    for pack, names in named.items():
        for name in names.split():
            mask = icon(pack, name)
            if mask is not None:
                yield f"{pack}:{name}", mask


def _numeral(face: str, font: str) -> tuple[str, Mask]:
    """Draw the numeral in the font, FAMILY-WEIGHT."""
    family, _, weight = font.rpartition("-")
    stem = f"{family}-latin-{weight}-normal"
    path = PACKAGES / "node_modules" / "@fontsource" / family / "files" / f"{stem}.woff"
    return f"font:{stem}", font_masks(path, DIGITS[face])[DIGITS[face]]


def _named(face: str) -> Iterator[tuple[str, int, tuple[str, Mask]]]:
    """Yields split, rank and drawing of everything from packages that shows the face."""
    for part in (*SPLITS, "late"):
        split, rank = ("train", LATE) if part == "late" else (part, 0)
        for found in _icons(NAMES[face].get(part, {})):
            yield split, rank, found
    if face in DIGITS:
        fonts = NAMES["fonts"]
        held = {font: split for split in SPLITS[1:] for font in fonts[split][face].split()}
        for font in fonts["train"].split():
            yield held.get(font, "train"), 0, _numeral(face, font)
        for font in fonts["late"].split():
            yield "train", LATE, _numeral(face, font)


def build_bank() -> Bank:
    """Render every drawing; needs the icon and font packages of package.json."""
    banned = [mask for _, mask in _icons(NAMES["forbidden"])]
    glyphs: list[Glyph] = []
    for face in FACES:
        for split, rank, (asset, mask) in _named(face):
            if max(overlap(mask, other) for other in banned) <= NEAR_COPY:
                glyphs.append(Glyph(face, asset, rank, split, mask[None]))
        glyphs += own_glyphs(face, SEED, banned)
    return Bank(tuple(without_copies([*glyphs, *_others()])))


def _others() -> Iterator[Glyph]:
    """Yields foreign signs of game-icons: those named, and all whose name is unlike a face's."""
    named = {name: split for split in SPLITS for name in NAMES["other"][split].split()}
    alike = re.compile("|".join(NAMES["other"]["alike"].split()))
    for name in sorted(package("game-icons")["icons"]):
        split, rank = named.get(name, ""), 0
        if not split and not alike.search(name):
            is_val = zlib.crc32(name.encode()) % VAL_OTHER == 1
            split, rank = "val" if is_val else "train", LATE
        mask = icon("game-icons", name) if split else None
        if mask is not None and (mask > 127).mean() < SOLID:
            yield Glyph("other", f"game-icons:{name}", rank, split, mask[None])


def install() -> None:
    """Install the packages into the cache, in the versions of package.json."""
    PACKAGES.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", PACKAGES)
    command = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock"]
    subprocess.run(command, cwd=PACKAGES, check=True)


def ensure_bank() -> None:
    """Build the bank in the cache, and install the packages, if it is missing."""
    if BANK.exists():
        return
    install()
    bank = build_bank()
    found = leaks(bank)
    if found:
        raise ValueError(f"drawings of different splits are near copies: {found}")
    save_bank(bank, BANK)


if __name__ == "__main__":
    ensure_bank()
