"""Write `docs/schema/*.json`: what goes in and out, from the code's own types. One is the OpenAPI
document of the HTTP interface, the others are JSON Schemas.

`python -m tools.schemas` writes the files; with `--check` it only says which are out of date
(exit 1).
"""

from __future__ import annotations

import json
import re
import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from companion.cli.history import ReplayResult
from companion.engine import AnyEvent, Audit, Game
from companion.records import LogLine
from companion.service import requests, wire
from companion.simulation import SimulatedGame
from companion.table import AnyTableEvent
from companion.vision.readings import ReadingRow
from companion.vision.report import Manifest
from tools.openapi import document

FOLDER = Path(__file__).parent.parent / "docs" / "schema"
REF = "#/$defs/{name}"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
OPENAPI = "openapi.json"
"""The HTTP interface, an OpenAPI document; all others are JSON Schemas."""
FORMS: dict[str, tuple[str, Any]] = {
    "audit": ("What `companion audit --json` prints: what differs, and what mends it.", Audit),
    "event": ("One event: a line of EVENTS.jsonl, or of a log.", AnyEvent | AnyTableEvent),
    "command": ("What a phone posts to change the table.", requests.Command),
    "position": ("A whole game: what `companion play` takes, and a turn's last row holds.", Game),
    "log": ("One line of an exported log: a row with its event.", LogLine),
    "replay": ("What `companion replay --json` prints last.", ReplayResult),
    "reading": ("One line of `companion read --json` and `companion watch --json`.", ReadingRow),
    "simulated-game": ("One row of `companion simulate --rows`: a game.", SimulatedGame),
    "report": ("`report.json` in a report of a misread roll.", Manifest),
    "viewer": (
        "One message of a viewer's stream: what a television or an overlay shows.",
        wire.ViewerView,
    ),
    "update": ("One message of the stream: the whole view, and who is asking.", wire.Update),
}


def schema_texts() -> dict[str, str]:
    """Return the text of each schema file, by file name."""
    return {f"{name}.json": _text(*FORMS[name]) for name in FORMS} | {OPENAPI: _plain(document())}


def _text(says: str, form: Any) -> str:
    (schema,), parts = msgspec.json.schema_components([form], ref_template=REF)
    if form is not Game:
        schema, parts = _without_position(schema, parts)
    whole = {"$schema": DRAFT, "description": says, **schema, "$defs": dict(sorted(parts.items()))}
    return _plain(whole)


def _plain(whole: dict[str, Any]) -> str:
    return json.dumps(_cleaned(whole), indent=1, ensure_ascii=False) + "\n"


def _cleaned(part: Any) -> Any:
    """Remove the indentation from descriptions, as Python 3.13 does from docstrings."""
    if isinstance(part, dict):
        return {key: _described(key, value) for key, value in part.items()}
    return [_cleaned(one) for one in part] if isinstance(part, list) else part


def _described(key: str, value: Any) -> Any:
    is_text = key == "description" and isinstance(value, str)
    return cleandoc(value) if is_text else _cleaned(value)


def _without_position(
    schema: dict[str, Any], parts: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Replace a position by a reference to its own file, and keep the parts that are
    still needed.
    """
    text = json.dumps([schema, parts]).replace(
        json.dumps(REF.format(name=Game.__name__)), json.dumps("position.json")
    )
    schema, parts = json.loads(text)
    needed: set[str] = set()
    found = _named(schema)
    while found - needed:
        needed |= found
        found = {name for each in needed for name in _named(parts[each])}
    return schema, {name: parts[name] for name in needed}


def _named(schema: object) -> set[str]:
    """The parts that a schema refers to."""
    return set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)))


def out_of_date() -> list[str]:
    """List the files that differ from the code, missing and superfluous ones included."""
    texts = schema_texts()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    return sorted(
        name for name in texts.keys() | there.keys() if texts.get(name) != there.get(name)
    )


def main(arguments: list[str]) -> int:
    """Write the files, or compare them; return the exit status."""
    stale = out_of_date()
    if "--check" in arguments:
        for name in stale:
            print(f"docs/schema/{name} is out of date: run `make schemas`", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = schema_texts()
    for name in stale:
        if name in texts:
            (FOLDER / name).write_text(texts[name], "utf-8")
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
