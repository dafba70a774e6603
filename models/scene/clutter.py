"""Objects beside the dice: trays, cards, tokens, printed signs, boards, and hands."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.arrays import Floats, Image
from models.scene.camera import PinholeCamera
from models.scene.die import Die
from models.scene.finishes import Finish


def _tint(rng: np.random.Generator) -> list[int]:
    """Draw a random 8-bit colour."""
    return [int(v) for v in rng.uniform(10, 245, 3)]


def _patch(image: Image, view: PinholeCamera, points: Floats, colour: list[int]) -> None:
    """Paint a polygon of the table, given in world points."""
    flat = view.project(points.astype(np.float32))
    if (np.abs(flat) > 8000).any():
        return
    cv2.fillPoly(image, [np.round(flat * 8).astype(np.int32)], colour, cv2.LINE_AA, 3)


def _spot(view: PinholeCamera, rng: np.random.Generator) -> Floats:
    """Draw a random place on the table in view."""
    pixel = rng.uniform(-0.05, 1.05, (1, 2)) * np.array(view.size)
    return view.on_ground(pixel.astype(np.float32))[0].astype(np.float64)


def clutter(image: Image, view: PinholeCamera, side: float, rng: np.random.Generator) -> None:
    """Paint discs, cards, and squares of a die's size on the ground of the 8-bit picture."""
    turn = np.linspace(0, 2 * np.pi, 24)
    ring = np.stack([np.cos(turn), np.sin(turn), np.zeros(24)], 1)
    star = ring * np.where(np.arange(24) % 4 < 2, 1.0, 0.45)[:, None]
    for _ in range(int(rng.choice([0, 1, 2, 4]))):
        at, radius = _spot(view, rng), side * rng.uniform(0.3, 1.1)
        for shape, share, size in ((ring, 1.0, 1.0), (ring, 0.5, 0.65), (star, 0.4, 0.6)):
            if rng.random() < share:
                _patch(image, view, at + shape * radius * size, _tint(rng))
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        at, angle, wide = _spot(view, rng), rng.uniform(0, 2 * np.pi), side * rng.uniform(1.4, 2.2)
        card = _frame(at, (wide, wide * 1.45), angle)
        _patch(image, view, card, _tint(rng))
        _patch(image, view, at + (card - at) * 0.9, _tint(rng))
        for _ in range(int(rng.integers(2, 9))):
            across, down = rng.uniform(-0.35, 0.35, 2)
            inner = at + across * (card[1] - card[0]) + down * (card[3] - card[0])
            part = (wide * rng.uniform(0.1, 0.6), wide * rng.uniform(0.03, 0.3))
            _patch(image, view, _frame(inner, part, angle), _tint(rng))
    for _ in range(int(rng.choice([0, 0, 0, 3]))):
        at, half = _spot(view, rng), side * rng.uniform(0.35, 0.7)
        _patch(image, view, _frame(at, (half, half), rng.uniform(0, 2 * np.pi)), _tint(rng))
        blob = ring[np.sort(rng.choice(24, 7, replace=False))] * half * rng.uniform(0.3, 0.8)
        _patch(image, view, at + blob, _tint(rng))


def _frame(at: Floats, size: tuple[float, float], angle: float) -> Floats:
    """(4, 3) the corners of a rectangle round `at`, with half sizes and angle."""
    across = np.array([np.cos(angle), np.sin(angle), 0]) * size[0]
    along = np.array([-np.sin(angle), np.cos(angle), 0]) * size[1]
    return np.stack(
        [at - across - along, at + across - along, at + across + along, at - across + along]
    )


def tray_walls(
    dice: tuple[Die, ...], side: float, view: PinholeCamera, rng: np.random.Generator
) -> tuple[Die, ...]:
    """Put a tray's walls round the dice, most of them close to the outermost; of 4,
    6 or 8 some may be missing. Those towards the camera are low enough to look over.
    """
    count = int(rng.choice([4, 4, 4, 6, 8]))
    turn = rng.uniform(0, 2 * np.pi)
    angles = turn + np.arange(count) * 2 * np.pi / count
    outward = np.stack([np.cos(angles), np.sin(angles)], 1)
    spots = np.array([die.centre[:2] for die in dice if die.kind != "blank"] or [np.zeros(2)])
    middle = spots.mean(axis=0) - outward[0] * rng.uniform(0, 2) * side
    room = side * float(np.exp(rng.uniform(np.log(0.03), np.log(5.0))))
    apart = float((outward @ (spots - middle).T).max()) + 0.72 * side + room
    thick = side * rng.uniform(0.15, 0.9)
    tall = side * rng.uniform(0.4, 2.0)
    eye = view.eye[:2] - middle
    slope = float(np.hypot(*eye) / view.eye[2])
    colour = ((np.array(_tint(rng)) / 255) ** 2.2).astype(np.float32)
    style = Finish(colour, colour, "", 0.0, 20.0, 0.1, 0.0)
    atlas = np.tile(colour, (6, 1, 1))
    walls = []
    for way in outward:
        if rng.random() < 0.15:
            continue
        high = tall
        towards = float(way @ eye) / max(1e-6, float(np.hypot(*eye))) * slope
        if towards > 0.1:
            high = min(tall, room / towards + 0.35 * side)
        wide = 2 * (apart + thick) * np.tan(np.pi / count)
        along = np.array([-way[1], way[0]])
        at = middle + way * (apart + thick / 2)
        rotation = np.array([[way[0], along[0], 0], [way[1], along[1], 0], [0, 0, 1]], np.float32)
        half = np.array([thick, wide, high], np.float32) / 2
        centre, none = np.array([*at, high / 2], np.float32), ("",) * 6
        ink = np.zeros((6, 1), np.float32)
        walls.append(
            Die(centre, rotation, thick, none, none, atlas, ink, style, "blank", None, half)
        )
    return tuple(walls)


def hand(picture: Floats, rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Paint a hand that reaches in from an edge of the linear picture; True if it covers."""
    width, height = size
    start = np.array([rng.uniform(0, width), rng.choice([-0.1, 1.1]) * height])
    goal = np.array([rng.uniform(0.2, 0.8) * width, rng.uniform(0.3, 0.7) * height])
    palm = start + (goal - start) * rng.uniform(0.3, 0.9)
    return hand_at(picture, rng, (start, palm), width * rng.uniform(0.05, 0.11))


def hand_at(
    picture: Floats, rng: np.random.Generator, arm: tuple[Floats, Floats], thick: float
) -> NDArray[np.bool_]:
    """Paint a forearm from arm[0] to a palm at arm[1] with spread fingers; px."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    start, palm = arm
    way = (palm - start) / max(1.0, float(np.linalg.norm(palm - start)))

    def limb(first: Floats, last: Floats, width: float) -> None:
        ends = [tuple(int(v) for v in np.round(p)) for p in (first, last)]
        cv2.line(mask, ends[0], ends[1], 255, max(1, int(width)), cv2.LINE_AA)

    limb(start, palm, thick * 1.7)
    cv2.circle(mask, (int(palm[0]), int(palm[1])), int(thick * 1.15), 255, -1, cv2.LINE_AA)
    for angle in np.linspace(-0.75, 0.75, 5) + rng.normal(0, 0.05, 5):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        limb(palm, palm + turn @ way * thick * rng.uniform(1.9, 2.7), thick * 0.55)
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    round_off = np.clip(depth / (thick * 0.45), 0, 1) ** 0.5
    skin = np.array([[0.25, 0.36, 0.62]]) * rng.uniform(0.25, 1.3)
    light = float(np.quantile(picture[::9, ::9], 0.7)) + 0.05
    covered = mask > 127
    shade = (0.45 + 0.55 * round_off[covered])[:, None] * skin * light * 1.6
    picture[covered] = shade.astype(np.float32)
    return covered
