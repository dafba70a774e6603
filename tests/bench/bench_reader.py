"""How long one look at the tray takes, beside the bare networks on inputs of the same shapes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnxruntime

from companion.resources import resource_dir
from companion.vision.contract import load_contract
from companion.vision.frames import Image, video_frames
from companion.vision.reader import Reader
from tests.bench import Figure

CLIP = Path(__file__).parent.parent / "clips" / "test_new_york.mp4"
FRAME = 50
ROUNDS = 15


def figures() -> Iterator[Figure]:
    """The median of several looks at a picture with six dice or more."""
    image = next(frame.image for frame in video_frames(str(CLIP)) if frame.index == FRAME)
    reader = Reader.shipped()
    networks = bare_networks(image, len(reader.look(image)))
    bare = _median_ms(networks)
    whole = _median_ms(lambda: reader.look(image))
    yield Figure("bare_networks.one_frame", bare, "ms")
    yield Figure("reader.one_frame", whole, "ms", "bare_networks.one_frame", round(whole / bare, 2))


def bare_networks(image: Image, dice: int) -> Callable[[], None]:
    """Runs the three networks as often as a look with so many dice does."""
    folder = resource_dir("models")
    contract = load_contract(folder)
    detector, corners, classifier = contract.detector, contract.corners, contract.classifier
    high = detector.input.width * image.shape[0] // image.shape[1] + 2 * detector.margin
    wide = detector.input.width + 2 * detector.margin
    step = detector.multiple
    runs = [
        (detector.file, (1, 3, -(-high // step) * step, -(-wide // step) * step), 1),
        (corners.file, (dice, 3, corners.input.width, corners.input.width), corners.passes),
        (
            classifier.file,
            (dice * classifier.rotations, 3, classifier.input.width, classifier.input.width),
            1,
        ),
    ]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    loaded = [
        (onnxruntime.InferenceSession(str(folder / file), options), np.zeros(shape, "f4"), times)
        for file, shape, times in runs
    ]

    def run() -> None:
        for session, zeros, times in loaded:
            for _ in range(times):
                session.run(None, {session.get_inputs()[0].name: zeros})

    return run


def _median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(times), 2)
