"""OpenCV, imported with its limits set; the modules of `companion.vision` import it from here.

OpenCV reads these variables once, when its library is loaded, so the order matters: a picture of
30,000 x 30,000 pixels would otherwise be decoded into gigabytes, a stalled camera would block a
read for ten seconds, and every failed opening would print lines of its own.
"""

from __future__ import annotations

import os

MAX_PIXELS = 16_000_000
"""The most pixels of a decoded picture: a phone's twelve megapixels, and a reserve."""

os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS))
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "2")
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

import cv2  # noqa: E402

cv2.setNumThreads(1)

__all__ = ["MAX_PIXELS", "cv2"]
