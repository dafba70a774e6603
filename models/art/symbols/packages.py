"""Icons of whole packages, as `symbols.toml` lists them; some are left out by their names."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from xml.etree import ElementTree
from zlib import crc32

from models.art.icons import package
from models.art.outlines import icon_mask
from models.art.symbols.bank import LISTS, Drawing

MOST: Final[Mapping[str, int]] = {"train": 130, "val": 260, "test": 260}
"""The most names of a package, by split."""
MOST_OF_WHOLE: Final = 2600
"""The most names of game-icons, whose symbols are most like those on dice."""
FAMILY: Final = 3
"""The most names of a package that begin alike: there are hundreds of files and folders."""
STYLES, FACES, DULL = (
    frozenset(LISTS["words"][key].split()) for key in ("styles", "faces", "dull")
)
_FACE_PARTS: Final = re.compile("^(heart|star(?!t)|skull)|(star|burst|heart|skull|tower|castle)$")
_TAGS: Final = frozenset({"g", "path", "circle", "ellipse"})
_MISUNDERSTOOD: Final = re.compile(
    r"opacity|transform|mask|clip-path|<defs|<use|animate|<rect|style="
)


def words_of(name: str) -> list[str]:
    """The words of an icon's name that say what it shows."""
    parts = [part for part in re.split(r"[-_ ]|(?<=[a-z])(?=[0-9])", name.lower()) if part]
    shown = [part for part in parts if part not in STYLES]
    while len(shown) > 1 and shown[-1].isdigit():
        shown = shown[:-1]
    return shown or parts


def is_wanted(name: str) -> bool:
    """Whether nothing in the name says that a face could look so."""
    words = words_of(name)
    return not FACES.union(DULL).intersection(words) and not any(
        word.isdigit() or len(word) == 1 or _FACE_PARTS.search(word) for word in words
    )


def _names(table: Mapping[str, Any], pattern: str, most: int, family: int) -> list[str]:
    """Choose icons of a package: of each name the one drawn in the largest size."""
    largest: dict[str, str] = {}
    for name in sorted(table, key=lambda n: (len(n), n)):
        if re.search(pattern, name) and is_wanted(name):
            largest["-".join(words_of(name))] = name
    chosen: list[str] = []
    families: dict[str, int] = {}
    for base in sorted(largest, key=lambda b: crc32(b.encode())):
        first = base.split("-")[0]
        families[first] = families.get(first, 0) + 1
        if families[first] <= family and len(chosen) < most:
            chosen.append(largest[base])
    return chosen


def is_understood(body: str) -> bool:
    """Whether an icon's inner SVG has nothing that `icon_mask` does not draw."""
    if _MISUNDERSTOOD.search(body):
        return False
    tree = ElementTree.fromstring(f'<g xmlns:xlink="x">{body}</g>')
    return all(node.tag in _TAGS for node in tree.iter())


def icons() -> Iterator[Drawing]:
    """Yields the icons of all installed packages."""
    for split, named in LISTS["packages"].items():
        for pack, pattern in named.items():
            table, whole = package(pack), pack == "game-icons"
            side = table.get("width", 16), table.get("height", table.get("width", 16))
            most, family = (MOST_OF_WHOLE, 2 * FAMILY) if whole else (MOST[split], FAMILY)
            for name in _names(table["icons"], pattern, most, family):
                icon = table["icons"][name]
                if not is_understood(icon["body"]):
                    continue
                wide, high = icon.get("width", side[0]), icon.get("height", side[1])
                mask = icon_mask(icon["body"], float(max(wide, high)))
                if mask is not None:
                    base = f"icon:{'-'.join(words_of(name))}"
                    yield Drawing(f"{pack}:{name}", f"icons:{pack}", base, split, mask)
