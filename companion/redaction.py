"""Leaving secrets out of text that is logged or sent to somebody: tokens, codes, passwords."""

from __future__ import annotations

import logging
import re
from typing import Final, TextIO

LEFT_OUT: Final = "[left out]"
FORMAT: Final = "%(levelname)s:%(name)s:%(message)s"
_CODE: Final = "[2-9A-HJ-NP-Z]{6}(?:[2-9A-HJ-NP-Z]{6})?"
"""A code of six signs, or a token of twelve."""
_SECRETS: Final = (
    # the user and password of an address
    (re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://)[^\s/@]{1,200}@", re.IGNORECASE), rf"\1{LEFT_OUT}@"),
    # the token in the fragment of a link
    (re.compile(r"(/(?:j|tv|overlay)(?:#|%23))[\w%-]{1,200}"), rf"\1{LEFT_OUT}"),
    # our cookies
    (
        re.compile(r"(monster_table_\d{1,5}(?:_viewer)?(?:=|%3D))[^\s;,\"'\\]{1,400}"),
        rf"\1{LEFT_OUT}",
    ),
    # whatever is called a secret, in JSON, a header or a query
    (
        re.compile(
            r"(\b(?:token|secret|cookie|password|passphrase|psk|authorization)\b\\?[\"']?"
            r"(?:\s{0,4}[=:]\s{0,4}|,\s{0,4}b?(?=[\"'])))"
            r"(?:b?\\?\"[^\"\\]{0,400}|b?\\?'[^'\\]{0,400}|[^\s,;&\"'}\])]{1,400})",
            re.IGNORECASE,
        ),
        rf"\1{LEFT_OUT}",
    ),
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


def redacted(text: str) -> str:
    """Return the text without what lets somebody in."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


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
