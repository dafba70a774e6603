"""Mistakes in hand-written JSON that the decoder accepts, or reports without naming the field."""

from __future__ import annotations

import codecs
import json
import math
import re
from typing import Any, Final, NoReturn

MOST_DIGITS: Final = 18
"""More than any number of a position has."""
LONGEST_WORD: Final = 80
"""How many characters of a word a sentence about it repeats."""

_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class JsonMistakeError(ValueError):
    """A mistake in a JSON text, described in one sentence."""


def json_mistake(text: bytes) -> str:
    """Return a mistake that the decoder accepts, or reports without its field; "" where none is.

    Found are an encoding other than UTF-8, a field given twice, and a number that is not finite or
    too long.
    """
    if not text.strip():
        return "it is empty"
    if text.startswith(_MARKS):
        return "it begins with a byte order mark; save it as UTF-8 without one"
    try:
        json.loads(
            text.decode(),
            object_pairs_hook=_fields,
            parse_int=_whole,
            parse_float=_broken,
            parse_constant=_Number,
        )
    except JsonMistakeError as wrong:
        return str(wrong)
    except UnicodeDecodeError as wrong:
        return f"byte {wrong.start} is no UTF-8; save it as UTF-8"
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:
        return ""  # the decoder reports it
    return ""


def in_one_line(text: str) -> str:
    """Return the sentence on one line: control characters are escaped, very long words cut."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return re.sub(rf"(\S{{{LONGEST_WORD}}})\S+", r"\1…", shown)


class _Number(str):
    """A number that no field may hold, as it is written."""


def _whole(written: str) -> int | _Number:
    return int(written) if len(written.lstrip("-")) <= MOST_DIGITS else _Number(written)


def _broken(written: str) -> float | _Number:
    return float(written) if math.isfinite(float(written)) else _Number(written)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise JsonMistakeError(f"{name} stands twice in one object, not once")
        found[name] = value
        _refuse_numbers(name, value)
    return found


def _refuse_numbers(name: str, value: Any) -> None:
    for each in value if isinstance(value, list) else (value,):
        if isinstance(each, _Number):
            _refuse_number(name, each)


def _refuse_number(name: str, written: _Number) -> NoReturn:
    digits = written.lstrip("-")
    if digits.isdecimal():
        raise JsonMistakeError(
            f"{name} is a number of {len(digits)} digits, not of at most {MOST_DIGITS}"
        )
    raise JsonMistakeError(f"{name} is {written}, not a number that can be")
