"""`companion simulate`, run as a command, and the messages for wrong usage of every command."""

from __future__ import annotations

import json
from random import Random

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import EDITIONS, RULESETS, Setup
from companion.virtual import SimulationOptions, play_random

GAME = next(iter(RULESETS))


SWITCHES = [(name, f"--edition={edition}", "") for name, edition in EDITIONS] + [
    (name, f"--edition={edition}", f"--house={switch}")
    for (name, edition), rules in EDITIONS.items()
    for switch in rules.house
]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def simulated(*words: str) -> dict[str, object]:
    result = run("simulate", "--game", GAME, "--games", "3", "--players", "2", "--json", *words)
    assert (result.exit_code, result.stderr) == (0, "")
    assert len(result.stdout.splitlines()) == 1
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_it_says_how_games_were_played_and_what_they_came_to() -> None:
    row = simulated("--seed", "5", "--offers", "0.5", "--cards", "2")
    assert (row["game"], row["players"], row["games"], row["seed"]) == (GAME, 2, 3, 5)
    assert (row["offers"], row["cards"], row["checked"], row["broken"]) == (0.5, 2, True, [])
    ended, shares = row["ended"], row["shares"]
    assert isinstance(ended, dict)
    assert isinstance(shares, dict)
    assert ended.keys() == shares.keys() == {"stars", "survival", "all_dead"}
    assert sum(ended.values()) == 3
    assert sum(shares.values()) == pytest.approx(1, abs=1e-3)
    assert row["events_mean"] == pytest.approx(int(str(row["events"])) / 3, abs=0.1)
    assert row.keys() >= {"events_per_s", "games_per_s", "turns_mean"}


def test_the_same_seed_plays_the_same_games() -> None:
    one, other = simulated("--seed", "9"), simulated("--seed", "9", "--no-checks")
    assert [one[name] for name in ("events", "ended")] == [other[n] for n in ("events", "ended")]
    assert (one["checked"], other["checked"]) == (True, False)


@pytest.mark.parametrize("game", RULESETS)
def test_every_number_is_asked_why_where_that_is_wanted(game: str) -> None:
    row = simulated("--game", game, "--cards", "4", "--check-explain")
    assert (row["explained"], row["broken"]) == (True, [])
    assert simulated()["explained"] is False


def test_powers_are_used_as_often_as_is_said() -> None:
    used = [simulated("--cards", "4", "--offers", often)["powers_used"] for often in ("0", "0.9")]
    assert used[0] == 0
    assert int(str(used[1])) > 0


@pytest.mark.parametrize("switch", SWITCHES)
def test_editions_and_house_rules_can_be_chosen(switch: tuple[str, str, str]) -> None:
    game, *words = switch
    words = [word for word in words if word]
    result = run("simulate", "--game", game, "--games", "2", "--players", "3", "--json", *words)
    row = json.loads(result.stdout)
    assert result.exit_code == 0
    assert f"--edition={row['edition']}" in words
    assert [f"--house={rule}" for rule in row["house"]] == [w for w in words if "house" in w]


def test_a_house_rule_said_twice_counts_once() -> None:
    assert simulated("--house=no_trophies", "--house=no_trophies")["house"] == ["no_trophies"]


def test_cards_are_listed_as_an_edition_has_them() -> None:
    listed = {}
    for edition in ("first", "2016"):
        lines = run("cards", "--edition", edition, "--json").stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        assert {row["edition"] for row in rows} == {edition}
        listed[edition] = {(row["game"], row["name"]): row["cost"] for row in rows}
    later = listed["2016"]
    assert later.keys() < listed["first"].keys()
    dearer = {key: cost for key, cost in later.items() if cost != listed["first"][key]}
    assert [name for _, name in dearer] == ["monster_batteries"]
    assert run("cards", "--edition", "2016", "--missing").stdout == ""


def test_people_read_the_same() -> None:
    result = run("simulate", "--game", GAME, "--games", "2", "--players", "2")
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["ended"].startswith("stars ")
    assert (lines["broken"], lines["offers"]) == ("-", "0.2")


def test_a_game_that_does_not_end_is_broken() -> None:
    played = play_random(Setup(GAME, 2), Random(1), SimulationOptions(most_events=5))
    assert (played.reason, played.broken, played.events) == ("broken", ("stuck",), 5)


def test_without_a_word_there_is_help() -> None:
    result = run()
    assert "audit" in result.output
    assert run("--help").exit_code == 0
