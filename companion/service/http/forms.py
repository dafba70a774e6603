"""Decoding of JSON bodies into their route's form; errors name the field that is wrong."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from companion.table import RefusedError

T = TypeVar("T")

DEEPEST = 32
"""The deepest nesting of brackets in a body. The deepest form has six."""
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
SQUARE = bytes.maketrans(b"{}", b"[]")
OTHERS = bytes(set(range(256)) - set(b"[]{}"))
FIELD = re.compile(r" - at `(?:key` in `)?\$(?P<path>[^`]*)`$")
MISSING = re.compile(r"Object missing required field `(?P<name>\w+)`")
LENGTH = re.compile(r"of length <= (?P<most>\d+)")
NUMBER = re.compile(r"Expected `(?:int|float)` [<>]|Number out of range")


def decoded(body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode the body. RefusedError: its sentence names the field, and repeats nothing that was
    sent.
    """
    if is_too_deep(body):
        raise RefusedError("error.form.deep", most=DEEPEST)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as wrong:
        raise _refusal(str(wrong)) from wrong
    except (msgspec.MsgspecError, UnicodeDecodeError) as broken:
        raise RefusedError("error.form.broken") from broken
    except RecursionError as deep:
        raise RefusedError("error.form.deep", most=DEEPEST) from deep


def is_too_deep(body: bytes) -> bool:
    """Whether brackets are nested deeper than `DEEPEST`, without a Python step for each byte."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return False
    brackets = STRING.sub(b"", body).translate(SQUARE, OTHERS)
    for _ in range(DEEPEST):
        if b"[]" not in brackets:
            break
        brackets = brackets.replace(b"[]", b"")
    return b"[]" in brackets or brackets.count(b"[") > DEEPEST


def _refusal(wrong: str) -> RefusedError:
    """Return msgspec's error as a sentence of the catalogue."""
    at, missing = FIELD.search(wrong), MISSING.match(wrong)
    field = (at["path"] if at else "").removeprefix(".")
    if missing:
        field = f"{field}.{missing['name']}".removeprefix(".")
        return RefusedError("error.form.missing", field=field)
    if (long := LENGTH.search(wrong)) is not None:
        return RefusedError("error.form.long", field=field, most=int(long["most"]))
    if NUMBER.match(wrong):
        return RefusedError("error.form.range", field=field)
    return RefusedError("error.form.wrong", field=field or "{}")
