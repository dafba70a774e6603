"""Who may ask at all: the Host and Origin of every request, and the headers of every answer.

Comparing Origin with Host alone is no defence against a rebound name: both are the attacker's.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.service.addresses import host_is_ours

MARK = "X-Monster-Table"
"""A header no other page can send without asking first, and nobody answers when they ask."""
BODIES = frozenset({"application/json", "image/jpeg", "image/png"})
"""None of them can be sent by a form of another page."""

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


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a request decides whether it is heard. `reached_at`: our address it came in at."""

    method: str
    host: str
    origin: str | None
    content_type: str
    mark: str | None
    reached_at: str


def verdict(asked: Asked, names: frozenset[str], advertised: str | None = None) -> int:
    """0, or the status to refuse with: 421 not our name, 403 another page's, 415 not our form.

    `advertised` is an origin of ours beside the one that `Host` makes: a proxy may answer https.
    """
    if not host_is_ours(asked.host, names, asked.reached_at):
        return 421
    if asked.origin not in {None, f"http://{asked.host}", advertised}:
        return 403
    if asked.method in {"GET", "HEAD", "OPTIONS"}:
        return 0
    if asked.origin is None or asked.mark is None:
        return 403
    return 0 if asked.content_type.partition(";")[0].strip().lower() in BODIES else 415
