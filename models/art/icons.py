"""Drawings from packages: icons and fonts of package.json, and building the bank.

`python -m models.art.icons` installs the packages into the cache and builds the bank.
"""

import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from models.arrays import Mask
from models.art.glyphs import (
    FACES,
    NEAR_COPY,
    SPLITS,
    YIELDING,
    Bank,
    Glyph,
    families_of,
    leaks,
    overlap,
    own_glyphs,
    save_bank,
    split_of,
    without_copies,
)
from models.art.later_icons import LATER_ICONS
from models.art.outlines import font_mask, icon_mask
from models.art.symbols.letters import ADDED_FONTS
from models.places import CACHE, HERE

PACKAGES: Final = CACHE / "glyphs"
BANK: Final = CACHE / "glyphs.npz"
SOLID: Final = 0.85
"""An icon that fills more of its square has lost a clip path."""

FORBIDDEN: Final = (
    ("game-icons", "paw"), ("game-icons", "round-star"), ("game-icons", "tower-fall"),
    ("mdi", "heart"), ("fa6-solid", "bolt-lightning"), ("fa6-solid", "skull"),
)  # fmt: skip

ICONS: Final[dict[str, dict[str, str]]] = {
    "energy": {
        "bi": "lightning lightning-charge-fill lightning-fill",
        "bxs": "bolt zap",
        "carbon": "flash-filled lightning",
        "fa6-solid": "bolt",
        "fluent": "flash-32-filled flash-12-filled flash-32-regular",
        "game-icons": "electric power-lightning focused-lightning heavy-lightning thunder-struck "
        "lightning-trio lightning-arc",
        "icon-park-solid": "lightning thunderbolt",
        "ion": "flash ios-flash md-flash ios-bolt",
        "lucide": "zap",
        "material-symbols": "bolt electric-bolt flash-on",
        "mdi": "flash lightning-bolt flash-triangle lightning-bolt-outline",
        "mingcute": "flash-fill lightning-fill",
        "ph": "lightning-bold lightning-fill lightning-a-fill",
        "solar": "bolt-bold",
        "tabler": "bolt bolt-filled",
        "ri": "flashlight-fill",
    },
    "attack": {
        "fa6-solid": "paw",
        "fluent": "animal-paw-print-32-filled animal-paw-print-32-regular",
        "game-icons": "bird-claw claw claws flat-paw-print paw-front paw-print triple-claws "
        "grasping-claws interleaved-claws wolverine-claws top-paw claw-slashes",
        "ion": "paw md-paw ios-paw",
        "lucide": "paw-print",
        "mdi": "paw",
        "mingcute": "paw-fill",
        "ph": "paw-print-fill paw-print-bold",
        "solar": "paw-bold",
        "tabler": "paw-filled paw",
    },
    "heal": {
        "bi": "heart-fill suit-heart-fill heartbreak-fill heart",
        "bxs": "heart",
        "fluent": "heart-32-filled heart-32-regular",
        "fluent-emoji-high-contrast": "red-heart broken-heart heart-suit",
        "game-icons": "hearts broken-heart half-heart chewed-heart shattered-heart glass-heart "
        "nested-hearts",
        "ion": "heart md-heart heart-broken ios-heart-empty",
        "lucide": "heart heart-crack",
        "material-symbols": "heart-broken",
        "mdi": "heart-broken heart-half-full heart-outline",
        "mingcute": "heart-fill heart-crack-fill",
        "ph": "heart-fill heart-straight-fill heart-break-fill heart-bold",
        "ri": "heart-3-fill poker-hearts-fill",
        "solar": "heart-bold heart-angle-bold heart-broken-bold",
        "tabler": "heart heart-filled heart-broken-filled",
        "fa6-solid": "heart-crack heart",
    },
    "celebrity": {
        "bi": "star star-fill",
        "bxs": "star",
        "carbon": "star-filled star",
        "fa6-solid": "star",
        "fluent": "star-32-filled star-32-regular star-emphasis-32-filled",
        "fluent-emoji-high-contrast": "star glowing-star",
        "game-icons": "flat-star beveled-star barbed-star allied-star dripping-star sea-star "
        "star-formation justice-star",
        "icon-park-solid": "star",
        "ion": "star md-star ios-star",
        "lucide": "star",
        "material-symbols": "kid-star star-rate star-shine",
        "mdi": "star star-outline star-face",
        "mingcute": "star-fill star-2-fill",
        "ph": "star-fill star-bold",
        "ri": "star-s-fill star-smile-fill",
        "solar": "star-bold star-angle-bold",
        "tabler": "star star-filled",
    },
    "ouch": {
        "bxs": "skull",
        "fluent-emoji-high-contrast": "skull skull-and-crossbones",
        "fa6-solid": "skull-crossbones",
        "game-icons": "death-skull skull-crack chewed-skull broken-skull alien-skull piece-skull "
        "pirate-skull desert-skull happy-skull surprised-skull stoned-skull dread-skull "
        "fanged-skull skull-mask animal-skull daemon-skull",
        "icon-park-solid": "skull",
        "ion": "skull",
        "lucide": "skull",
        "material-symbols": "skull",
        "mdi": "skull skull-crossbones skull-outline",
        "mingcute": "skull-fill",
        "ph": "skull-fill skull-bold",
        "ri": "skull-fill skull-2-fill",
        "tabler": "skull",
    },
    "destruction": {
        "bi": "building-fill buildings-fill building",
        "bxs": "castle buildings building city factory",
        "fa6-solid": "chess-rook building house-chimney-crack city house-crack",
        "fluent": "building-32-filled building-factory-32-filled",
        "fluent-emoji-high-contrast": "derelict-house castle classical-building",
        "game-icons": "demolish damaged-house modern-city castle-ruins ancient-ruins castle "
        "chess-rook crumbling-ball stone-tower white-tower evil-tower siege-tower hill-fort "
        "pisa-tower guarded-tower military-fort watchtower brick-pile",
        "icon-park-solid": "castle city building-two tower city-gate",
        "lucide": "castle building chess-rook",
        "material-symbols": "castle fort chess-rook location-city",
        "mdi": "castle chess-rook city city-variant office-building tower-fire",
        "mingcute": "building-1-fill building-3-fill tower-fill building-5-fill",
        "ph": "castle-turret-fill buildings-fill building-apartment-fill city-fill",
        "ri": "building-2-fill building-4-fill building-fill",
        "solar": "buildings-2-bold city-bold",
        "tabler": "building-castle building-fortress chess-rook-filled building-skyscraper",
    },
    "one": {"mdi": "numeric-1", "ph": "number-one-fill", "tabler": "number-1"},
    "two": {"mdi": "numeric-2", "tabler": "number-2"},
    "three": {"mdi": "numeric-3", "tabler": "number-3"},
}
STRAYS: Final = frozenset(
    {
        "game-icons:claw", "mdi:flash-triangle", "ri:flashlight-fill", "ph:lightning-a-fill",
        "game-icons:thunder-struck", "game-icons:lightning-arc", "game-icons:focused-lightning",
        "game-icons:wolverine-claws", "game-icons:top-paw", "game-icons:interleaved-claws",
        "game-icons:castle-ruins", "game-icons:crumbling-ball", "game-icons:siege-tower",
        "game-icons:brick-pile", "icon-park-solid:city-gate", "material-symbols:fort",
        "game-icons:hill-fort", "game-icons:evil-tower", "game-icons:watchtower",
        "game-icons:guarded-tower", "game-icons:military-fort", "game-icons:castle",
        "lucide:castle", "solar:city-bold", "ph:city-fill", "mdi:city-variant",
        "fluent-emoji-high-contrast:derelict-house", "game-icons:ancient-ruins",
        "lucide:building", "mdi:tower-fire", "game-icons:nested-hearts", "game-icons:half-heart",
        "game-icons:glass-heart", "fluent-emoji-high-contrast:red-heart", "game-icons:flat-star",
        "game-icons:sea-star", "game-icons:star-formation", "game-icons:beveled-star",
        "game-icons:barbed-star", "game-icons:allied-star", "game-icons:dripping-star",
        "game-icons:justice-star", "fluent-emoji-high-contrast:glowing-star",
        "mingcute:star-2-fill", "solar:star-angle-bold", "game-icons:alien-skull",
        "game-icons:desert-skull", "game-icons:dread-skull", "game-icons:daemon-skull",
        "game-icons:happy-skull", "game-icons:surprised-skull", "game-icons:stoned-skull",
        "game-icons:fanged-skull", "game-icons:skull-mask", "game-icons:animal-skull",
        "ph:number-one-fill", "bxs:building", "fa6-solid:building", "ph:buildings-fill",
        "bi:buildings-fill", "game-icons:damaged-house", "mingcute:building-3-fill",
        "solar:buildings-2-bold",
    }
)  # fmt: skip
"""Drawings that no die would carry; left out after the split, which stays as it is."""
UNNAMED: Final = frozenset(
    {"fa6-solid:city", "mdi:chess-rook", "tabler:chess-rook-filled", "ri:skull-fill"}
)
"""Drawings that two observers, shown them without a name, never named: only trained on."""
LATER_FONTS: Final = frozenset(
    (
        "abril-fatface", "allerta-stencil", "antonio", "archivo-narrow", "baloo-2",
        "barlow-condensed", "big-shoulders-display", "black-han-sans", "bungee-inline",
        "changa-one", "chela-one", "concert-one", "coustard", "creepster", "days-one", "erica-one",
        "fjalla-one", "francois-one", "freckle-face", "fredoka", "fugaz-one", "galindo",
        "germania-one", "goldman", "gravitas-one", "kanit", "knewave", "lalezar", "league-gothic",
        "lemon", "londrina-solid", "modak", "new-rocker", "norwester", "orbitron", "paytone-one",
        "permanent-marker", "piedra", "playfair-display", "racing-sans-one", "rammetto-one",
        "rowdies", "rubik-dirt", "rubik-mono-one", "rye", "saira-extra-condensed", "seymour-one",
        "shrikhand", "sigmar-one", "skranji", "slackey", "sonsie-one", "spicy-rice", "squada-one",
        "stardos-stencil", "trade-winds", "vampiro-one", "viga", "yeseva-one",
    )
)  # fmt: skip
"""Fonts that came after the split was made and leave it as it is: only trained on."""
UGLY_FONTS: Final = ("sancreek", "special-elite", "holtwood")
"""Fonts whose single numerals cannot be recognised."""
OTHER: Final = (
    "broadsword checked-shield anchor crown key cog diamonds clubs spades sun moon apple "
    "bell bomb feather fish flower-pot hammer-drop leaf lamp mushroom pyramid-eye quill ring "
    "rose scissors ship snail spider-web sword-wound tree-branch trophy umbrella water-drop "
    "wheat eye-target foot-trip candle-light gears"
)
VAL_OTHER: Final = 40
"""One in so many of game-icons' other drawings came to val, on dice of other games: two signs say
little of how foreign ones are read. All the rest are trained on."""
ALIKE: Final = re.compile(
    "claw|paw|hand|fist|finger|palm|foot|track|scratch|slash|talon|skull|bone|mask|face|head|ghost|"
    "death|dead|star|heart|love|bolt|lightning|electric|thunder|power|flash|zap|tower|castle|house|"
    "build|city|ruin|fort|brick|wall|rubble|temple|church|village|rook|home|dice|number|one|two|"
    "three|roman|skeleton|cracked|crack|explo|rune"
)
"""Names of icons that might pass for a face of these games: they are not used as foreign signs."""
_DIGITS: Final = {"one": "1", "two": "2", "three": "3"}


def _icon(pack: str, name: str) -> Mask | None:
    table = json.loads(
        (PACKAGES / "node_modules" / "@iconify-json" / pack / "icons.json").read_text()
    )
    icon = table["icons"].get(name)
    if icon is None:
        return None
    return icon_mask(icon["body"], float(icon.get("width", table.get("width", 16))))


def _fonts(later: bool) -> list[Path]:
    """List the font files, up to two a family, of the later families or of the others."""
    chosen = []
    for folder in sorted((PACKAGES / "node_modules" / "@fontsource").iterdir()):
        if folder.name not in ADDED_FONTS and (folder.name in LATER_FONTS) == later:
            files = sorted((folder / "files").glob("*-latin-[0-9]00-normal.woff"))
            chosen += files[-1:]
            if len(files) > 3:
                chosen.append(files[len(files) // 2])
    return chosen


def _numerals(face: str, later: bool) -> list[tuple[str, Mask]]:
    found = []
    for font in _fonts(later) if face in _DIGITS else ():
        mask = font_mask(font, _DIGITS[face])
        if mask is not None:
            found.append((f"font:{font.stem}", mask))
    return found


def _icons(named: Mapping[str, str]) -> list[tuple[str, Mask]]:
    """Load the icons of these names, by their packages. ValueError if one has no such icon."""
    found: list[tuple[str, Mask]] = []
    for pack, names in named.items():
        for name in names.split():
            mask = _icon(pack, name)
            if mask is None:
                raise ValueError(f"{pack} of package.json has no icon {name}: mend its name")
            found.append((f"{pack}:{name}", mask))
    return found


SEED = 1
"""Of the drawings' own variants: the shipped networks were trained on these."""


def build_bank() -> Bank:
    """Render and split every drawing; needs the icon and font packages of package.json."""
    banned = [m for m in (_icon(p, n) for p, n in FORBIDDEN) if m is not None]
    glyphs: list[Glyph] = []
    for face in FACES:
        found = [
            (asset, mask)
            for asset, mask in _icons(ICONS[face]) + _numerals(face, later=False)
            if max(overlap(mask, other) for other in banned) <= NEAR_COPY
            and (mask > 127).mean() < SOLID
        ]
        families = families_of([mask for _, mask in found])
        split = split_of(families, face)
        for (asset, mask), family in zip(found, families, strict=True):
            if asset in UNNAMED:
                glyphs.append(Glyph(face, asset, YIELDING + 500 + family, "train", mask[None]))
            elif asset not in STRAYS and not any(font in asset for font in UGLY_FONTS):
                glyphs.append(Glyph(face, asset, family, split[family], mask[None]))
        later = _icons(LATER_ICONS.get(face, {})) + _numerals(face, later=True)
        for place, (asset, mask) in enumerate(later):
            if max(overlap(mask, other) for other in banned) <= NEAR_COPY:
                glyphs.append(Glyph(face, asset, YIELDING + 800 + place, "train", mask[None]))
        glyphs += own_glyphs(face, SEED, banned)
    for name in OTHER.split():
        foreign = _icon("game-icons", name)
        if foreign is not None:
            part = SPLITS[min(2, max(0, zlib.crc32(name.encode()) % 10 - 7))]
            glyphs.append(Glyph("other", f"game-icons:{name}", 0, part, foreign[None]))
    glyphs += _later_others()
    return Bank(tuple(without_copies(glyphs)))


def _later_others() -> list[Glyph]:
    """Load foreign drawings that were added later, for train and val, without changing the split of
    the others.
    """
    table = json.loads(
        (PACKAGES / "node_modules" / "@iconify-json" / "game-icons" / "icons.json").read_text()
    )
    found = []
    for name in sorted(table["icons"]):
        if name in OTHER.split() or ALIKE.search(name):
            continue
        mask = _icon("game-icons", name)
        if mask is not None and (mask > 127).mean() < SOLID:
            asset = f"game-icons:{name}"
            part = "val" if zlib.crc32(name.encode()) % VAL_OTHER == 1 else "train"
            found.append(Glyph("other", asset, YIELDING + 2000, part, mask[None]))
    return found


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
