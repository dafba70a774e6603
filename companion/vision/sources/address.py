"""Network cameras: MJPEG over HTTP, and the other streams that FFmpeg reads.

Servers differ in boundaries, lengths and order of the parts of a stream. So pictures are found by
their own markers (`frames.cut_jpeg`).
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Generator
from contextlib import closing
from http.client import HTTPException, HTTPMessage, HTTPResponse
from itertools import count
from typing import IO, Final
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import (
    BaseHandler,
    HTTPBasicAuthHandler,
    HTTPDefaultErrorHandler,
    HTTPDigestAuthHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPPasswordMgrWithDefaultRealm,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
)

from companion.redaction import shown_source
from companion.vision.pictures import AnyFrame, EncodedFrame, cv2
from companion.vision.readings import SourceError
from companion.vision.sources.frames import MAX_JPEG_BYTES, cut_jpeg, live_frames, with_checked_size

SILENT_S: Final = 1.5
"""The silence after which an address is lost and reopened. It is shorter than the supervisor's
limit (`supervisor.Timeouts.stall_s`), which would restart the whole process."""

BEGIN_S: Final = 2.5
"""The time limit for the first picture."""

_TIMEOUTS = [
    *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(1000 * BEGIN_S)),
    *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(1000 * SILENT_S)),
]
_MJPG = cv2.VideoWriter.fourcc(*"MJPG")
_HTTP = frozenset({"http", "https"})
_CHUNK = 1 << 16
_REFUSALS = {
    401: "error.camera.password",
    403: "error.camera.password",
    404: "error.camera.no_stream",
    409: "error.camera.busy",
    423: "error.camera.busy",
    429: "error.camera.busy",
    503: "error.camera.busy",
}


def name_of(url: str) -> str:
    """The address without user name, password and path, for display."""
    parts = urlsplit(shown_source(url))
    return f"{parts.scheme}://{parts.netloc}"


def address_frames(url: str) -> Generator[AnyFrame]:
    """Yields the frames of an address for ever. SourceError where it refuses, or gives none for
    1.5 s."""
    name = name_of(url)
    answer = _open_stream(url, name) if urlsplit(url).scheme in _HTTP else None
    if answer is not None:
        yield from _frames(answer, name)
    capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, _TIMEOUTS)
    if round(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPG:
        # Most pictures are only checked for motion, so they are kept encoded and decoded when
        # needed.
        capture.set(cv2.CAP_PROP_FORMAT, -1)
    if not capture.isOpened():
        capture.release()
        raise SourceError("error.camera.no_answer", source=name)
    yield from live_frames(capture, name)


def _open_stream(url: str, name: str) -> HTTPResponse | None:
    """Open an address that sends JPEGs; None where it sends something else. SourceError where it
    does not answer, refuses or shows no stream."""
    try:
        answer = _request(url)
    except HTTPError as refusal:
        refusal.close()
        key = _REFUSALS.get(refusal.code, "error.camera.no_stream")
        raise SourceError(key, source=name) from None
    except (OSError, HTTPException, ValueError):
        raise SourceError("error.camera.no_answer", source=name) from None
    kind = answer.headers.get_content_type()
    is_single = kind == "image/jpeg" and "Content-Length" in answer.headers
    if kind == "text/html" or is_single:
        answer.close()
        raise SourceError("error.camera.no_stream", source=name)
    if kind.startswith("multipart/") or kind == "image/jpeg":
        return answer
    answer.close()
    return None


def _frames(answer: HTTPResponse, name: str) -> Generator[EncodedFrame]:
    start = received_at = time.monotonic()
    buffer = bytearray()
    with closing(answer):
        for index in count():
            while (encoded := cut_jpeg(buffer)) is None:
                is_late = time.monotonic() - received_at > (SILENT_S if index else BEGIN_S)
                data = b"" if is_late else _more(answer)
                buffer += data
                if not data or len(buffer) > MAX_JPEG_BYTES:
                    raise SourceError("error.camera.lost", source=name)
            received_at = time.monotonic()
            shot = EncodedFrame(encoded, received_at - start, index)
            yield shot if index else with_checked_size(shot, name)


def _more(answer: HTTPResponse) -> bytes:
    try:
        return answer.read1(_CHUNK)
    except (OSError, HTTPException, ValueError):
        return b""


class _Unread(BaseHandler):
    """Closes a redirect or a demand for a password before its body is read, which may be
    endless."""

    handler_order = 100

    def http_error_401(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> None:
        """Leave the answer itself to the handlers after this one."""
        fp.close()

    http_error_301 = http_error_302 = http_error_303 = http_error_401
    http_error_307 = http_error_308 = http_error_401


def _request(url: str) -> HTTPResponse:
    """Open the address with its name and password, which are sent only to its own host. No proxy is
    used, since a camera is on this network. Certificates are not checked: no authority signs one
    for a camera at home."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    passwords = HTTPPasswordMgrWithDefaultRealm()
    if parts.username is not None:
        root = f"{parts.scheme}://{host}/"
        passwords.add_password(None, root, unquote(parts.username), unquote(parts.password or ""))
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    opener = OpenerDirector()
    for handler in (
        _Unread(),
        HTTPHandler(),
        HTTPSHandler(context=unchecked),
        HTTPRedirectHandler(),
        HTTPDigestAuthHandler(passwords),
        HTTPBasicAuthHandler(passwords),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    answer = opener.open(urlunsplit(parts._replace(netloc=host)), timeout=SILENT_S)
    assert isinstance(answer, HTTPResponse)
    return answer
