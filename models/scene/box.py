"""The dice of a scene: which box they come from, how they are made and placed."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from models.arrays import Floats, Image
from models.art.glyphs import FACES, Bank, load_bank
from models.art.symbols.bank import Symbols
from models.art.symbols.choice import six_of_a_kind
from models.scene.camera import PinholeCamera
from models.scene.die import (
    GAMES,
    DicePrint,
    Die,
    make_print,
    paint_atlas,
    print_of,
    put_flat,
    rotation_with_top,
    tipped_over,
    worn_ink,
)
from models.scene.finishes import (
    Board,
    Finish,
    engraved,
    finish,
    make_boards,
    paint_plastic,
    surfaces,
    varied_finish,
)
from models.scene.mixes import Mix

PITTED: Final = 0.6
"""The share of varied dice with pips that are pits in dice of their own finish."""
BOARDS: Final = 32
"""The boards and keyboards of a split."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The drawings and grounds that a split may show."""

    bank: Bank
    grounds: tuple[Image, ...]
    split: str
    boards: tuple[Board, ...] = ()
    symbols: Symbols | None = None
    """Only for kinds of pictures with dice that carry symbols."""


def assets(split: str, seed: int = 1, grounds: int = 140) -> Assets:
    """Load the drawings and grounds of a split."""
    bank = load_bank()
    legends = [
        glyph.variants[0]
        for face in (*FACES, "other", "other", "other")
        for glyph in bank.of(split, face)[:60]
    ]
    boards = tuple(make_boards(split, legends, BOARDS, seed))
    return Assets(bank, tuple(surfaces(split, grounds, seed)), split, boards)


@dataclass(frozen=True, slots=True)
class Mould:
    """The common properties of the dice of one scene."""

    assets: Assets
    side: float
    game: int
    shown: DicePrint | None = None
    """The print of the game's dice, all from one box; None: each from another."""


def make_die(mould: Mould, rng: np.random.Generator, style: Finish, kind: str) -> Die:
    """Make a die at the origin, a random face upwards, unturned."""
    side = mould.side
    shown = mould.shown
    if shown is None or kind != "glyph":
        source = mould.assets
        shown = make_print((source.bank, source.split), mould.game, rng, kind, source.symbols)
    rotation, relief = rotation_with_top(int(rng.integers(6))), None
    if style.plastic is None:
        atlas, ink = paint_atlas(shown, style, rng)
    else:
        ink = worn_ink(shown, style, rng)
        atlas, relief = paint_plastic(ink, style, style.plastic, rng)
    centre = np.array([0, 0, side / 2], np.float32)
    names = (shown.names, shown.drawings)
    return Die(centre, rotation, side, *names, atlas, ink, style, kind, relief)


@dataclass(frozen=True, slots=True)
class DiceBox:
    """The box of a scene's dice: how they are made, how many are thrown, their usual finish and,
    if they are `mixed`, that of some others.
    """

    mould: Mould
    count: int
    common: Finish
    extra: Finish
    mixed: bool


def make_dice_box(assets: Assets, rng: np.random.Generator, side: float, mix: Mix) -> DiceBox:
    """Make a box of dice `side` mm wide, as the mix has it."""
    game = int(rng.random() < 0.42) if mix.game is None else mix.game
    shown = make_print((assets.bank, assets.split), game, rng, "glyph") if mix.one_box else None
    count = int(rng.choice(mix.counts))
    common, extra = _finish(rng, mix), _finish(rng, mix)
    mixed = rng.random() < 0.3
    return DiceBox(Mould(assets, side, game, shown), count, common, extra, mixed)


def box_of_symbols(box: DiceBox, rng: np.random.Generator) -> tuple[DiceBox, str]:
    """Let six symbols of one held kind stand in for the faces of the box's game; return the kind as
    well. Other games' dice beside it carry symbols of other kinds. ValueError if no kind has
    six.
    """
    assets = box.mould.assets
    symbols, split = assets.symbols, assets.split
    kinds = symbols.held_kinds(split) if symbols is not None else ()
    for place in rng.permutation(len(kinds)):
        kind = kinds[int(place)]
        chosen = symbols and six_of_a_kind(symbols, split, kind, rng)
        if symbols and chosen:
            shown = print_of(chosen, GAMES[box.mould.game], rng)
            others = replace(assets, symbols=symbols.without(kind))
            return replace(box, mould=replace(box.mould, assets=others, shown=shown)), kind
    raise ValueError(f"no held kind of {split} has six symbols that are easy to distinguish")


def with_strangers(
    dice: tuple[Die, ...], mould: Mould, count: int, rng: np.random.Generator
) -> tuple[Die, ...]:
    """Put `count` dice of another game, all with one print of symbols, in the places of some."""
    source = mould.assets
    ours = (source.bank, source.split)
    shown = make_print(ours, mould.game, rng, "strangers", source.symbols)
    theirs = replace(mould, shown=shown)
    exchanged = list(dice)
    fresh = finish(rng, 0.4) if rng.random() < 0.5 else None
    for place in rng.permutation(len(dice))[:count]:
        old = dice[int(place)]
        new = make_die(theirs, rng, fresh or old.finish, "glyph")
        exchanged[int(place)] = put_flat(new, old.centre[:2], float(rng.uniform(0, 360)))
    return tuple(exchanged)


def _finish(rng: np.random.Generator, mix: Mix) -> Finish:
    """Make a finish as the mix has it."""
    style = (varied_finish if mix.varied else finish)(rng, mix.odd, mix.worn)
    return engraved(style, rng) if mix.engraved and rng.random() < mix.engraved else style


def random_spots(
    rng: np.random.Generator, view: PinholeCamera, side: float, count: int, mix: Mix
) -> list[tuple[Floats, float]]:
    """Draw places (x, y) and yaws in degrees for dice: apart, near, or touching; some at the edge.
    With a margin above zero dice lie whole in the picture, unless they may be `cut` off.
    """
    margin = float(rng.choice(mix.margins))
    placed: list[tuple[Floats, float]] = []
    touching = rng.random() < 0.45
    for _ in range(count * 12):
        if len(placed) == count:
            break
        yaw = float(rng.uniform(0, 360))
        if placed and touching and rng.random() < 0.5:
            near, base = placed[int(rng.integers(len(placed)))]
            flush = rng.random() < 0.5
            yaw = base if flush else yaw
            way = np.radians(base + 90 * rng.integers(0, 4) if flush else rng.uniform(0, 360))
            gap = side * (rng.uniform(1.0, 1.06) if flush else rng.uniform(1.22, 1.42))
            at = near + gap * np.array([np.cos(way), np.sin(way)])
        else:
            pixel = rng.uniform(margin, 1 - margin, (1, 2)) * view.size
            at = view.on_ground(pixel.astype(np.float32), side)[0, :2].astype(np.float64)
        if margin > 0 and not mix.cut:
            there = view.project(np.array([*at, side], np.float32)) / view.size
            ring = at + 0.8 * side * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            points = view.project(np.array([[*spot, z] for spot in ring for z in (0.0, side)]))
            if np.abs(there - 0.5).max() > 0.5 - 0.75 * margin or not view.shows(points):
                continue
        if all(
            np.linalg.norm(at - other) > side * (1.0 if abs((yaw - turn) % 90) < 1e-6 else 1.21)
            for other, turn in placed
        ):
            placed.append((at, yaw))
    return placed


def place_dice(box: DiceBox, rng: np.random.Generator, view: PinholeCamera, mix: Mix) -> list[Die]:
    """Place dice of the box on the table before the camera, as the mix has it."""
    mould, side = box.mould, box.mould.side
    leaning = rng.random() < mix.leaning
    odds = [1 - mix.foreign, (1 - mix.signs) * mix.foreign, mix.signs * mix.foreign]
    dice: list[Die] = []
    for place, (at, yaw) in enumerate(random_spots(rng, view, side, box.count, mix)):
        kind = str(rng.choice(["glyph", "pips", mix.sign], p=odds))
        style = box.common
        if box.mixed and mix.one_box:
            style = box.extra if rng.random() < 0.25 else box.common
        elif box.mixed:
            style = _finish(rng, mix)
        if kind == "pips" and mix.varied and rng.random() < PITTED:
            style = engraved(varied_finish(rng), rng)
        die = put_flat(make_die(mould, rng, style, kind), at, yaw)
        if leaning and (rng.random() < 0.45 or (mix.leaning == 1 and not place)):
            die = tipped_over(die, rng.uniform(0, 2 * np.pi), rng.uniform(*mix.tipped))
        dice.append(die)
    if dice and rng.random() < mix.stacked:
        under = dice[int(rng.integers(len(dice)))]
        upper = put_flat(make_die(mould, rng, box.common, "glyph"), under.centre[:2] +
                     rng.normal(0, 0.12 * side, 2), float(rng.uniform(0, 360)))  # fmt: skip
        dice.append(replace(upper, centre=upper.centre + np.array([0, 0, side], np.float32)))
    if rng.random() < mix.cubes:
        dice += _cubes(mould, rng, view)
    return dice


def _cubes(mould: Mould, rng: np.random.Generator, view: PinholeCamera) -> list[Die]:
    """Make unprinted cubes like the game's energy cubes; they are never labelled."""
    green = np.array([rng.uniform(0.01, 0.15), rng.uniform(0.2, 0.8), rng.uniform(0.01, 0.3)])
    small = rng.random() < 0.75
    edge = mould.side * (rng.uniform(0.4, 0.7) if small else rng.uniform(0.8, 1.1))
    cubes = []
    for _ in range(int(rng.integers(1, 7))):
        style = replace(finish(rng), body=green.astype(np.float32), radius=rng.uniform(0.01, 0.12))
        pixel = rng.uniform(0, 1, (1, 2)) * np.array(view.size)
        at = view.on_ground(pixel.astype(np.float32))[0, :2].astype(np.float64)
        cube = make_die(replace(mould, side=edge), rng, style, "blank")
        cubes.append(put_flat(cube, at, rng.uniform(0, 360)))
    return cubes
