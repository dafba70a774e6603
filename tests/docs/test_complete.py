"""Whatever can be set, sent, logged, pressed or refused stands in a page of the site."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from companion.engine import AnyEvent
from companion.service.app import ROUTES
from companion.service.settings import Settings
from companion.table import AnyTableEvent
from tools.docs.directives import messages, routes, settings
from tools.schemas import FORMS, write

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ALL = "\n".join(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md")))
CATALOGUE = json.loads((ROOT / "webui" / "locales" / "en.json").read_text("utf-8"))
SENTENCES = [
    words
    for entry in CATALOGUE.values()
    for words in (entry.values() if isinstance(entry, dict) else (entry,))
]
KEYS_PAGE = (DOCS / "commands.md").read_text("utf-8")
PRESSED = re.compile(r'\bkey === "(\w+)"|^  (Arrow\w+|Home|End|Page\w+): ', re.MULTILINE)
KEY_NAMES = frozenset({"Enter", "Escape", "Tab", "Space", "Home", "End"})


def test_every_page_is_in_the_table_of_contents() -> None:
    trees = re.findall(r"```{toctree}\n(.*?)```", (DOCS / "index.md").read_text("utf-8"), re.DOTALL)
    listed = [line for tree in trees for line in tree.splitlines() if line and line[0] != ":"]
    assert len(trees) == 4
    assert len(listed) == len(set(listed))
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert pages - set(listed) == set()
    assert [one for one in listed if not (DOCS / f"{one}.md").is_file()] == []


def test_every_setting_is_in_a_table_with_its_default() -> None:
    tables = {name: {row[0]: row[1:] for row in rows} for name, rows in settings()}
    assert tables.keys() >= {"Settings", "Limits", "Patience", "Timeouts"}
    named = {name for rows in tables.values() for name in rows} | {"limits", "patience", "timeouts"}
    assert {field.name for field in fields(Settings)} - named == set()
    assert tables["Settings"]["port"][0] == "8080"
    assert tables["Limits"]["fuse_s"] == ("3", "How long a fuse burns.")


def test_every_route_is_in_the_table_with_a_sentence() -> None:
    rows = {route: (who, body, does) for route, who, body, does in routes()}
    assert len(rows) == len(ROUTES)
    assert all(does for _, _, does in rows.values())
    assert rows["POST /api/seen"][:2] == ("host", "notice")


def test_every_form_is_a_schema_that_the_build_writes(tmp_path: Path) -> None:
    write(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == FORMS.keys()
    for path in tmp_path.iterdir():
        assert json.loads(path.read_bytes())


def test_every_event_is_documented() -> None:
    events = {event.__name__ for union in (AnyEvent, AnyTableEvent) for event in union.__args__}
    assert len(events) > 10
    assert {name for name in events if f"`{name}`" not in ALL and f'"{name}"' not in ALL} == set()


def test_every_key_that_the_app_answers_to_is_documented() -> None:
    pressed = {
        key
        for path in (ROOT / "webui" / "src").rglob("*.ts*")
        for found in PRESSED.findall(path.read_text("utf-8"))
        for key in found
        if key in KEY_NAMES or key.startswith(("Arrow", "Page"))
    }
    assert {"Escape", "Enter", "ArrowUp"} <= pressed
    assert {key for key in pressed if f"`{key}`" not in KEYS_PAGE} == set()


def test_every_refusal_and_warning_is_in_a_table_of_messages() -> None:
    keys = {key for rows in messages().values() for _, key in rows}
    assert all(messages().values())
    assert {
        key for key in CATALOGUE if key.startswith(("error.", "problem.", "log_notice."))
    } <= keys


def quoted() -> list[str]:
    """What troubleshooting says that phones or commands show: the first cell of a row."""
    page = (DOCS / "troubleshooting.md").read_text("utf-8")
    cells = [row.split("|")[1] for row in page.splitlines() if row.startswith("| ")]
    return [one for cell in cells for one in re.findall(r'"([^"]+)"', cell)]


@pytest.mark.parametrize("words", quoted())
def test_a_message_in_troubleshooting_is_one(words: str) -> None:
    """Numbers and dots stand for what differs from table to table."""
    parts = [part.strip() for part in re.split(r"\d+|…", words) if part.strip()]
    assert any(all(part in sentence for part in parts) for sentence in SENTENCES)


def test_messages_in_troubleshooting_are_found() -> None:
    assert len(quoted()) > 30
