"""Answers to requests for a host name that is not this machine's: a page, and the probes by which
phones find out whether a network leads to the internet.

A foreign site may have pointed its own name here (DNS rebinding). The browser then treats our page
as that site's, so the site can read it. So it holds only fixed sentences and an address that the
browser has reached already, or that was advertised.

Phones leave a hotspot without internet. If `hotspot` is set, their connectivity checks get the
answer they expect, so they stay; nothing else changes.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from companion.catalogues import sentence
from companion.resources import LANGUAGES
from companion.service.requests import ANSWER_HEADERS, Answer

LONGEST = 1000
"""How many characters of a header are read."""
KEYS = (
    *("title", "unknown_host.head", "unknown_host.open", "unknown_host.scan"),
    *("unknown_host.owner", "unknown_host.how"),
)
STYLE = Markup(
    "body{margin:0 auto;padding:1.5rem;max-width:34rem;background:#14110f;color:#f4ead5;"
    "font:1.125rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}"
    "h1{font-size:1.75rem;line-height:1.2}"
    "a{display:block;margin:1rem 0;padding:1rem;border-radius:.75rem;background:#b6d93a;"
    "color:#14110f;font-weight:700;text-align:center;text-decoration:none}"
    "small{color:#c2b39a;font-size:1rem}"
)
PAGE = Markup(
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    '<meta name="color-scheme" content="dark"><title>{title}</title><style>{style}</style></head>'
    "<body><p>{title}</p><h1>{head}</h1>{link}<p>{scan}</p><p><small>{owner}<br>{how}</small></p>"
    "</body></html>"
)
LINK = Markup('<p>{open}</p><a href="{url}">{url}</a>')
HEADERS = {
    **ANSWER_HEADERS,
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'sha256-"
        + base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
        + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
}
_HTML, _TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
_APPLE: Final = "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"
_FIREFOX: Final = (
    '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'
)
_ONLINE: Final = "NetworkManager is online\n"
_PROBES: Final = {
    **dict.fromkeys(("generate_204", "generate204", "gen_204"), (204, "", _TEXT)),
    **dict.fromkeys(("hotspot-detect.html", "success.html"), (200, _APPLE, _HTML)),
    "connecttest.txt": (200, "Microsoft Connect Test", _TEXT),
    "ncsi.txt": (200, "Microsoft NCSI", _TEXT),
    "success.txt": (200, "success\n", _TEXT),
    "canonical.html": (200, _FIREFOX, _HTML),
    **dict.fromkeys(("check_network_status.txt", "nm-check.txt", "nm"), (200, _ONLINE, _TEXT)),
    "hotspot.txt": (200, "OK\n", _TEXT),
    "": (200, _ONLINE, _TEXT),
}
"""By the end of the path: status, body and type of the answer of a network with internet. Makers of
phones probe the same paths at hosts of their own.
"""


def wants_page(method: str, path: str, accept: str) -> bool:
    """Whether a person opened the address; scripts that call a route get the usual refusal."""
    is_navigation = method == "GET" and not path.startswith("/api/")
    return is_navigation and "text/html" in accept[:LONGEST].lower()


def page_of_unknown_host(languages: str, url: str | None) -> Answer:
    """Return the page in the browser's language (its `Accept-Language`), with a link to `url`."""
    language = wanted_language(languages)
    sentences = {key.rpartition(".")[2]: sentence(language, key) for key in KEYS}
    link = LINK.format(open=sentences["open"], url=url) if url is not None else ""
    page = PAGE.format(language=language, style=STYLE, link=link, **sentences).encode()
    headers = {**HEADERS, "Content-Length": str(len(page))}
    return Answer(421, page, tuple(headers.items()))


def wanted_language(header: str) -> str:
    """Return the language of ours that `Accept-Language` prefers, else the first."""
    wanted = parse_accept_header(header[:LONGEST], LanguageAccept)
    tags = (tag.partition("-")[0].lower() for tag, quality in wanted if quality)
    return next((tag for tag in tags if tag in LANGUAGES), LANGUAGES[0])


def probe_answer(method: str, path: str, accept: str) -> Answer | None:
    """Return the answer to a probe of a foreign host; None if the request is no known probe. The
    root is NetworkManager's probe unless a person has opened it.
    """
    found = _PROBES.get(path.rpartition("/")[2]) if method in {"GET", "HEAD"} else None
    is_folder = path.endswith("/") and (path != "/" or wants_page(method, path, accept))
    if found is None or is_folder or path.startswith("/api/"):
        return None
    status, text, kind = found
    body = text.encode()
    headers = {**ANSWER_HEADERS, "Cache-Control": "no-store", "X-NetworkManager-Status": "online"}
    if status != 204:
        headers |= {"Content-Type": kind, "Content-Length": str(len(body))}
    return Answer(status, b"" if method == "HEAD" else body, tuple(headers.items()))
