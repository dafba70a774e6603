"""The forms of everything that goes in and out, from the code's own types: JSON Schemas, and the
OpenAPI document of the service. The documents' build writes them beside the pages.

`python -m tools.schemas FOLDER` writes them into a folder.
"""

from __future__ import annotations

import json
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

DRAFT = "https://json-schema.org/draft/2020-12/schema"
OPENAPI = "openapi"
FORMS: dict[str, tuple[str, Any]] = {
    OPENAPI: (
        "Every route, with its parameters, bodies, answers and refusals (OpenAPI 3.1).",
        None,
    ),
    "event": ("One event: a line of EVENTS.jsonl, or of a log.", AnyEvent | AnyTableEvent),
    "position": ("A whole game: what `companion play` takes, and a turn's last row holds.", Game),
    "log": ("One line of an exported log: a row with its event.", LogLine),
    "replay": ("What `companion replay --json` prints last.", ReplayResult),
    "audit": ("What `companion audit --json` prints: what differs, and what mends it.", Audit),
    "reading": ("One line of `companion read --json` and `companion watch --json`.", ReadingRow),
    "report": ("`report.json` in a report of a misread roll.", Manifest),
    "simulated-game": ("One row of `companion simulate --rows`: a game.", SimulatedGame),
    "command": ("What a phone posts to change the table.", requests.Command),
    "update": ("One message of the stream: the whole view, and who is asking.", wire.Update),
    "viewer": ("One message of the stream of a television or an overlay.", wire.ViewerView),
}
"""What each form is for, and its type; by the name of its file without `.json`."""


def schema(name: str) -> dict[str, Any]:
    """Return one of the forms."""
    says, form = FORMS[name]
    if name == OPENAPI:
        return document()
    (whole,), parts = msgspec.json.schema_components([form], ref_template="#/$defs/{name}")
    return {"$schema": DRAFT, "description": says, **whole, "$defs": dict(sorted(parts.items()))}


def write(folder: Path) -> None:
    """Write all of them into a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FORMS:
        text = json.dumps(_cleaned(schema(name)), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", "utf-8")


def _cleaned(part: Any) -> Any:
    """Remove the indentation from descriptions, as Python 3.13 does from docstrings."""
    if isinstance(part, dict):
        return {
            key: cleandoc(value)
            if key == "description" and isinstance(value, str)
            else _cleaned(value)
            for key, value in part.items()
        }
    return [_cleaned(one) for one in part] if isinstance(part, list) else part


if __name__ == "__main__":
    write(Path(sys.argv[1]))
