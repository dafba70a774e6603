"""The list of its games that a table publishes for a hub."""

from __future__ import annotations

from pathlib import Path

from companion.mqtt.tables.rows import MOST_HASHED, PublishedRows
from companion.table.log import EventLog
from tests.mqtt.pages import row


def test_every_game_is_listed_with_its_newest_hash(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    for number in range(1, 131):
        log.append(f"g{number}", [row(f"{number}-{n}") for n in range(2)])
    rows = PublishedRows(log, ("*",))
    lists = [rows.games(first) for first in (1, 65, 129, 193)]
    assert [len(one.games) for one in lists] == [64, 64, 2, 0]
    assert {one.total for one in lists} == {130}
    lines = {line.log: line for one in lists for line in one.games}
    assert next(iter(lines)) == "g130"
    assert {name: line.tip for name, line in lines.items()} == {
        name: log.last_hash(name) for name in log.games
    }
    log.close()


def test_the_hash_of_a_long_game_comes_with_a_later_list(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    for number in range(1, 4):
        log.append(f"g{number}", [row(str(n)) for n in range(MOST_HASHED)])
    rows = PublishedRows(log, ("*",))
    tips = [[line.tip is not None for line in rows.games().games] for _ in range(3)]
    assert tips == [[True, False, False], [True, True, False], [True, True, True]]
    log.append("g1", [row("more")])
    assert {line.log: line.tip for line in rows.games().games}["g1"] == log.last_hash("g1")
    log.close()


def test_a_name_that_may_not_be_published_changes_the_hash_of_its_game(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    seats = '[{"player":"Ann","monster":"a"},{"player":"Bo","monster":"b"}]'
    setup = f'{{"type":"TableSet","game":"x","edition":"y","seats":{seats}}}'
    log.append("g1", [row("1", event=setup)])
    tips = {PublishedRows(log, names).games().games[0].tip for names in ((), ("Ann",), ("*",))}
    assert len(tips) == 3
    log.close()
