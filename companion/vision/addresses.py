"""A camera in the network: MJPEG over http as it comes, everything else through FFmpeg.

Most pictures are only glanced at: one that comes as a JPEG is decoded when it is needed, and no
larger than that takes.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from http.client import HTTPException, HTTPResponse
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    ProxyHandler,
    build_opener,
)

from companion.vision.errors import SourceError
from companion.vision.frames import Capture, Packed, Shot, live_frames
from companion.vision.jpegs import LARGEST, cut
from companion.vision.opencv import cv2

SILENT_S = 2.5
_CHUNK = 1 << 16
_PLAIN = frozenset({"http", "https"})
_MULTIPART = "multipart/"


def address_frames(url: str) -> Generator[Shot]:
    """Yields the frames of an address for ever. SourceError once nothing comes for SILENT_S."""
    parts = urlsplit(url)
    # Every phone is told which camera is lost, but not the word that opens it, wherever it stands.
    name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    response = _multipart(parts, name) if parts.scheme in _PLAIN else None
    if response is None:
        yield from live_frames(_capture(url), name)
    else:
        with closing(response):
            yield from _parts(response, name)


def _capture(url: str) -> Capture:
    silent_ms = round(SILENT_S * 1000)
    patience = [
        *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, silent_ms),
        *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, silent_ms),
    ]
    return cv2.VideoCapture(url, cv2.CAP_FFMPEG, patience)


def _multipart(parts: SplitResult, name: str) -> HTTPResponse | None:
    """What the address answers, where that is one picture after the other; else FFmpeg is to say
    what it is, or why not."""
    words = HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        words.add_password(None, name, unquote(parts.username), unquote(parts.password or ""))
    opener = build_opener(
        ProxyHandler({}),  # a camera stands in the same network
        HTTPBasicAuthHandler(words),
        HTTPDigestAuthHandler(words),
    )
    try:
        url = parts._replace(netloc=urlsplit(name).netloc).geturl()
        response: HTTPResponse = opener.open(url, timeout=SILENT_S)
    except (OSError, HTTPException, ValueError):
        return None
    if response.headers.get_content_type().startswith(_MULTIPART):
        return response
    response.close()
    return None


def _parts(response: HTTPResponse, name: str) -> Generator[Packed]:
    """Yields the pictures, stamped as they arrive, until there are no more: SourceError."""
    start = time.monotonic()
    held = bytearray()
    index = 0
    while len(held) <= LARGEST:
        try:
            came = response.read1(_CHUNK)
        except (OSError, HTTPException):
            break
        if not came:
            break
        held += came
        while (encoded := cut(held)) is not None:
            yield Packed(encoded, time.monotonic() - start, index)
            index += 1
    raise SourceError("error.camera.lost", source=name)
