"""Answers to the requests by which phones find out whether a network leads to the internet.

In a hotspot of the table's own it does not, and phones would leave it or open a window that is no
browser of theirs. So, where that is switched on, each gets the answer that it takes for a good
network. The answers are the same for everybody and change nothing.
"""

from __future__ import annotations

from typing import Final

from companion.service.network.addresses import without_port
from companion.service.refusals import ANSWER_HEADERS, Answer

_ANDROID: Final = (
    *("connectivitycheck.gstatic.com", "connectivitycheck.android.com", "www.gstatic.com"),
    *("www.google.com", "clients3.google.com", "play.googleapis.com"),
)
_APPLE: Final = ("captive.apple.com", "www.apple.com", "www.appleiphonecell.com")
_HTML, _TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
_SUCCESS: Final = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
_KNOWN: Final = {
    **{
        (host, path): (204, "", _TEXT)
        for host in _ANDROID
        for path in ("/generate_204", "/gen_204")
    },
    **{
        (host, path): (200, _SUCCESS, _HTML)
        for host in _APPLE
        for path in ("/hotspot-detect.html", "/library/test/success.html", "/")
        if host == _APPLE[0] or path != "/"
    },
    ("www.msftconnecttest.com", "/connecttest.txt"): (200, "Microsoft Connect Test", _TEXT),
    ("ipv6.msftconnecttest.com", "/connecttest.txt"): (200, "Microsoft Connect Test", _TEXT),
    ("www.msftncsi.com", "/ncsi.txt"): (200, "Microsoft NCSI", _TEXT),
    ("detectportal.firefox.com", "/success.txt"): (200, "success\n", _TEXT),
    ("detectportal.firefox.com", "/canonical.html"): (
        200,
        '<meta http-equiv="refresh" '
        'content="0;url=https://support.mozilla.org/kb/captive-portal"/>',
        _HTML,
    ),
    ("nmcheck.gnome.org", "/check_network_status.txt"): (200, "NetworkManager is online\n", _TEXT),
}
"""By host and path: status, body and type of the answer of a network with internet."""


def probe_answer(method: str, host: str, path: str) -> Answer | None:
    """Return the answer to a probe; None where the request is none."""
    name = without_port(host.strip().lower()) or ""
    found = _KNOWN.get((name.rstrip("."), path)) if method in {"GET", "HEAD"} else None
    if found is None:
        return None
    status, text, kind = found
    body = text.encode()
    headers = {**ANSWER_HEADERS, "Cache-Control": "no-store"}
    if status != 204:
        headers |= {"Content-Type": kind, "Content-Length": str(len(body))}
    return Answer(status, b"" if method == "HEAD" else body, tuple(headers.items()))
