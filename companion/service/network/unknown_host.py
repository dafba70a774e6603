"""The page for a browser that came by a host name which is not this machine's.

A foreign site may have pointed its own name here (DNS rebinding); then browsers take this page for
one of that site's, and the site can read it. So it holds only fixed sentences and an address that
the browser has reached already, or that was advertised.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

import msgspec
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from companion.resources import LANGUAGES, resource_dir
from companion.service.refusals import ANSWER_HEADERS

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


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """The parts of a refused request that decide how the refusal looks."""

    method: str
    path: str
    accept: str = ""
    languages: str = ""

    @property
    def wants_a_page(self) -> bool:
        """Whether a person opened the address; scripts that call a route get the usual refusal."""
        is_navigation = self.method == "GET" and not self.path.startswith("/api/")
        return is_navigation and "text/html" in self.accept[:LONGEST].lower()


class UnknownHost:
    """Makes the page in every language; the catalogues are read once, at the start."""

    def __init__(self) -> None:
        self._by_language = {language: _sentences(language) for language in LANGUAGES}

    def page(self, request: RefusedRequest, url: str | None) -> bytes:
        """Return the page in the browser's language, with a link to `url`."""
        language = wanted_language(request.languages)
        sentences = self._by_language[language]
        link = LINK.format(open=sentences["open"], url=url) if url is not None else ""
        return PAGE.format(language=language, style=STYLE, link=link, **sentences).encode()


def wanted_language(header: str) -> str:
    """Return the language of ours that `Accept-Language` prefers, else the first."""
    wanted = parse_accept_header(header[:LONGEST], LanguageAccept)
    tags = (tag.partition("-")[0].lower() for tag, quality in wanted if quality)
    return next((tag for tag in tags if tag in LANGUAGES), LANGUAGES[0])


def _sentences(language: str) -> dict[str, str]:
    """Return the sentences of the page by the last part of their keys; the key where one is
    missing.
    """
    path = resource_dir("locales") / f"{language}.json"
    found = msgspec.json.decode(path.read_bytes()) if path.is_file() else {}
    return {key.rpartition(".")[2]: str(found.get(key, key)) for key in KEYS}
