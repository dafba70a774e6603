"""Leaving secrets out of text that is logged or sent to somebody: tokens, codes, passwords."""

from __future__ import annotations

import logging
import re
from typing import Final, TextIO

LEFT_OUT: Final = "[left out]"
FORMAT: Final = "%(levelname)s:%(name)s:%(message)s"
_CODE: Final = "[2-9A-HJ-NP-Z]{6}(?:[2-9A-HJ-NP-Z]{6})?"
"""A code of six signs, or a token of twelve."""
_CALLED: Final = (
    r"(?:(?<!by)(?<!com)pass(?:word|wd|phrase|code|wort)?|loginpas|passw|pwd|pw|psk|token|secret|cookie"
    r"|authorization|credentials?|signature|(?:api|auth|access|private|wep)[_-]?key)\d{0,3}"
)
"""How what is called a secret ends: `password`, `wifi_password`, `loginpas`, `wep_key0`."""
_QUOTED: Final = (
    r"(?:b?(?P<q>\\+[\"'])(?:(?!(?P=q))[^\n])*+"
    r"|b?\"(?:\\[^\n]|[^\"\\\n])*+|b?'(?:\\[^\n]|[^'\\\n])*+)"
)
"""A quoted text, without the quote at its end; its quotes may be escaped themselves."""
_ADDRESS: Final = re.compile(
    r"(\b[a-z][a-z0-9+.-]{0,20}:(?:\\?/){2})((?:\\\S|[^\s\"\\])++)", re.IGNORECASE
)
_ENCODED: Final = re.compile(r"(%3A(?:%2F){2})([^\s&\"]++)", re.IGNORECASE)
"""An address, and one in the query of another."""
_SECRETS: Final = (
    # user and password of an address with blanks in it, which is no port and the words behind it
    (
        re.compile(
            r"(\b[a-z][a-z0-9+.-]{0,20}://)[^\s/@:\"]{1,64}:(?=\S)(?!\d{1,5}(?!\w))[^\n\"@]{1,200}@",
            re.IGNORECASE,
        ),
        rf"\1{LEFT_OUT}@",
    ),
    # user and password before a host whose scheme is missing or broken; a logger's name stays
    (
        re.compile(
            r"(?<![^\s\"'`()\[\]{}<>=,;/])((?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]{1,99}:)?+)"
            r"[^\s\"'`()\[\]{}<>=,;/:@]{1,64}:[^\s\"]{1,200}@(?=[\w\[])"
        ),
        rf"\1{LEFT_OUT}@",
    ),
    # the token in the fragment of a link
    (re.compile(r"(/(?:j|tv|overlay)(?:#|%23))[\w%-]{1,200}"), rf"\1{LEFT_OUT}"),
    # our cookies
    (
        re.compile(r"(monster_table_\d{1,5}(?:_viewer)?(?:=|%3D))[^\s;,\"'\\]{1,4000}"),
        rf"\1{LEFT_OUT}",
    ),
    # the text of a Wi-Fi's QR code
    (re.compile(r"(\bWIFI:)(?=[A-Z0-9]{1,3}:)(?:\\[^\n]|[^\\\n]){0,300}?;;"), rf"\1{LEFT_OUT};;"),
    # whatever is called a secret: in a query or a form, which go on; on a command line
    (
        re.compile(rf"([?&][\w.%-]{{0,60}}?{_CALLED}(?:=|%3D))[^\s&\"'<>\\]+", re.IGNORECASE),
        rf"\1{LEFT_OUT}",
    ),
    (
        re.compile(
            rf"((?<![\w-])--[\w-]{{0,40}}?{_CALLED}[ \t]+)(?!-)(?:{_QUOTED}|\S+)", re.IGNORECASE
        ),
        rf"\1{LEFT_OUT}",
    ),
    # quoted; else all that follows in the line, since a password may have blanks and commas
    (
        re.compile(
            rf"({_CALLED}\\*[\"']?(?:\s{{0,4}}(?:[=:]>?|%3D|%3A)\s{{0,4}}|,\s{{0,4}}(?=b?[\"'])))"
            rf"(?!\[left out\])(?:{_QUOTED}|[^\s][^\n]*)",
            re.IGNORECASE,
        ),
        rf"\1{LEFT_OUT}",
    ),
    (
        re.compile(r"\b((?:Basic|Bearer)\s{1,4})(?=[^\s\"']{0,2000}[\d=+/])[^\s\"',]{8,}"),
        rf"\1{LEFT_OUT}",
    ),
    (re.compile(r"\b(Digest\s{1,4})\w+=[^\n]+"), rf"\1{LEFT_OUT}"),
    # what crypt(3) makes of a password
    (re.compile(r"\$(?:1|2[aby]|5|6|7|gy|y)\$[^\s:\"',]+"), LEFT_OUT),
    (
        re.compile(rf"(\bcode\b\\?[\"']?\s{{0,4}}(?:[=:]\s{{0,4}})?\\?[\"']?){_CODE}\b"),
        rf"\1{LEFT_OUT}",
    ),
    # a token by itself: 128 bits in 22 signs, which are no plain word and no digits of a hash
    (
        re.compile(
            r"(?<![\w%-])(?![a-z_-]{22}(?![\w-]))(?![A-Z_-]{22}(?![\w-]))(?![0-9a-f]{22}(?![\w-]))"
            r"[\w-]{22}(?![\w-])",
            re.ASCII,
        ),
        LEFT_OUT,
    ),
)
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]{0,20}:/{1,2}", re.IGNORECASE)
_PLACE: Final = re.compile(r"[\w.:\[\]-]*(?:/[\w.~+-]*)*")


def redacted(text: str) -> str:
    """Return the text without what lets somebody in."""
    text = _ADDRESS.sub(_without_login, text)
    text = _ENCODED.sub(_without_login, text)
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def _without_login(address: re.Match[str]) -> str:
    """Return an address without user and password, up to the last @ since a password may have one,
    and without what a camera's address has in its query.
    """
    begin, rest = address[1], address[2]
    at = "%40" if begin[0] == "%" else "@"
    login, is_there, place = rest.rpartition(at)
    path, asked, query = (place if is_there else rest).partition("?")
    if is_there:
        begin = f"{begin}{LEFT_OUT}{at}"
    if "?" in login:
        path = _place(path)
    if asked and not query.startswith(LEFT_OUT.partition(" ")[0]):
        return f"{begin}{path}?{LEFT_OUT}"
    return f"{begin}{path}{asked}{query}"


def _place(text: str) -> str:
    """Return the host, port and plain path with which a text begins."""
    found = _PLACE.match(text)
    return "" if found is None else found[0]


def shown_source(source: str) -> str:
    """Return a camera's source as it may be shown: a path as it is, of an address, or of what was
    typed for one, no user, password and query.
    """
    scheme = _SCHEME.match(source)
    if source.startswith(("/", ".")) or (scheme is None and not {"@", "?"} & set(source)):
        return source
    begin = "" if scheme is None else scheme[0]
    return begin + _place(source.removeprefix(begin).rpartition("@")[2])


class RedactingFormatter(logging.Formatter):
    """Formats a record, its traceback included, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of the record."""
        return redacted(super().format(record))


def redacting_handler(stream: TextIO) -> logging.Handler:
    """Return a handler that writes records to the stream without secrets."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter(FORMAT))
    return handler
