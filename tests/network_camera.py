"""A camera in the network: it shows one throw of a recording for ever."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import numpy as np

from companion.vision.pictures import Image, cv2
from companion.vision.sources.frames import video_frames

CLIPS = Path(__file__).parent / "clips"
PAUSE_S = 0.08


class OneThrow:
    """The pictures of one throw: dice roll in, and then lie still under a camera's noise."""

    def __init__(self, name: str, throw: int) -> None:
        labels = json.loads((CLIPS / f"{name}.json").read_text())
        known = labels["throws"][throw]
        before = labels["throws"][throw - 1]["next_motion_frame"] if throw else 0
        frames = [frame.image for frame in video_frames(str(CLIPS / labels["clip"]))]
        self.game = str(labels["game"])
        self.faces = Counter(str(die["face"]) for die in known["dice"])
        self._rolling = frames[before : known["settled_frame"]]
        self._resting = frames[known["settled_frame"] : known["next_motion_frame"]]

    def pictures(self) -> Iterator[bytes]:
        """Yields JPEGs for ever; no two are alike."""
        for image in self._rolling:
            yield _jpeg(image)
        for index in count():
            noise = np.random.default_rng(index).normal(0, 2, self._resting[0].shape)
            image = self._resting[index % len(self._resting)]
            yield _jpeg(np.clip(image + noise, 0, 255).astype(np.uint8))


@contextmanager
def in_the_network(throw: OneThrow) -> Iterator[str]:
    """Yield the address of a camera that shows this throw."""
    ended = threading.Event()

    class Camera(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            with suppress(OSError):
                for picture in throw.pictures():
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture)}"
                    self.wfile.write(head.encode() + b"\r\n\r\n" + picture + b"\r\n")
                    if ended.wait(PAUSE_S):
                        return

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/stream"
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


def _jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])
