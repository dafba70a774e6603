"""A camera in the network that somebody can pull out: the frames of a clip as an MJPEG stream."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path

import cv2

FRAME_S = 0.05


class Video:
    """Plays the clip over and over to every client, until it is pulled."""

    def __init__(self, clip: Path) -> None:
        self.pulled = threading.Event()
        self.frames = frames_of(clip)
        video = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if video.pulled.is_set():
                    return
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                for frame in cycle(video.frames):
                    if video.pulled.wait(FRAME_S):
                        return
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(frame)}"
                    self.wfile.write(head.encode() + b"\r\n\r\n" + frame + b"\r\n")

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        self.server = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/tray.mjpg"

    def pull(self) -> None:
        """Take the camera away."""
        self.pulled.set()

    def close(self) -> None:
        self.pull()
        self.server.shutdown()
        self.server.server_close()


class Quiet(ThreadingHTTPServer):
    """A server that ignores errors of clients that hang up."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing is printed."""


def frames_of(clip: Path) -> list[bytes]:
    """Every frame of the clip as JPEG."""
    video = cv2.VideoCapture(str(clip))
    frames = []
    while True:
        there, frame = video.read()
        if not there:
            break
        frames.append(bytes(cv2.imencode(".jpg", frame)[1]))
    video.release()
    return frames
