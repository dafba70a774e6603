"""The time to read a still, compared with decoding its JPEG and with the bare networks on inputs of
the same shapes; and the processor time of a rest, from the first still picture to the reading.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from companion.resources import resource_dir
from companion.vision.box import rules_of
from companion.vision.networks.contract import load_contract, load_session
from companion.vision.pictures import Frame, Image, cv2
from companion.vision.read.reader import Expected, Reader
from companion.vision.sources.frames import video_frames
from companion.vision.watch.watcher import Watcher
from tests.bench import Figure

CLIP = Path(__file__).parent.parent / "clips" / "test_new_york.mp4"
FRAME = 50
GAME = "new-york"
SIZE = (1280, 720)
ROUNDS = 50
RESTS = 10
FPS = 20


def figures() -> Iterator[Figure]:
    """Return medians over one 1280 x 720 picture with six dice, decoded and read in turns."""
    cv2.setNumThreads(1)
    frame = next(frame.image for frame in video_frames(str(CLIP)) if frame.index == FRAME)
    image = np.asarray(cv2.resize(frame, SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
    coded = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, 90))[1]
    reader, expected = Reader.shipped(), Expected(rules_of(GAME))
    networks = bare_networks(image, len(reader.look(image)))
    decode, bare, whole = _medians_ms(
        lambda: cv2.imdecode(coded, cv2.IMREAD_COLOR),
        networks,
        lambda: reader.read(image, expected),
    )
    yield Figure("watcher.one_rest", statistics.median(rests_ms(reader, image)), "ms")
    yield Figure("jpeg.decode", decode, "ms")
    yield Figure("bare_networks.one_still", bare, "ms")
    yield Figure("reader.one_still", whole, "ms", "jpeg.decode", round(whole / decode, 2))
    yield Figure("reader.one_still", whole, "ms", "bare_networks.one_still", round(whole / bare, 2))


def rests_ms(reader: Reader, image: Image) -> Iterator[float]:
    """Let dice come to rest in front of a camera, and yield each rest's processor time."""
    moving = [np.roll(image, 12 * n, axis=1) for n in range(3, 0, -1)]
    for _ in range(RESTS):
        watcher = Watcher(reader, Expected(rules_of(GAME)))
        for n, moved in enumerate(moving):
            watcher.see(Frame(moved, n / FPS, n))
        began, reading, n = time.process_time(), None, len(moving)
        while reading is None:
            # A camera's pictures are never the same array.
            reading = watcher.see(Frame(image.copy(), n / FPS, n)).reading
            n += 1
        yield (time.process_time() - began) * 1000


def bare_networks(image: Image, dice: int) -> Callable[[], None]:
    """Run the three networks as often as a look with so many dice does."""
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
    loaded = [
        (load_session(folder / file, threads=1), np.zeros(shape, "f4"), times)
        for file, shape, times in runs
    ]

    def run() -> None:
        for session, zeros, times in loaded:
            for _ in range(times):
                session.run(None, {session.get_inputs()[0].name: zeros})

    return run


def _medians_ms(*works: Callable[[], object]) -> list[float]:
    """Return the median time of each, all run in turns so that disturbances affect all of them."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, taken in zip(works, times, strict=True):
            began = time.perf_counter()
            work()
            taken.append((time.perf_counter() - began) * 1000)
    return [round(statistics.median(taken), 2) for taken in times]
