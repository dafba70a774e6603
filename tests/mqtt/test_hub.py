"""The hub by a real broker: boards follow, missing rows are fetched, results kept, all refilled."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from companion.engine import RULESETS
from tests.mqtt.broker import Broker, watching
from tests.mqtt.hub import serving_hub
from tests.mqtt.table import Table, published
from tests.mqtt.table import play_out as to_its_end

pytestmark = pytest.mark.broker
GAME = max(RULESETS)
HUB, ALL = "hub = true", 'names = ["*"]'
Json = dict[str, Any]


def whole(table: Table) -> Any:
    """Return whether the hub has all of the table as it is now."""

    def is_whole(seen: Json) -> bool:
        line = seen["tables"].get("window")
        rev = table.app_state.table.snapshot().rev
        return bool(line) and line["online"] and line["card"]["rows"] == line["rows"] == rev

    return is_whole


def play_out(table: Table, seed: int = 1) -> None:
    """Play a game at random to its end."""
    to_its_end(table.phone, GAME, seed)


def test_a_board_follows_the_game(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker, HUB, ALL) as table, serving_hub(tmp_path / "h", broker) as hub:
        table.phone.set_up(GAME, players=2)
        table.phone.say({"type": "PutOff"})
        seen = hub.until(whole(table))
        card = seen["tables"]["window"]["card"]
        game = table.phone.game()
        assert [seat["health"] for seat in card["seats"]] == [s.health for s in game.seats]
        assert [seat["player"] for seat in card["seats"]] == ["P0", "P1"]
        assert card["active"] == game.active
        assert seen["tables"]["window"]["gaps"] == []
        assert seen["connected"]


def test_results_are_kept_and_a_new_hub_fills_itself(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker, HUB, ALL) as table:
        play_out(table)
        table.phone.set_up(GAME, players=3)
        with serving_hub(tmp_path / "h", broker) as hub:
            seen = hub.until(lambda seen: whole(table)(seen) and seen["results"])
            assert [(one["log"], one["title"]) for one in seen["results"]] == [
                ("g1", "Monster Table")
            ]
            won = [seat["player"] for seat in seen["results"][0]["seats"] if seat["won"]]
            named = [one["player"] for one in seen["standings"]]
            assert sorted(named) == ["P0", "P1"]
            assert {one["player"] for one in seen["standings"] if one["won"]} == set(won)
            status, csv = hub.get("/api/hub/results.csv")
            assert (status, b"window/g1" in csv) == (200, True)
        shutil.rmtree(tmp_path / "h" / "hub")
        with serving_hub(tmp_path / "h", broker) as hub:
            again = hub.until(lambda seen: whole(table)(seen) and seen["results"])
            assert again["results"] == seen["results"]
    with serving_hub(tmp_path / "h", broker) as hub:
        kept = hub.until(lambda seen: seen["tables"].get("window"))
        assert not kept["tables"]["window"]["online"]
        assert kept["results"][0]["seats"] == seen["results"][0]["seats"]


def test_a_broker_that_was_away_leaves_no_gap(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker, HUB) as table, serving_hub(tmp_path / "h", broker) as hub:
        table.phone.set_up(GAME, players=2)
        hub.until(whole(table))
        broker.kill()
        hub.until(lambda seen: not seen["connected"])
        chance = random.Random(2)
        for _ in range(20):
            event = table.phone.next_event(chance)
            assert event is not None
            table.phone.say(event)
        broker.start()
        seen = hub.until(lambda seen: seen["connected"] and whole(table)(seen))
        assert seen["tables"]["window"]["gaps"] == []
        assert seen["tables"]["window"]["replaced"] == 0


def test_names_that_were_not_agreed_to_never_reach_the_broker(
    tmp_path: Path, broker: Broker
) -> None:
    with (
        watching(broker) as home,
        published(tmp_path, broker, HUB, 'names = ["P1"]') as table,
        serving_hub(tmp_path / "h", broker) as hub,
    ):
        play_out(table)
        seen = hub.until(lambda seen: whole(table)(seen) and seen["results"])
        assert [seat["player"] for seat in seen["tables"]["window"]["card"]["seats"]] == ["", "P1"]
        assert [one["player"] for one in seen["standings"]] == ["P1"]
        assert not any('"P0"' in content for content in home.topics.values())


def test_what_is_no_message_of_a_table_is_left_out(tmp_path: Path, broker: Broker) -> None:
    with watching(broker) as home, serving_hub(tmp_path / "h", broker) as hub:
        home.say("monster-table/x/card", "nonsense", retain=True)
        home.say("monster-table/x/card", '{"form": 2}', retain=True)
        home.say("monster-table/x/rows", '{"log": "g1", "first": 0}')
        home.say("monster-table/x/rows", "[" * 10_000)
        home.say("monster-table/x/games", "x" * 300_000)
        home.say("monster-table/UPPER/status", "online", retain=True)
        with published(tmp_path, broker, HUB) as table:
            seen = hub.until(whole(table))
        assert set(seen["tables"]) == {"window"}


QUESTIONS = ("", "{}x", '{"log": "g1", "first": -1}', '{"log": "../x"}', '{"log": "g7"}')


def test_a_table_answers_no_other_questions(tmp_path: Path, broker: Broker) -> None:
    with published(tmp_path, broker, HUB) as table, watching(broker) as home:
        table.phone.set_up(GAME, players=2)
        home.until(lambda seen: table.status in seen.topics)
        for question in QUESTIONS:
            home.say("monster-table/window/ask", question)
        home.say("monster-table/window/ask", '{"log": "g1", "first": 2}')
        home.until(lambda seen: seen.json("monster-table/window/rows").get("first") == 2)
        assert "monster-table/window/games" not in home.topics


ANSWERS = (
    ("GET", "/api/hub", "evil.example", 421),
    ("POST", "/api/hub", "127.0.0.1", 405),
    ("GET", "/assets/../index.html", "127.0.0.1", 404),
    ("GET", "/assets/", "127.0.0.1", 404),
    ("GET", "/locales/de.json", "127.0.0.1", 404),
    ("GET", "/locales/fr.json", "127.0.0.1", 200),
    ("GET", "/", "127.0.0.1", 200),
)


def test_the_hub_answers_only_for_itself(tmp_path: Path, broker: Broker) -> None:
    with serving_hub(tmp_path / "h", broker) as hub:
        for method, path, host, status in ANSWERS:
            assert (path, hub.get(path, host, method)[0]) == (path, status)
