"""`companion simulate`: what it prints, and its rows: the same whoever plays, whole or not there,
and resumed.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner, Result
from distributed import Client
from msgspec.structs import replace

from companion.cli import main
from companion.engine import RULESETS, Setup
from companion.simulation import (
    Plan,
    Play,
    RowsFolder,
    SimulatedGame,
    SimulationError,
    Totals,
    cluster,
    play_game,
    processes,
    run,
)
from companion.virtual import SimulationOptions, play_random
from tests.dask_cluster import two_workers
from tests.waiting import WITHIN_S, wait_until

GAME = min(RULESETS)
PLAN = Plan(game=GAME, players=2, seed=7, cards=2, offers=0.5, checks=False)
GAMES, PART = 26, 10
FIRST = ("simulate", "--game", GAME, "--players", "2", "--no-checks", "--json")


def keep(folder: Path, play: Play, games: int = GAMES) -> Totals:
    rows, totals = RowsFolder(folder, PLAN, PART), Totals()
    rows.prepare()
    run(PLAN, games, totals, play, rows)
    return totals


def play_here(folder: Path, games: int = GAMES) -> Totals:
    with processes(1) as play:
        return keep(folder, play, games)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def command(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of one process, in one go."""
    folder = tmp_path_factory.mktemp("rows") / "whole"
    play_here(folder)
    return folder


# -- what it prints --


def simulated(*words: str) -> dict[str, object]:
    result = command("simulate", "--game", GAME, "--games", "3", "--players", "2", "--json", *words)
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


def test_an_edition_and_house_rules_can_be_chosen() -> None:
    words = ("--game", "tokyo", "--edition=2016", "--house=no_bay", "--house=no_bay")
    row = simulated(*words)
    assert (row["edition"], row["house"]) == ("2016", ["no_bay"])


def test_people_read_the_same() -> None:
    result = command("simulate", "--game", GAME, "--games", "2", "--players", "2")
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["ended"].startswith("stars ")
    assert (lines["broken"], lines["offers"]) == ("-", "0.2")


def test_a_game_that_does_not_end_is_broken() -> None:
    played = play_random(Setup(GAME, 2), Random(1), SimulationOptions(most_events=5))
    assert (played.reason, played.broken, played.events) == ("broken", ("stuck",), 5)


# -- its rows --


def test_two_processes_leave_the_rows_of_one(whole: Path, tmp_path: Path) -> None:
    with processes(2) as play:
        totals = keep(tmp_path / "two", play)
    assert files(tmp_path / "two") == files(whole)
    assert (totals.games, totals.resumed, sum(totals.ended.values())) == (GAMES, 0, GAMES)


def test_two_workers_of_a_cluster_leave_the_rows_of_one_process(
    whole: Path, tmp_path: Path
) -> None:
    """And a worker with other rules is refused."""

    def give(rules: str) -> None:
        from companion import simulation

        vars(simulation)["RULES_VERSION"] = rules

    with two_workers() as address:
        with cluster(address) as play:
            keep(tmp_path / "dask", play)
        told = command(*FIRST, "--games", "6", "--dask", address)
        with Client(address, set_as_default=False) as client:
            client.run(give, "0")
        refused = command(*FIRST, "--games", "1", "--dask", address)
    assert files(tmp_path / "dask") == files(whole)
    here = command(*FIRST, "--games", "6")
    assert told.exit_code == here.exit_code == 0
    rows = [msgspec.json.decode(each.stdout) for each in (told, here)]
    assert rows[0]["events"] == rows[1]["events"]
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "has version 0 of the rules" in refused.stderr


def test_a_row_says_how_its_game_was_played_and_every_seat_ended(whole: Path) -> None:
    lines = b"".join(content for name, content in sorted(files(whole).items()) if "games" in name)
    rows = msgspec.json.Decoder(SimulatedGame).decode_lines(lines)
    assert [row.number for row in rows] == [*range(GAMES)]
    assert rows[17] == play_game(PLAN, 17)
    assert {row.first for row in rows} == {0, 1}
    for row in rows:
        assert (row.game, row.seed, row.players, row.cards, row.offers) == (GAME, 7, 2, 2, 0.5)
        assert [seat.seat for seat in row.seats] == [0, 1]
        assert all(len(seat.dealt) == 2 for seat in row.seats)
        winners = [seat for seat in row.seats if seat.won]
        assert len(winners) == (0 if row.ended == "all_dead" else 1)
    assert any(seat.bought for row in rows for seat in row.seats)
    assert any({*seat.held} & {*seat.bought} for row in rows for seat in row.seats)


def test_a_run_goes_on_where_parts_are_missing_or_torn(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    play_here(folder)
    parts = sorted(folder.glob("games-*"))
    assert [part.name for part in parts] == [f"games-{n:010}.jsonl" for n in (0, 10, 20)]
    parts[0].unlink()
    parts[1].write_bytes(parts[1].read_bytes()[:-40])
    totals = play_here(folder)
    assert (totals.games, totals.resumed) == (GAMES, 6)
    assert 0 < totals.events_resumed < totals.events
    assert files(folder) == files(whole)


def test_a_shorter_run_takes_nothing_away(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "rows")
    for games in (GAMES - 1, 1):
        totals = play_here(tmp_path / "rows", games=games)
        assert (totals.games, totals.resumed) == (games, games)
        assert files(tmp_path / "rows") == files(whole)


def test_a_longer_run_keeps_what_is_there(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "longer"
    assert play_here(folder, games=15).games == 15
    assert play_here(folder).resumed == PART  # the second part was not whole
    assert files(folder) == files(whole)


def break_game_13(plan: Plan, numbers: Iterable[int]) -> Iterator[SimulatedGame]:
    for number in numbers:
        row = play_game(plan, number)
        yield replace(row, broken=("odd",), ended="broken") if number == 13 else row


def test_it_stops_after_the_first_broken_game_and_keeps_its_row(tmp_path: Path) -> None:
    totals = keep(tmp_path / "broken", break_game_13)
    assert totals.games == 14
    assert [text.partition(",")[0] for text in totals.broken] == ["game 13"]
    (_, second) = sorted((tmp_path / "broken").glob("games-*"))
    last = second.read_bytes().splitlines()[-1]
    assert msgspec.json.decode(last)["broken"] == ["odd"]


def test_rows_of_other_games_are_refused_and_left_as_they_are(whole: Path) -> None:
    before = files(whole)
    with pytest.raises(SimulationError, match="other_rows"):
        RowsFolder(whole, replace(PLAN, seed=8), PART).prepare()
    assert files(whole) == before


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = command(*FIRST, "--games", "1", "--dask", "tcp://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "monster-table[dask]" in result.stderr


def test_an_interrupted_run_leaves_no_half_part_and_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    words = [*FIRST, "--games", "5000", "--jobs", "2", "--rows", str(folder)]
    with subprocess.Popen(
        [sys.executable, "-c", "from companion.cli import main; main()", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
            wait_until(lambda: len(children.read_text().split()) >= 2)
            mine = children.read_text().split()
            running.send_signal(signal.SIGTERM)
            out, err = running.communicate(timeout=WITHIN_S)
        finally:
            running.kill()
    assert (running.returncode, out) == (1, "")
    assert err.startswith("Stopped after ")
    assert len(err.splitlines()) == 1
    assert [path.name for path in folder.iterdir()] == ["plan.json"]
    wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in mine))
