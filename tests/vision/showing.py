"""Drawn pictures of a box of dice before the camera: one face at a time, or a roll.

The dice lie in a tray under one lamp; the camera's height and tilt, the light and a glare are as
the test asks. One seed, one box.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import ClassVar

import numpy as np

from companion.engine import RULESETS, Face
from companion.vision.pictures import Frame, Image, cv2
from companion.vision.readings import SourceError
from companion.vision.sources.kinds import FrameStream
from models.scene.box import Assets, Mould, make_die
from models.scene.camera import CameraPose, camera, expose
from models.scene.die import GAMES, Die, make_print, put_flat, rotation_with_top
from models.scene.finishes import Finish, linear
from models.scene.light import Lamp, Scene
from models.scene.render import draw
from tests.vision.fakes import AtOnce
from tests.vision.quiet import drawings

SIZE = (960, 540)
POSED_FPS = 5
IDLE_STEP_S = 0.004
"""The time between two pictures when nothing is new to see."""
SPOTS = ((-70, -35), (0, -40), (70, -35), (-70, 35), (0, 40), (70, 35))
"""Where dice lie well apart, mm from the middle."""
_BLACK = Finish(
    linear(np.array([26.0, 24.0, 22.0])), linear(np.array([60.0, 215.0, 170.0])), "black",
    0.1, 40.0, 0.12, 0.0,
)  # fmt: skip


@dataclass(frozen=True)
class ShownBox:
    """Six dice of a box, and the camera over them."""

    source: Assets
    game: int = 0
    tilt: float = 12.0
    """Degrees."""
    die_px: float = 62.0

    @staticmethod
    @cache
    def of(game: int = 0, seed: int = 5) -> ShownBox:
        """Make a box of a game, 0 or 1 of `models.scene.die.GAMES`."""
        return ShownBox(drawings(seed, grounds=4, most=8), game)

    @property
    def faces(self) -> tuple[Face, ...]:
        """The faces of the game."""
        names = set(GAMES[self.game])
        return next(rules.faces for rules in RULESETS.values() if set(rules.faces) == names)

    @cached_property
    def _scene(self) -> Scene:
        view = camera(CameraPose(self.tilt, 0.0, 60.0, self.die_px), 16.0, SIZE)
        lamp = Lamp(
            np.array([-260, 240, 420], np.float32), np.array([0.75, 0.8, 0.85], np.float32), 8.0
        )
        ambient = np.array([0.5, 0.5, 0.5], np.float32)
        felt = np.random.default_rng(3).normal((70, 78, 122), 5, (640, 640, 3))
        ground = np.asarray(np.clip(felt, 0, 255), np.uint8)
        return Scene(view, (), ground, 400.0, (lamp,), ambient, (), hands=0.0)

    @cached_property
    def _dice(self) -> tuple[Die, ...]:
        rng = np.random.default_rng(11)
        shown = make_print((self.source.bank, self.source.split), self.game, rng, "glyph")
        mould = Mould(self.source, 16.0, self.game, shown)
        return tuple(make_die(mould, rng, _BLACK, "glyph") for _ in SPOTS)

    def roll(self, faces: tuple[Face, ...], seed: int) -> Image:
        """Draw dice with these faces up, each somewhere near its spot."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(SPOTS))
        dice = []
        for place, face in enumerate(faces):
            die = self._dice[place]
            up = replace(die, rotation=rotation_with_top(die.names.index(face)))
            at = np.asarray(SPOTS[order[place]] + rng.uniform(-9, 9, 2), np.float64)
            dice.append(put_flat(up, at, float(rng.uniform(0, 360))))
        drawn = draw(replace(self._scene, dice=tuple(dice)), np.random.default_rng(1))
        return expose(np.asarray(drawn.picture, np.float32), np.random.default_rng(1), 0.6)

    def touching(self, face: Face) -> Image:
        """Draw all six dice with this face up, the first two side by side."""
        up = [replace(die, rotation=rotation_with_top(die.names.index(face))) for die in self._dice]
        spots = [(-8.2, 0), (8.2, 0), (-75, -30), (75, -30), (-75, 35), (75, 35)]
        dice = tuple(put_flat(die, np.array(at), 0.0) for die, at in zip(up, spots, strict=True))
        drawn = draw(replace(self._scene, dice=dice), np.random.default_rng(1))
        return expose(np.asarray(drawn.picture, np.float32), np.random.default_rng(1), 0.6)

    def show(self, face: Face, seed: int) -> Image:
        """Draw all six dice with this face up."""
        return self.roll((face,) * len(SPOTS), seed)


def with_glare(image: Image, x: float, y: float, width: float = 0.16) -> Image:
    """Add a lamp's reflection round a point, in shares of the picture."""
    height, across = image.shape[:2]
    mask = np.zeros((height, across), np.float32)
    axes = (round(width * across), round(width * height))
    cv2.ellipse(mask, (round(x * across), round(y * height)), axes, 0, 0, 360, 1.0, -1)
    soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), 12), np.float32)
    return np.asarray(np.clip(image + 255 * soft[..., None], 0, 255), np.uint8)


def dimmed(image: Image, share: float) -> Image:
    """Take the light away but for a share of it."""
    return np.asarray(image * share, np.uint8)


@dataclass(frozen=True)
class Chosen(ABC):
    """A live camera whose pictures lie in a folder, beside the name of what it shows."""

    live: ClassVar[bool] = True
    folder: str

    def add(self, name: str, *images: Image) -> None:
        """Keep the pictures of this name, which follow each other over and over."""
        Path(self.folder).mkdir(parents=True, exist_ok=True)
        for n, image in enumerate(images):
            cv2.imwrite(str(Path(self.folder, f"{name}-{n}.png")), image)

    def show(self, name: str) -> None:
        """Show what has this name from now on; "": pull the plug."""
        made = Path(self.folder, "shown.new")
        made.write_text(name)
        made.replace(Path(self.folder, "shown"))

    def present(self) -> bool:
        """Whether it is plugged in."""
        return self.shown() != ""

    def play(self) -> FrameStream:
        """Open the camera."""
        return AtOnce(self.frames())

    @abstractmethod
    def frames(self) -> Generator[Frame]:
        """Yields frames until it is unplugged."""

    def shown(self) -> str:
        """Return the name of what is shown."""
        return Path(self.folder, "shown").read_text()

    def picture(self, name: str, index: int) -> Image:
        """Return the picture of that frame: no two of a camera are the same."""
        files = sorted(Path(self.folder).glob(f"{name}-*.png"))
        fresh = cv2.imread(str(files[index % len(files)]))
        assert fresh is not None, name
        fresh[0, :4, 0] = [index >> shift & 255 for shift in (0, 8, 16, 24)]
        return np.asarray(fresh, np.uint8)


@dataclass(frozen=True)
class Posed(Chosen):
    """A camera with one picture of each name: hands move for a while, then it rests.

    Its clock is its own: it runs at the pace of the script, and nearly stands while the dice lie
    and nothing is new to see, so the seconds counted are those that a person needs.
    """

    turn_s: float = 6.0
    """How long hands turn the dice."""
    rest_s: float = 2.0
    """How long the dice then lie, at the camera's own pace."""

    def frames(self) -> Generator[Frame]:
        """Yields frames for ever."""
        shown, at, lain = "", 0.0, 0.0
        for index in count():
            name = self.shown()
            if name != shown:
                for n in range(round(self.turn_s * POSED_FPS) if shown else 0):
                    moving = self.picture(name, 0)
                    left = 60 * (n % 8)
                    moving[:, left : left + 90] = (120, 150, 190)
                    at += 1 / POSED_FPS
                    yield Frame(moving, at, index)
                shown, lain = name, 0.0
            step = 1 / POSED_FPS if lain < self.rest_s else IDLE_STEP_S
            at, lain = at + step, lain + step
            yield Frame(self.picture(name, index), at, index)


LIVE_FPS = 15


class Directed(Chosen):
    """A camera over scenes, in real time."""

    def frames(self) -> Generator[Frame]:
        """Yields frames until it is unplugged."""
        began, pace = time.monotonic(), threading.Event()
        for index in count():
            name = self.shown()
            if name == "":
                raise SourceError("error.camera.lost", source=self.folder)
            pace.wait(1 / LIVE_FPS)
            yield Frame(self.picture(name, index), time.monotonic() - began, index)
