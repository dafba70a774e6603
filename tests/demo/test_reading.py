"""Demo dice before the reader with its networks, and the pictures that they are made of."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from companion.demo.camera import DemoCamera
from companion.demo.source import pictures
from companion.engine import RULESETS
from companion.vision.pictures import cv2
from companion.vision.read.reader import Reader
from models.evaluate_demo import evaluate
from models.sprites import sheet, tray
from tests.waiting import Clock


@pytest.mark.parametrize("game", RULESETS)
def test_throws_are_read_surely_and_rightly_and_kept_dice_stay(game: str) -> None:
    score = evaluate(game, 4, 5, Reader.shipped())
    assert (score.unread, score.wrong, score.silent) == (0, 0, 0)
    assert score.sure >= 3
    assert score.right >= score.dice - 1
    assert score.kept > 3
    assert score.stayed == score.kept
    assert msgspec.to_builtins(score)["faces"].keys() <= set(RULESETS[game].faces)


def test_no_die_is_seen_in_the_empty_tray() -> None:
    clock = Clock()
    camera = DemoCamera(pictures(), 3, clock, clock.move)
    frames = [camera.take(1.0) for _ in range(40)]
    reader = Reader.shipped()
    assert [frame for frame in frames if frame is None or reader.look(frame.image)] == []


def test_the_faces_are_those_that_the_script_renders() -> None:
    game = min(RULESETS)
    kept = cv2.imread(str(pictures() / f"{game}.png"), cv2.IMREAD_UNCHANGED)
    assert kept is not None
    assert abs(kept.astype(int) - sheet(game)).max() <= 2


def test_the_tray_is_the_one_that_the_script_draws() -> None:
    kept = cv2.imread(str(pictures() / "tray.webp"))
    assert kept is not None
    assert float(np.abs(kept.astype(int) - tray()).mean()) < 4
