"""Icons of whole packages: which packages in which split, and which of their icons are left out."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from models.art.outlines import icon_mask
from models.art.symbols.bank import Drawing

TRAINED: Final[Mapping[str, str]] = {
    "game-icons": "", "mdi": "^(?!.*-outline)",
    "material-symbols": "^(?!.*-(outline|rounded|sharp))",
    "fluent": "-(20|24|28|32|48)-filled$", "ph": "-fill$", "tabler": "-filled$", "solar": "-bold$",
    "ri": "-fill$", "mingcute": "-fill$", "bi": "-fill$", "boxicons": "-filled$", "bxs": "",
    "ion": "^(?!.*(-outline|-sharp|^ios-|^md-))", "carbon": "-filled$", "fa7-solid": "",
    "lucide": "", "tdesign": "-filled$", "gravity-ui": "-fill$", "akar-icons": "",
    "basil": "-solid$",
    "charm": "", "cil": "", "fluent-mdl2": "", "griddy-icons": "-filled$", "hugeicons": "",
    "humbleicons": "", "iconamoon": "-fill$", "iconoir": "", "icons8": "", "jam": "-f$", "la": "",
    "lets-icons": "-fill$", "majesticons": "^(?!.*-line)", "meteor-icons": "", "nrk": "",
    "pepicons-print": "", "picon": "", "pixel": "-solid$", "pixelarticons": "", "proicons": "",
    "raphael": "", "streamline-cyber": "", "streamline-pixel": "", "teenyicons": "-solid$",
}  # fmt: skip
"""Packages to train on, with what the names of their filled icons match."""
HELD: Final[Mapping[str, Mapping[str, str]]] = {
    "val": {
        "emojione-monotone": "", "healthicons": "^(?!.*-outline)", "streamline-plump": "-solid$",
        "whh": "", "memory": "",
    },
    "test": {
        "fluent-emoji-high-contrast": "", "pinhead": "", "streamline-ultimate": "-bold$",
        "icon-park-solid": "", "dinkie-icons": "",
    },
}  # fmt: skip
"""Packages held for val and test, likewise. Their siblings in the same style (the other weights of
streamline's core set, icon-park-outline) are in no split."""
MOST: Final[Mapping[str, int]] = {"train": 130, "val": 260, "test": 260}
"""The most names of a package, by split."""
MOST_OF_WHOLE: Final = 2600
"""The most names of game-icons, whose symbols are most like those on dice."""
FAMILY: Final = 3
"""The most names of a package that begin alike: there are hundreds of files and folders."""

_STYLES_WORDS: Final = (
    "fill filled bold solid outline outlined o f rounded round sharp light regular line linear "
    "alt 12 16 20 24 28 32 48 twotone duotone streamline "
)
STYLES: Final = frozenset(_STYLES_WORDS.split())
"""Words of names that say how an icon is drawn."""
_FACES_WORDS: Final = (
    # Lightning.
    "bolt bolts lightning flash flashes flashlight zap zaps electric electricity electrical "
    "thunder thunderbolt thunderstorm thunderstruck power energy energise charge charging "
    "charger charged volt voltage shock storm flare ampere amp supabase socket plug hazard "
    # Paws and claws.
    "paw paws claw claws clawed talon talons scratch scratches slash slashes slashed slashing "
    "foot footprint footprints hand hands finger fingers palm wolverine track tracks pet pets "
    "hoof rake trident fork gesture high five grab grasping tentacle tentacles tentacurl spikes "
    "wifi feet feline animal "
    # Hearts.
    "heart hearts hearted love loving lover like likes dislike favorite favourite valentine "
    "health healthy dating cardio cardiology cardiogram life lifes lives beat suit suits "
    "healing hearth "
    # Stars.
    "star stars starfish starred stared rating rate sparkle sparkles sparkling glow shine "
    "shining asterisk burst badge favorites medal award awards review reviews magic twinkle "
    "rank premium sheriff pentagram pentacle pentagon seal feedback supernova nova nautilus "
    "explosion "
    # Skulls.
    "skull skulls skullcrack bone bones skeleton skeletal death dead die dying poison toxic "
    "danger ghost ghosts halloween mask masks masked pirate crossbones alien aliens monster "
    "zombie reaper toxin corpse evil jolly roger devil demon face faces head heads grim spooky "
    "imp lich vampire vamp dracula scream villain goblin orc troll cyclops gorilla ape monkey "
    # Explosions, which pass for stars and for destruction.
    "collision boom bang explode exploding blast detonate sunburst sunbeams rays ray fuelpump gas "
    "pumpkin lantern mushroom deathcab amanita fangs fang jaw jaws thumb thumbs fist fists toe "
    "horns rock pointing pointer wave waving clap snap zzz sleep snooze dices domino dominoes "
    "spark sparks sparky sun barbed meteor impact impacts kiss kissing couple match "
    # Buildings.
    "building buildings built build castle castles tower towers city cities cityscape fort "
    "fortress ruin ruins house houses home homes apartment apartments office offices skyscraper "
    "skyscrapers factory factories temple temples church churches mosque village town rook "
    "hotel hotels bank banks business company corporation estate residence residential housing "
    "hospital school university college museum store shop shops market warehouse barn palace "
    "pagoda shrine gate gates wall walls brick bricks rubble rubbles lighthouse cabin cottage "
    "hut condo chimney synagogue kaaba landmark monument government embassy prison stadium "
    "villa demolish demolition collapse earthquake broken crack cracked shatter shattered "
    "destroy destroyed station mall bakery library pavilion windmill cathedral chess silo farm "
    "farmhouse garage domain homepage dome eiffel pisa burj obelisk oil plant observatory igloo "
    "tent "
    # Numerals and letters.
    "dice die d1 d2 d3 one two three first second third number numbers numeral numeric "
    "numerical digit digits count counter 1 2 3 1x 2x 3x 1st 2nd 3rd 123 123456 12 looks roman "
    "letter letters alphabet alphabetical text abc 1k 2k 3k 3d 2d 360 g 3g 2g hd sd rune runes "
    "level exposure timer replay forward backward rewind repeat loop h1 h2 h3 heading cube i "
    "input squared cyrillic katakana hiragana japanese keycap button circled zero four five six "
    "seven eight nine ten sigma lira peso "
)
FACES: Final = frozenset(_FACES_WORDS.split())
"""Words of names of what a face could be, or could pass for one."""
_FACE_PARTS: Final = re.compile("^(heart|star(?!t)|skull)|(star|burst|heart|skull|tower|castle)$")
"""Parts of such words."""
_DULL_WORDS: Final = (
    "flag flags logo logos brand filetype file files table border align format iso off disabled "
    "variant country currency "
)
DULL: Final = frozenset(_DULL_WORDS.split())
"""Words of names whose icons are alike by the hundred, or are marks of firms."""
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
    for base in sorted(largest, key=lambda b: zlib.crc32(b.encode())):
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


def icons(root: Path) -> Iterator[Drawing]:
    """Yields the icons of all packages; `root` is the folder with the icon packages."""
    packages = [("train", TRAINED), *HELD.items()]
    for split, named in packages:
        for package, pattern in named.items():
            table = json.loads((root / package / "icons.json").read_text())
            whole = package == "game-icons"
            most = MOST_OF_WHOLE if whole else MOST[split]
            side = float(table.get("height", table.get("width", 16)))
            for name in _names(table["icons"], pattern, most, 2 * FAMILY if whole else FAMILY):
                icon = table["icons"][name]
                wide = float(icon.get("width", table.get("width", 16)))
                high = float(icon.get("height", side))
                mask = (
                    icon_mask(icon["body"], max(wide, high))
                    if is_understood(icon["body"])
                    else None
                )
                if mask is not None:
                    base = f"icon:{'-'.join(words_of(name))}"
                    yield Drawing(f"{package}:{name}", f"icons:{package}", base, split, mask)
