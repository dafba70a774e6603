"""The documents: what can be logged, pressed or shown stands in a page, the first evening names
what phones show, and the worked query of the page on simulation counts right.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import duckdb
import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.engine import AnyEvent
from companion.intervals import wilson
from companion.service.app import ROUTES
from companion.simulation import Plan, play_game
from companion.table import AnyTableEvent
from tools.schemas import FORMS, write
from tools.site import routes

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ALL = "\n".join(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md")))
CATALOGUE = json.loads((ROOT / "webui" / "locales" / "en.json").read_text("utf-8"))
SENTENCES = [
    words
    for entry in CATALOGUE.values()
    for words in (entry.values() if isinstance(entry, dict) else (entry,))
]
PAGE = (DOCS / "first-evening.md").read_text("utf-8")
LISTS = "".join(re.findall(r"^<!-- road -->\n((?:\d+\. .*\n(?:   .*\n)*)+)", PAGE, re.MULTILINE))
STEPS = re.findall(r"\*\*([^*]+)\*\*|(?<!\*)\*([^*]+)\*(?!\*)", LISTS)
NAMES = re.findall(r"`([^`]+)`", LISTS)
"""What is typed."""
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


def test_every_route_is_in_the_table_with_a_sentence() -> None:
    rows = routes().splitlines()[2:]
    assert len(rows) == len(ROUTES)
    assert [row for row in rows if row.endswith("|  |")] == []
    assert [row for row in rows if row.startswith("| `POST /api/seen` | host | `notice` | ")]


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


@pytest.mark.parametrize("words", [tapped or seen for tapped, seen in STEPS])
def test_what_the_first_evening_taps_and_sees_is_what_phones_show(words: str) -> None:
    seen = re.sub("|".join(NAMES), "{seat}", words)
    shown = "".join(one for one in CATALOGUE.values() if isinstance(one, str))
    assert seen == "{seat}" or seen in CATALOGUE.values() or f"{seen}." in shown


def test_the_query_counts_the_wins_of_a_card_that_one_seat_alone_was_dealt(tmp_path: Path) -> None:
    question = (DOCS / "simulation.md").read_text("utf-8").partition("## A question")[2]
    command = re.search(r"^companion (simulate .*--rows) games$", question, re.MULTILINE)
    query = re.search(r"```sql\n(.*?)```", question, re.DOTALL)
    assert command is not None
    assert query is not None
    folder = tmp_path / "games"
    assert CliRunner().invoke(main, [*shlex.split(command[1]), str(folder)]).exit_code == 0
    plan = msgspec.convert(msgspec.json.decode((folder / "plan.json").read_bytes())["plan"], Plan)
    wins: dict[str, list[bool]] = {}
    for game in (play_game(plan, number) for number in range(20)):
        dealt = [(card, seat.won) for seat in game.seats for card in seat.dealt]
        names = [card for card, _ in dealt]
        for card, won in dealt:
            if names.count(card) == 1:
                wins.setdefault(card, []).append(won)
    found = duckdb.sql(query[1].replace("games/games-", f"{folder}/games-")).fetchall()
    assert {card: count for card, count, *_ in found} == {c: len(won) for c, won in wins.items()}
    for card, count, share, low, high in found:
        assert share == pytest.approx(sum(wins[card]) / count)
        least, most = wilson(sum(wins[card]), count)
        assert low - 1e-9 <= least <= share <= most <= high + 1e-9
