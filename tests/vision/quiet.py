"""Rendered frames without a throw: what a camera over a tray sees between two throws.

A table is drawn with dice lying on it, as rolled and read; then hands come and go, shadows pass,
lamps are switched, somebody knocks against the camera, coins, tokens and other games' dice are laid
there, the tray is cleared, and the camera goes black, blind, or hangs in the middle of a throw.
None of it is a roll. One seed, one table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from companion.engine import RULESETS
from companion.vision.pictures import EncodedFrame, Image, cv2
from models.arrays import Floats
from models.art.glyphs import FACES, VARIANTS, Bank, Glyph, own_glyphs
from models.art.shapes import SIZE as GLYPH_PX
from models.scene.box import Assets, Mould, make_die
from models.scene.camera import expose
from models.scene.clutter import hand_at
from models.scene.die import Die, put_flat, tipped_over
from models.scene.finishes import finish, surfaces
from models.scene.light import Scene
from models.scene.mixes import ROLL
from models.scene.render import arrange, draw

SIZE = (960, 540)
MARGIN = 72
"""The px of the drawing outside the picture on each side, until the camera is knocked."""
FPS = 20
REST = 18
"""Frames in which a rest is certainly read."""

Shown = Image | None
"""A picture as large as the drawing; None: the camera hangs, and sends the last one again."""

Kind = Callable[["Table", Image, np.random.Generator], Iterator[Shown]]
"""What happens before dice (or a table) that lie like this."""


def drawings(seed: int, grounds: int = 20, most: int = VARIANTS) -> Assets:
    """Load all of the project's drawings, on grounds and under lamps that were never
    trained with.
    """
    glyphs = [replace(g, split="test") for face in FACES for g in own_glyphs(face, seed, most=most)]
    foreign = [_letter(place, sign) for place, sign in enumerate("AKMQRWZ&#%@$")]
    return Assets(Bank((*glyphs, *foreign)), tuple(surfaces("test", grounds, seed)), "test")


def _letter(place: int, sign: str) -> Glyph:
    """Draw a letter, as other games' dice have them."""
    mask = np.zeros((GLYPH_PX, GLYPH_PX), np.uint8)
    at, size = (GLYPH_PX // 5, GLYPH_PX * 4 // 5), GLYPH_PX / 32
    cv2.putText(mask, sign, at, cv2.FONT_HERSHEY_DUPLEX, size, 255, 4, cv2.LINE_AA)
    return Glyph("other", f"letter:{sign}", 2000 + place, "test", mask[None])


@dataclass(frozen=True)
class Table:
    """A table with its dice; `seed` determines all of it."""

    source: Assets
    seed: int

    @cached_property
    def scene(self) -> Scene:
        """Make the table, the camera over it, and the dice of a roll, none of them at the edge."""
        wide = (SIZE[0] + 2 * MARGIN, SIZE[1] + 2 * MARGIN)
        mix = replace(ROLL, margins=(0.2,), cubes=0.0, hands=0.0)
        return arrange(self.source, np.random.default_rng(self.seed), wide, (48, 96), mix)

    @cached_property
    def lying(self) -> Image:
        """Render all dice at rest."""
        return self.picture(self.scene.dice)

    @cached_property
    def empty(self) -> Image:
        """Render the table without dice."""
        return self.picture(())

    @property
    def game(self) -> str:
        """The game of its dice."""
        faces = set(self.scene.dice[0].names)
        return next(game for game, rules in RULESETS.items() if faces == set(rules.faces))

    def picture(self, dice: Sequence[Die], blur: int = 0) -> Image:
        """Render the table with these dice; `blur`: moved by so many px."""
        # Somewhere there is always a die, for the clutter is as large as that one.
        away = replace(self.scene.dice[0], centre=np.array([1e5, 1e5, 8], np.float32))
        drawn = draw(replace(self.scene, dice=(away, *dice)), np.random.default_rng(self.seed))
        seen = drawn.picture
        if blur:
            seen = cv2.blur(seen, (blur, 1 + blur // 3))
        return expose(np.asarray(seen, np.float32), np.random.default_rng(self.seed), 0.6)

    def foreign(self, rng: np.random.Generator) -> tuple[Die, ...]:
        """Add dice with pips or other signs, and blank cubes, to the dice of the roll."""
        view, side = self.scene.camera, self.scene.dice[0].side
        found: list[Die] = []
        for _ in range(60):
            kind = str(rng.choice(["pips", "other", "blank"]))
            pixel = rng.uniform((220, 180), (SIZE[0] - 80, SIZE[1] - 40))
            at = view.on_ground(np.asarray([pixel], np.float32), side)[0, :2].astype(np.float64)
            others = (*self.scene.dice, *found)
            near = min(float(np.linalg.norm(at - die.centre[:2])) for die in others)
            if near > 1.5 * side:
                mould = Mould(self.source, side * float(rng.uniform(0.6, 1.1)), 0)
                die = make_die(mould, rng, finish(rng), kind)
                found.append(put_flat(die, at, float(rng.uniform(0, 360))))
            if len(found) == 3:
                break
        return tuple(found)


def rest(image: Image, frames: int = REST) -> Iterator[Shown]:
    """Yields a rest in which nothing happens."""
    for _ in range(frames):
        yield image


def hands(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields a hand that reaches in and leaves; at times it rests in between, and for long."""
    way = [*np.linspace(0, 1, 9), *[1.0] * int(rng.choice([0, 6, 15, 75])), *np.linspace(1, 0, 9)]
    yield from reach(image, way, rng)
    yield from rest(image)


def reach(image: Image, way: Sequence[float], rng: np.random.Generator) -> Iterator[Image]:
    """Yields an arm that reaches in this far in each frame, 0 to 1."""
    height, width = image.shape[:2]
    side = int(rng.integers(4))
    far = float(rng.uniform(0.2, 0.8))
    start = np.array([(far, -0.2), (far, 1.2), (-0.2, far), (1.2, far)][side]) * (width, height)
    goal = rng.uniform(0.3, 0.7, 2) * (width, height)
    thick = width * float(rng.uniform(0.04, 0.09))
    seed = int(rng.integers(1 << 31))
    for age in way:
        if age <= 0:
            yield image
            continue
        picture = (image.astype(np.float32) / 255) ** 2.2
        trembling = start + (goal - start) * age + rng.normal(0, 1.0, 2)
        hand_at(picture, np.random.default_rng(seed), (start, trembling), thick)
        yield _levels(picture)


def shadows(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields somebody passing before the lamp, or standing there for a while."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height:4, 0:width:4].astype(np.float32)
    ends = rng.uniform(-0.4, 1.4, (2, 2)) * (width, height)
    broad = rng.uniform(0.15, 0.6, 2) * width
    depth = float(rng.uniform(0.2, 0.75))
    stand = [0.5] * int(rng.choice([0, 0, 25]))
    for age in [*np.linspace(0, 0.5, 10), *stand, *np.linspace(0.5, 1, 10)]:
        middle = ends[0] + (ends[1] - ends[0]) * age
        blob = np.exp(-(((x - middle[0]) / broad[0]) ** 2) - ((y - middle[1]) / broad[1]) ** 2)
        full = cv2.resize(1 - depth * np.sin(np.pi * age) * blob, (width, height))
        yield np.asarray(image * full[..., None], np.uint8)
    yield from rest(image)


def lights(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields a lamp going off or on; the camera adjusts for a while, and the lamp is put back."""
    power = float(rng.choice([rng.uniform(0.02, 0.5), rng.uniform(1.3, 3.0)]))
    tint = np.exp(rng.normal(0, 0.12, 3)).astype(np.float32)
    steps = int(rng.choice([1, 2, 8]))
    linear = (image.astype(np.float32) / 255) ** 2.2
    for age in np.linspace(0, 1, steps + 1)[1:]:
        yield _levels(linear * (power**age) * tint**age)
    settled = power ** float(rng.uniform(0.3, 1.0))
    for age in np.linspace(0, 1, 6):
        yield _levels(linear * (power ** (1 - age) * settled**age) * tint)
    yield from rest(_levels(linear * settled * tint), 20)
    yield from rest(image)


def overexposed(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields an overexposed picture, or the reflection of a lamp."""
    linear = (image.astype(np.float32) / 255) ** 2.2
    if rng.random() < 0.4:
        burnt = _levels(linear * float(rng.uniform(5, 60)))
    else:
        height, width = image.shape[:2]
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        at = rng.uniform(0.2, 0.8, 2) * (width, height)
        far = ((x - at[0]) ** 2 + (y - at[1]) ** 2) / (width * float(rng.uniform(0.05, 0.25))) ** 2
        burnt = _levels(linear + 3 * np.exp(-far)[..., None])
    yield from rest(burnt, 26)
    yield from rest(image)


def black(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields darkness, at once or gradually."""
    for age in np.linspace(1, 0, int(rng.choice([1, 5])) + 1)[1:]:
        yield np.asarray(image * age, np.uint8)
    yield from rest(np.zeros_like(image), 15)
    yield from rest(image)


def frozen(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields a hanging camera: before a rest, with a hand in view, or in the middle of a throw."""
    match int(rng.integers(3)):
        case 0:
            yield image
        case 1:
            yield from reach(image, list(np.linspace(0, 1, 5)), rng)
        case _:
            for _ in range(4):
                yield table.picture(_thrown(table, rng), blur=int(rng.choice([1, 5, 15])))
    for _ in range(30):
        yield None
    yield from rest(image)


def knocked(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields a knock against the camera, and one back."""
    shift = rng.uniform(-0.75, 0.75, 2) * MARGIN
    turn = float(rng.uniform(-2.5, 2.5))
    for _ in range(4):
        shaken = _shifted(image, rng.normal(0, 12, 2), 0.0)
        yield np.asarray(cv2.blur(shaken, (9, 5)), np.uint8)
    yield from rest(_shifted(image, shift, turn), REST + 4)
    yield from rest(image)


def strange(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields coins, cards, or dice of other games being put there and taken away."""
    if rng.random() < 0.5:
        there = table.picture((*(table.scene.dice if image is table.lying else ()),
                               *table.foreign(rng)))  # fmt: skip
    else:
        there = _littered(table, image, rng)
    yield from reach(image, list(np.linspace(0, 1, 6)), rng)
    yield from reach(there, list(np.linspace(1, 0, 6)), rng)
    yield from rest(there, REST + 6)
    yield from reach(there, list(np.linspace(0, 1, 5)), rng)
    yield from reach(image, list(np.linspace(1, 0, 5)), rng)
    yield from rest(image)


def cleared(table: Table, image: Image, rng: np.random.Generator) -> Iterator[Shown]:
    """Yields the dice being taken out, some at a time."""
    left = list(table.scene.dice)
    seen = image
    while left:
        count = int(rng.integers(1, len(left) + 1))
        left = left[count:] if rng.random() < 0.5 else left[:-count]
        after = table.picture(left) if left else table.empty
        yield from reach(seen, list(np.linspace(0, 1, 6)), rng)
        yield from reach(after, list(np.linspace(1, 0, 6)), rng)
        yield from rest(after)
        seen = after


KINDS: dict[str, Kind] = {
    kind.__name__: kind
    for kind in (hands, shadows, lights, overexposed, black, frozen, knocked, strange)
}
"""What happens while the dice lie, and again when they are gone."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One frame, and the event in it; "lying" if the roll may still be read."""

    kind: str
    frame: EncodedFrame


def film(
    table: Table, kinds: Sequence[str] = tuple(KINDS), lying: int = REST + 6
) -> Iterator[Seen]:
    """Yields a table's frames: so many of the roll, an event, the clearing, and all that again."""
    rng = np.random.default_rng([table.seed, 1])
    camera = Webcam(table.seed)
    yield from camera.seen("lying", rest(table.lying, lying))
    for image in (table.lying, table.empty):
        for name in rng.permutation(list(kinds)):
            yield from camera.seen(str(name), KINDS[name](table, image, rng))
        if image is table.lying:
            yield from camera.seen("cleared", cleared(table, image, rng))


class Webcam:
    """Crops, degrades and encodes pictures, each with its own noise."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        spread = float(rng.uniform(0.8, 3.0))
        shape = (7, SIZE[1], SIZE[0], 3)
        self._noise = (rng.standard_normal(shape, np.float32) * spread).round().astype(np.int16)
        self._quality = int(rng.integers(60, 95))
        self._shown = 0
        self._sent = b""

    def seen(self, kind: str, pictures: Iterator[Shown]) -> Iterator[Seen]:
        """Yields the pictures as frames, after those before."""
        for picture in pictures:
            if picture is not None:
                self._sent = self._packed(picture)
            yield Seen(kind, EncodedFrame(self._sent, self._shown / FPS, self._shown))
            self._shown += 1

    def _packed(self, picture: Image) -> bytes:
        cut = picture[MARGIN : MARGIN + SIZE[1], MARGIN : MARGIN + SIZE[0]]
        noisy = cv2.add(cut, self._noise[self._shown % len(self._noise)], dtype=cv2.CV_8U)
        _, encoded = cv2.imencode(".jpg", noisy, (cv2.IMWRITE_JPEG_QUALITY, self._quality))
        return encoded.tobytes()


def _thrown(table: Table, rng: np.random.Generator) -> list[Die]:
    """Render the dice in flight."""
    view, dice = table.scene.camera, []
    for die in table.scene.dice:
        pixel = rng.uniform(0.2, 0.8, (1, 2)) * view.size
        at = view.on_ground(pixel.astype(np.float32))[0, :2].astype(np.float64)
        flying = tipped_over(die, float(rng.uniform(0, 6)), float(rng.uniform(0, 40)))
        dice.append(replace(flying, centre=np.array([*at, flying.centre[2]], np.float32)))
    return dice


def _littered(table: Table, image: Image, rng: np.random.Generator) -> Image:
    """Put coins, tokens and cards on the picture, none of them over a die."""
    view = table.scene.camera
    taken = [view.project(die.centre) for die in table.scene.dice]
    side = float(np.linalg.norm(view.project(table.scene.dice[0].corners()[0])[0] - taken[0])) * 1.2
    picture = image.copy()
    for _ in range(40):
        at = rng.uniform((MARGIN, MARGIN), (SIZE[0] + MARGIN, SIZE[1] + MARGIN))
        if min(float(np.linalg.norm(at - other)) for other in taken) < 2.2 * side:
            continue
        taken.append(np.asarray(at, np.float32))
        if rng.random() < 0.6:
            _coin(picture, at, side * float(rng.uniform(0.5, 0.9)), rng)
        else:
            _card(picture, at, side * float(rng.uniform(0.6, 1.3)), rng)
        if len(taken) == len(table.scene.dice) + 4:
            break
    return picture


def _coin(image: Image, at: Floats, radius: float, rng: np.random.Generator) -> None:
    """Draw a coin or a round token, with a number or a star on it."""
    tint = rng.uniform(40, 230, 3)
    centre = (round(float(at[0])), round(float(at[1])))
    for share, light in ((1.0, 0.7), (0.9, 1.0), (0.75, 0.85)):
        cv2.circle(image, centre, round(radius * share), (tint * light).tolist(), -1, cv2.LINE_AA)
    ink = (tint * float(rng.choice([0.3, 1.6]))).clip(0, 255).tolist()
    corner = (centre[0] - round(radius * 0.35), centre[1] + round(radius * 0.4))
    word = str(rng.choice(list("1235*")))
    cv2.putText(image, word, corner, cv2.FONT_HERSHEY_DUPLEX, radius / 22, ink, 2, cv2.LINE_AA)


def _card(image: Image, at: Floats, half: float, rng: np.random.Generator) -> None:
    """Draw a card or a square token with a frame and a patch of another colour."""
    turn = float(rng.uniform(0, 180))
    for share in (1.0, 0.88, 0.45):
        size = (2 * half * share, 2.6 * half * share)
        corners = cv2.boxPoints(((float(at[0]), float(at[1])), size, turn))
        colour = rng.uniform(10, 245, 3).tolist()
        cv2.fillPoly(image, [corners.round().astype(np.int32)], colour, cv2.LINE_AA)


def _shifted(image: Image, shift: Floats, degrees: float) -> Image:
    height, width = image.shape[:2]
    grid = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    grid[:, 2] += shift
    moved = cv2.warpAffine(image, grid, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def _levels(picture: Floats) -> Image:
    """Convert a linear picture, 0 to 1, to a camera's 8 bits."""
    return np.asarray(np.clip(picture, 0, 1) ** (1 / 2.2) * 255, np.uint8)
