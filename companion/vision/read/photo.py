"""An uploaded photo and the dice that it shows."""

from __future__ import annotations

import numpy as np

from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import decode, fitting
from companion.vision.pictures.frames import Frame
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.readings import DiceReading

LONG_SIDE = 1920
"""A photo is read at this size: its dice are large, and a phone's finest grain is no help."""


def read_photo(encoded: bytes, reader: Reader, expected: Expected) -> DiceReading:
    """What the photo shows, with its pictures. PhotoError where it is no photo."""
    image = decode(encoded, LONG_SIDE)
    scale = LONG_SIDE / max(image.shape[:2])
    if scale < 1:
        size = fitting(image, scale)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    look = reader.look(image)
    verdict = reader.weigh([look], expected, image)
    reading = reading_of(verdict, expected.rules.game, Frame(image, 0.0, 0))
    return reader.with_pictures(reading, image, look)
