"""Random places of dice on the table: apart, near one another, or touching; some over the edge."""

import numpy as np

from models.arrays import Floats
from models.scene.camera import PinholeCamera


def random_spots(
    rng: np.random.Generator,
    view: PinholeCamera,
    room: tuple[float, float],
    count: int,
    *,
    cut: bool = False,
) -> list[tuple[Floats, float]]:
    """Draw places (x, y) and yaws in degrees for dice: apart, near, or touching; some at the edge.

    `room` is the dice's side, mm, and the margin as a Mix has it. With a margin above zero dice lie
    whole in the picture, unless they may be `cut` off.
    """
    side, margin = room
    width, height = view.size
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
            pixel = np.array(
                [
                    [
                        rng.uniform(margin, 1 - margin) * width,
                        rng.uniform(margin, 1 - margin) * height,
                    ]
                ],
                np.float32,
            )
            at = view.on_ground(pixel, side)[0, :2].astype(np.float64)
        if margin > 0 and not cut:
            there = view.project(np.array([*at, side], np.float32)) / [width, height]
            if np.abs(there - 0.5).max() > 0.5 - 0.75 * margin or not _whole(at, view, side):
                continue
        clear = all(
            np.linalg.norm(at - other) > side * (1.0 if abs((yaw - turn) % 90) < 1e-6 else 1.21)
            for other, turn in placed
        )
        if clear:
            placed.append((at, yaw))
    return placed


def _whole(at: Floats, view: PinholeCamera, side: float) -> bool:
    """Whether a die at (x, y), however it is turned, is in the picture with a little room."""
    ring = 0.8 * side * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    corners = [[*spot, height] for spot in at + ring for height in (0.0, side)]
    points = view.project(np.array(corners, np.float32))
    return bool((points >= 0).all() and (points <= np.array(view.size)).all())
