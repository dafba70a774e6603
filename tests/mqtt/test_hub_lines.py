"""A hub follows the line of every game as its table has it: other lines, names, lists, ends."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from companion.mqtt.tables.forms import MOST_GAMES, Ask, GameLine, GameList, Page, TableCard
from companion.table.database import StoredRow
from tests.mqtt.broker import Broker, watching
from tests.mqtt.hub import Served, serving_hub
from tests.mqtt.pages import paged, row, tip_of
from tests.mqtt.table import published
from tests.mqtt.test_hub import ALL, GAME, HUB, play_out, whole
from tests.mqtt.test_hub_collector import Heard, card, collecting
from tests.waiting import WITHIN_S

PAGE = 8


def rows(count: int, salt: str = "") -> list[StoredRow]:
    return [row(f"{salt}{n}") for n in range(count)]


@dataclass
class Answering:
    """A table that answers a hub. `games`: the last used first; the first is played."""

    heard: Heard
    games: dict[str, Sequence[StoredRow]]
    is_old: bool = False
    """Whether it lists its games as tables once did: the newest, without hashes."""
    silent: str = ""
    """The game of which it sends nothing."""
    asked: list[str | None] = field(default_factory=list)
    """The games that were asked for; None: the list."""

    def card(self, **more: object) -> TableCard:
        log, played = next(iter(self.games.items()))
        return card(log=log, rows=len(played), tip=self.tip(log), **more)

    def tip(self, log: str) -> str:
        return tip_of(paged(self.games[log], log=log)) if self.games[log] else ""

    def answer(self, ask: Ask) -> Page | GameList | None:
        if ask.log is not None:
            found = paged(self.games.get(ask.log, ()), log=ask.log)
            at = ask.first - 1
            whole = self.games.get(ask.log, ())
            if at >= len(whole):
                return None
            before = tip_of(paged(whole[:at], log=ask.log)) if at else ""
            return Page(
                log=ask.log, first=ask.first, before=before, rows=tuple(whole[at : at + PAGE]),
                total=sum(len(page.rows) for page in found),
            )  # fmt: skip
        lines = [GameLine(log, len(one), self.tip(log)) for log, one in self.games.items()]
        if self.is_old:
            return GameList(games=tuple(GameLine(*one) for one in self.bare(lines)))
        at = ask.first - 1
        return GameList(
            games=tuple(lines[at : at + MOST_GAMES]), first=ask.first, total=len(self.games)
        )

    def bare(self, lines: list[GameLine]) -> list[tuple[str, int]]:
        return [(line.log, line.rows) for line in lines[:MOST_GAMES]]

    def until(self, true: Callable[[], object]) -> list[Ask]:
        """Answer what the hub asks for until this is true; return it."""
        heard, asked = self.heard, list[Ask]()
        while True:
            with heard.changed:
                assert heard.changed.wait_for(lambda: heard.asked or true(), WITHIN_S)
                if not heard.asked:
                    return asked
                _, ask = heard.asked.pop(0)
            asked.append(ask)
            self.asked.append(ask.log)
            answer = self.answer(ask)
            if answer is not None and ask.log != self.silent:
                kind = "rows" if isinstance(answer, Page) else "games"
                heard.collector.hear("window", kind, msgspec.json.encode(answer))

    def has(self, *logs: str) -> Callable[[], bool]:
        """Return whether the hub holds these games as they are."""

        def has_them() -> bool:
            found = {log: self.heard.held(log) for log in logs}
            return all(
                (one.chained, one.tip) == (len(self.games[log]), self.tip(log))
                for log, one in found.items()
            )

        return has_them


@contextmanager
def answering(folder: Path, **games: Sequence[StoredRow]) -> Iterator[Answering]:
    with collecting(folder) as heard:
        heard.say("window", "status", b"online")
        yield Answering(heard, games)


@pytest.mark.parametrize(("held", "count", "same"), [(10, 20, 0), (20, 10, 0), (20, 15, 9)])
def test_another_line_of_another_length_is_fetched_from_the_first_row(
    tmp_path: Path, held: int, count: int, same: int
) -> None:
    with answering(tmp_path, g1=rows(held)) as table:
        table.heard.hear(table.card())
        table.until(table.has("g1"))
        table.games = {"g1": [*rows(same), *rows(count - same, "x")]}
        table.heard.clock += 5
        table.heard.hear(table.card())
        if held < count:  # the page after the held rows shows that they are of another line
            (_, first), table.heard.asked[:] = table.heard.asked[-1], []
            assert first == Ask("g1", held + 1)
            answer = table.answer(first)
            assert answer is not None
            table.heard.hear(answer)
            assert table.heard.asked == []  # not at once: another table may have the same name
            table.heard.clock += 5
            table.heard.hear(table.card(turn=1))
        asked = table.until(table.has("g1"))
        assert asked[0] == Ask("g1", 1)
        assert len(asked) <= -(-count // PAGE)
        assert table.heard.line().gaps == ()
        assert table.heard.line().replaced == held


def test_a_page_that_brings_nothing_is_not_asked_for_again_at_once(tmp_path: Path) -> None:
    with answering(tmp_path, g1=rows(20)) as table:
        table.heard.hear(table.card())
        table.until(table.has("g1"))
        table.heard.clock += 5
        table.heard.hear(msgspec.structs.replace(table.card(), rows=30))
        assert table.heard.asked == [("window", Ask("g1", 21))]
        again = table.answer(Ask("g1", 13))
        assert again is not None
        for _ in range(3):
            table.heard.hear(again)
        assert table.heard.asked == [("window", Ask("g1", 21))]


def test_games_beside_the_one_on_the_card_are_compared_with_the_list(tmp_path: Path) -> None:
    with answering(tmp_path, g3=rows(3), g2=rows(9), g1=rows(20)) as table:
        table.heard.hear(table.card())
        table.until(table.has("g1", "g2", "g3"))
        table.games["g1"] = rows(20, "x")
        table.heard.clock += 5
        table.heard.say("window", "status", b"online")
        asked = table.until(table.has("g1"))
        assert {one.log for one in asked} == {None, "g1"}


def test_a_list_without_hashes_changes_nothing_that_is_held(tmp_path: Path) -> None:
    with answering(tmp_path, g2=rows(9), g1=rows(20)) as table:
        table.is_old = True
        table.heard.hear(table.card())
        table.until(table.has("g1", "g2"))
        table.heard.clock += 5
        table.heard.say("window", "status", b"online")
        asked = table.until(lambda: True)
        assert asked == [Ask()]
        assert table.has("g1", "g2")()
        assert table.heard.line().replaced == 0


def test_all_games_are_fetched_page_by_page_of_the_list(tmp_path: Path) -> None:
    games = {f"g{n}": rows(1, str(n)) for n in range(130, 0, -1)}
    with answering(tmp_path, **games) as table:
        table.heard.hear(table.card())
        asked = table.until(table.has(*games))
        lists = [one.first for one in asked if one.log is None]
        assert lists == [1, 65, 129]


def test_what_the_table_no_longer_has_is_forgotten(tmp_path: Path) -> None:
    with answering(tmp_path, g2=rows(9), g1=rows(20)) as table:
        table.heard.hear(table.card())
        table.until(table.has("g1", "g2"))
        del table.games["g1"]
        table.heard.clock += 5
        table.heard.say("window", "status", b"online")
        table.until(lambda: table.heard.held().chained == 0)
        assert table.has("g2")()


def test_rows_of_a_game_that_nobody_has_named_are_not_kept(tmp_path: Path) -> None:
    with answering(tmp_path, g1=rows(3)) as table:
        table.heard.hear(table.card())
        table.until(table.has("g1"))
        stray = paged(rows(3), log="g999")[0]
        table.heard.collector.hear("window", "rows", msgspec.json.encode(stray))
        table.heard.hear(table.card(turn=1))
        assert table.heard.store.games("window") == {"g1"}


def test_a_game_that_was_played_between_two_cards_is_found_by_the_second(tmp_path: Path) -> None:
    with answering(tmp_path, g1=rows(3)) as table:
        table.heard.hear(table.card())
        table.until(table.has("g1"))
        table.games = {"g3": rows(2), "g2": rows(9), **table.games}
        table.heard.hear(table.card())
        table.until(table.has("g1", "g2", "g3"))


def test_a_game_of_which_nothing_comes_does_not_keep_the_others_up(tmp_path: Path) -> None:
    with answering(tmp_path, g3=rows(3), g2=rows(9), g1=rows(20)) as table:
        table.silent = "g2"
        table.heard.hear(table.card())
        table.until(lambda: table.asked == [None, "g3", "g2"])
        for _ in range(2):
            table.heard.clock += 5
            table.heard.hear(table.card())
        table.until(table.has("g1", "g3"))
        assert table.asked[3] == "g2"
        table.silent = ""
        table.heard.clock += 5
        table.heard.hear(table.card())
        table.until(table.has("g1", "g2", "g3"))


@pytest.mark.broker
def test_names_leave_all_results_when_they_may_not_be_published_any_more(
    tmp_path: Path, broker: Broker
) -> None:
    with serving_hub(tmp_path / "h", broker) as hub:
        with published(tmp_path, broker, HUB, ALL) as table:
            play_out(table)
            table.phone.set_up(GAME, players=3)
            seen = hub.until(lambda seen: whole(table)(seen) and seen["standings"])
            assert {one["player"] for one in seen["standings"]} == {"P0", "P1"}
        with published(tmp_path, broker, HUB, 'names = ["P1"]') as table:
            named = [{"P1"}]
            hub.until(lambda seen: [{one["player"] for one in seen["standings"]}] == named)
            assert b"P0" not in hub.get("/api/hub/results.csv")[1]
    with serving_hub(tmp_path / "h", broker) as hub:
        assert b"P0" not in hub.get("/api/hub/results.csv")[1]


@pytest.mark.broker
def test_an_end_that_is_taken_back_leaves_results_and_standings(
    tmp_path: Path, broker: Broker
) -> None:
    with published(tmp_path, broker, HUB, ALL) as table:
        with serving_hub(tmp_path / "h", broker) as hub:
            play_out(table)
            hub.until(lambda seen: seen["results"])
            rev = table.app_state.table.snapshot().rev
            table.phone.say({"type": "Undone", "seq": rev})
            seen = hub.until(lambda seen: whole(table)(seen) and not seen["results"])
            assert seen["standings"] == []
            assert hub.get("/api/hub/results.csv")[1].count(b"\n") == 1
        with serving_hub(tmp_path / "h", broker) as hub:
            assert hub.until(whole(table))["results"] == []
            chance = random.Random(3)
            while (event := table.phone.next_event(chance)) is not None:
                table.phone.say(event)
            assert hub.until(lambda seen: seen["results"])["standings"]


@pytest.mark.broker
def test_of_a_game_that_is_over_only_the_result_is_kept(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker, HUB, ALL) as table:
        with serving_hub(tmp_path / "h", broker) as hub:
            play_out(table)
            hub.until(lambda seen: seen["results"])
            table.phone.set_up(GAME, players=3)
            seen = hub.until(whole(table))
            table.until(lambda: stored(hub, "g1") == 0)
            assert stored(hub, "g2") == 2
        with serving_hub(tmp_path / "h", broker) as hub, watching(broker) as home:
            again = hub.until(whole(table))
            assert again["results"][0]["seats"] == seen["results"][0]["seats"]
            home.until(lambda seen: "monster-table/window/games" in seen.topics)
            table.phone.say({"type": "PutOff"})
            hub.until(whole(table))
            assert "g1" not in home.topics.get("monster-table/window/ask", "")


def stored(hub: Served, log: str) -> int:
    """Return how many rows of a game lie in the hub's file."""
    path = hub.hub._store.path
    with closing(sqlite3.connect(path)) as db:
        (count,) = db.execute("SELECT count(*) FROM row WHERE log = ?", (log,)).fetchone()
    return int(count)
