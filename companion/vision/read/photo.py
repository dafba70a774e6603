"""Read an uploaded photo. Pictures of a camera go through `watch`."""

from __future__ import annotations

import numpy as np

from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import decode, scaled_size
from companion.vision.pictures.frames import Frame
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.readings import DiceReading

LONG_SIDE = 1920
"""The size at which a photo is read, px: its dice are large, and finer detail does not help."""


def read_photo(encoded: bytes, reader: Reader, expected: Expected) -> DiceReading:
    """Read the dice of a photo, with pictures. PhotoError where it cannot be decoded."""
    image = decode(encoded, LONG_SIDE)
    scale = LONG_SIDE / max(image.shape[:2])
    if scale < 1:
        size = scaled_size(image, scale)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    look = reader.look(image)
    verdict = reader.decide([look], expected, image)
    reading = reading_of(verdict, expected.rules.game, Frame(image, 0.0, 0))
    return reader.with_pictures(reading, image, look)
