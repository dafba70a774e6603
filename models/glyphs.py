"""The bank of face drawings: own shapes, icons and fonts, split by asset into train, val, test.

Near copies (IoU over 0.9) of one another form one family and stay in one split; near copies of
the drawings that outside test sets carry are left out altogether.
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from models.arrays import Image, Mask
from models.drawings import DRAWINGS, drawn
from models.outlines import font_mask, icon_mask
from models.shapes import SIZE

FACES: Final = (
    "energy", "attack", "destruction", "heal", "celebrity", "ouch", "one", "two", "three",
)  # fmt: skip
SPLITS: Final = ("train", "val", "test")
CACHE: Final = Path(__file__).parent / "cache"
PACKAGES: Final = CACHE / "glyphs" / "node_modules"
NEAR_COPY: Final = 0.9
SOLID: Final = 0.85  # an icon that fills its square lost a clip path
VARIANTS: Final = 40

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
OTHER: Final = (
    "broadsword checked-shield anchor crown key cog diamonds clubs spades sun moon apple "
    "bell bomb feather fish flower-pot hammer-drop leaf lamp mushroom pyramid-eye quill ring "
    "rose scissors ship snail spider-web sword-wound tree-branch trophy umbrella water-drop "
    "wheat eye-target foot-trip candle-light gears"
)
_DIGITS: Final = {"one": "1", "two": "2", "three": "3"}


@dataclass(frozen=True, slots=True)
class Glyph:
    """One drawing of a face: its asset's name, family, split, and variants (n, SIZE, SIZE)."""

    face: str
    asset: str
    family: int
    split: str
    variants: Image


@dataclass(frozen=True, slots=True)
class Bank:
    """Every drawing; `of(split, face)` gives those a split may use."""

    glyphs: tuple[Glyph, ...]

    def of(self, split: str, face: str) -> tuple[Glyph, ...]:
        """The face's drawings of the split."""
        return tuple(g for g in self.glyphs if g.split == split and g.face == face)


def overlap(first: Mask, second: Mask) -> float:
    """Intersection over union of two masks of one size."""
    a, b = first > 127, second > 127
    union = np.logical_or(a, b).sum()
    return float(np.logical_and(a, b).sum() / union) if union else 1.0


def _icon(pack: str, name: str) -> Mask | None:
    table = json.loads((PACKAGES / "@iconify-json" / pack / "icons.json").read_text())
    icon = table["icons"].get(name)
    if icon is None:
        return None
    return icon_mask(icon["body"], float(icon.get("width", table.get("width", 16))))


def _fonts() -> list[Path]:
    chosen = []
    for folder in sorted((PACKAGES / "@fontsource").iterdir()):
        files = sorted((folder / "files").glob("*-latin-[0-9]00-normal.woff"))
        chosen += files[-1:]
        if len(files) > 3:
            chosen.append(files[len(files) // 2])
    return chosen


def _candidates(face: str) -> list[tuple[str, Mask]]:
    found: list[tuple[str, Mask]] = []
    for pack, names in ICONS[face].items():
        for name in names.split():
            mask = _icon(pack, name)
            if mask is not None:
                found.append((f"{pack}:{name}", mask))
    if face in _DIGITS:
        for font in _fonts():
            mask = font_mask(font, _DIGITS[face])
            if mask is not None:
                found.append((f"font:{font.stem}", mask))
    return found


def _families(masks: list[Mask]) -> list[int]:
    family = list(range(len(masks)))
    for later in range(len(masks)):
        for earlier in range(later):
            if overlap(masks[later], masks[earlier]) > NEAR_COPY:
                old, new = family[later], family[earlier]
                family = [new if f == old else f for f in family]
    return family


def _split_of(families: list[int], face: str) -> dict[int, str]:
    order = sorted(set(families), key=lambda f: zlib.crc32(f"{face}/{f}".encode()))
    held = max(2, round(len(order) * 0.15))
    return {
        f: "val" if place < held else "test" if place < 2 * held else "train"
        for place, f in enumerate(order)
    }


def build_bank(seed: int = 1) -> Bank:
    """Every drawing rendered and split; needs the icon and font packages of package.json."""
    banned = [m for m in (_icon(p, n) for p, n in FORBIDDEN) if m is not None]
    glyphs: list[Glyph] = []
    for face in FACES:
        found = [
            (asset, mask)
            for asset, mask in _candidates(face)
            if max(overlap(mask, other) for other in banned) <= NEAR_COPY
            and (mask > 127).mean() < SOLID
        ]
        families = _families([mask for _, mask in found])
        split = _split_of(families, face)
        for (asset, mask), family in zip(found, families, strict=True):
            glyphs.append(Glyph(face, asset, family, split[family], mask[None]))
        glyphs += _own(face, seed, banned)
    for name in OTHER.split():
        foreign = _icon("game-icons", name)
        if foreign is not None:
            part = SPLITS[min(2, max(0, zlib.crc32(name.encode()) % 10 - 7))]
            glyphs.append(Glyph("other", f"game-icons:{name}", 0, part, foreign[None]))
    return Bank(tuple(glyphs))


def _own(face: str, seed: int, banned: list[Mask]) -> list[Glyph]:
    """Own styles train, all but the last two: the one before it validates, the last tests."""
    styles = tuple(DRAWINGS[face])
    glyphs = []
    for place, style in enumerate(styles):
        rng = np.random.default_rng([seed, zlib.crc32(f"{face}/{style}".encode())])
        variants = [drawn(face, style, rng) for _ in range(VARIANTS)]
        kept = [v for v in variants if max(overlap(v, b) for b in banned) <= NEAR_COPY]
        split = "train" if len(styles) < 4 or place < len(styles) - 1 else "test"
        glyphs.append(Glyph(face, f"own:{style}", 1000 + place, split, np.stack(kept)))
    return glyphs


def leaks(bank: Bank) -> list[tuple[str, str, float]]:
    """Pairs of one face's drawings in different splits that are near copies: must be empty."""
    found = []
    for face in FACES:
        mine = [g for g in bank.glyphs if g.face == face]
        for place, first in enumerate(mine):
            for second in mine[:place]:
                if first.split == second.split:
                    continue
                worst = max(overlap(a, b) for a in first.variants[:8] for b in second.variants[:8])
                if worst > NEAR_COPY:
                    found.append((first.asset, second.asset, worst))
    return found


def save_bank(bank: Bank, path: Path) -> None:
    """The bank is stored as one compressed file."""
    arrays: dict[str, Any] = {f"m{i}": g.variants for i, g in enumerate(bank.glyphs)}
    names = [[g.face, g.asset, g.family, g.split] for g in bank.glyphs]
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, index=np.array(json.dumps(names)), **arrays)


def load_bank(path: Path = CACHE / "glyphs.npz") -> Bank:
    """The stored bank; built and stored first where it is missing."""
    if not path.exists():
        save_bank(build_bank(), path)
    with np.load(path) as stored:
        names = json.loads(str(stored["index"]))
        return Bank(
            tuple(
                Glyph(face, asset, family, split, stored[f"m{i}"])
                for i, (face, asset, family, split) in enumerate(names)
            )
        )


def contact_sheet(bank: Bank) -> Image:
    """Every drawing's first variant, a row a face; splits shown by grey level."""
    rows = []
    level = {"train": 255, "val": 180, "test": 110}
    for face in FACES:
        mine = sorted((g for g in bank.glyphs if g.face == face), key=lambda g: g.split)
        tiles = [(g.variants[0] // 3 * (level[g.split] // 85)).astype(np.uint8) for g in mine]
        tiles += [np.zeros((SIZE, SIZE), np.uint8)] * (60 - len(tiles))
        rows.append(np.hstack(tiles[:30]))
        rows.append(np.hstack(tiles[30:60]))
    return np.vstack(rows)
