"""HTTP errors, and the one form in which both ASGI and Flask send them."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from companion.service.requests import ErrorAnswer
from companion.service.wire import Words

ANSWER_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; font-src 'self'; media-src 'self' blob: data:; "
        "style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer."""
STATUS_KEYS = {
    403: "error.not_from_here",
    404: "error.not_found",
    405: "error.wrong_method",
    413: "error.too_long",
    414: "error.too_long",
    415: "error.wrong_form",
    421: "error.not_from_here",
    429: "error.too_many_requests",
    500: "error.internal",
}


class HttpError(Exception):
    """An HTTP error with its sentence: that of `key`, else the one of the status. `allow`: with
    status 405, the methods that the path has.
    """

    def __init__(self, status: int, key: str = "", **args: str | int) -> None:
        self.status = status
        self.allow: tuple[str, ...] = ()
        self.words = Words(key=key or STATUS_KEYS.get(status, "error.bad_request"), args=args)
        super().__init__(f"{status} {self.words.key}")


def wrong_method(*methods: str) -> HttpError:
    """Return the error of a path that has these methods alone, which its answer must name."""
    error = HttpError(405)
    error.allow = methods
    return error


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP answer."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...]


def error_answer(refused: HttpError) -> Answer:
    """Make the JSON answer of a refusal, in the form that every route sends."""
    body = msgspec.json.encode(ErrorAnswer(error=refused.words))
    headers = {
        **ANSWER_HEADERS,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
    }
    if refused.allow:
        headers["Allow"] = ", ".join(refused.allow)
    return Answer(refused.status, body, tuple(headers.items()))
