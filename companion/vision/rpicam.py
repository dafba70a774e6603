"""A Raspberry Pi's own camera, through `rpicam-vid`, a program that writes JPEGs into a pipe.

It is asked to focus once, when it begins, and not again.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import time
from collections.abc import Generator

from companion.vision.errors import SourceError
from companion.vision.frames import HEIGHT, WIDTH, Packed

PROGRAM = "rpicam-vid"
FPS = 15
SILENT_S = 2.0
"""It begins to send within this, and goes on at shorter distances."""

BEGIN_S = 6.0
"""And has found its camera after so long."""

_LARGEST = 8 << 20
_CHUNK = 1 << 16
_BEGIN, _PICTURE, _END = b"\xff\xd8\xff", b"\xff\xda", b"\xff\xd9"


def is_installed() -> bool:
    """Whether this machine has the program."""
    return shutil.which(PROGRAM) is not None


def rpicam_frames(number: int) -> Generator[Packed]:
    """Yields the frames of the numbered camera for ever. SourceError once there are none."""
    command = [
        *(PROGRAM, "--camera", str(number), "--timeout", "0", "--nopreview", "--verbose", "0"),
        *("--codec", "mjpeg", "--width", str(WIDTH), "--height", str(HEIGHT)),
        *("--framerate", str(FPS), "--autofocus-mode", "auto", "--flush", "--output", "-"),
    ]
    try:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        raise SourceError("error.camera.no_rpicam") from error
    assert program.stdout is not None
    try:
        yield from packed(program.stdout.fileno(), f"csi:{number}")
    finally:
        program.kill()
        program.stdout.close()
        program.wait()


def packed(pipe: int, name: str) -> Generator[Packed]:
    """Yields the JPEGs that come through the pipe, stamped as they arrive.

    SourceError when it is closed or silent, or when what comes are no pictures.
    """
    start = time.monotonic()
    index = 0
    held = bytearray()
    while True:
        ready, _, _ = select.select([pipe], [], [], SILENT_S if index else BEGIN_S)
        came = os.read(pipe, _CHUNK) if ready else b""
        if not came or len(held) > _LARGEST:
            raise SourceError("error.camera.lost", source=name)
        held += came
        while (encoded := cut(held)) is not None:
            yield Packed(encoded, time.monotonic() - start, index)
            index += 1


def cut(held: bytearray) -> bytes | None:
    """The first whole JPEG of what has come; it and what was before it are gone from there."""
    begin = held.find(_BEGIN)
    # What ends a picture may stand in the tables before it, but not in the picture itself.
    picture = held.find(_PICTURE, begin) if begin >= 0 else -1
    end = held.find(_END, picture) if picture >= 0 else -1
    if end < 0:
        return None
    encoded = bytes(held[begin : end + len(_END)])
    del held[: end + len(_END)]
    return encoded
