"""The rows of many random games: the same whoever plays, whole or not there, and resumed."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from click.testing import CliRunner, Result
from distributed import Client
from msgspec.structs import replace

from companion.cli import main
from companion.engine import RULESETS
from companion.simulation import (
    Plan,
    RowsFolder,
    SimulatedGame,
    SimulationError,
    Totals,
    Workforce,
    cluster,
    play_game,
    processes,
    run,
)
from companion.table import RULES_VERSION
from tests.dask_cluster import two_workers
from tests.waiting import WITHIN_S, wait_until

GAME = min(RULESETS)
PLAN = Plan(game=GAME, players=2, seed=7, cards=2, offers=0.5, checks=False)
GAMES, PART = 26, 10
FIRST = ("simulate", "--game", GAME, "--players", "2", "--no-checks", "--json")


def play(
    folder: Path, workforce: Workforce, kind: str = "jsonl", games: int = GAMES, plan: Plan = PLAN
) -> Totals:
    rows, totals = RowsFolder(folder, plan, kind, PART), Totals()
    rows.prepare()
    run(plan, games, totals, workforce, rows)
    return totals


def play_here(folder: Path, kind: str = "jsonl", games: int = GAMES) -> Totals:
    with processes(1) as workforce:
        return play(folder, workforce, kind, games)


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


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask cluster of this machine with two workers, each a process."""
    with two_workers() as address:
        yield address


def test_two_processes_leave_the_rows_of_one(whole: Path, tmp_path: Path) -> None:
    with processes(2) as workforce:
        totals = play(tmp_path / "two", workforce)
    assert files(tmp_path / "two") == files(whole)
    assert (totals.games, totals.resumed, sum(totals.ended.values())) == (GAMES, 0, GAMES)


def test_two_workers_of_a_cluster_leave_the_rows_of_one_process(
    whole: Path, tmp_path: Path, scheduler: str
) -> None:
    with cluster(scheduler) as workforce:
        play(tmp_path / "dask", workforce)
    assert files(tmp_path / "dask") == files(whole)
    told = command(*FIRST, "--games", "6", "--dask", scheduler)
    here = command(*FIRST, "--games", "6")
    assert told.exit_code == here.exit_code == 0
    rows = [msgspec.json.decode(each.stdout) for each in (told, here)]
    assert rows[0]["events"] == rows[1]["events"]


def test_a_worker_with_other_rules_is_refused_by_name(scheduler: str) -> None:
    def give(rules: str) -> None:
        from companion.simulation import workforce

        vars(workforce)["RULES_VERSION"] = rules

    with Client(scheduler, set_as_default=False) as client:
        worker = max(client.nthreads())
        client.run(give, "0", workers=[worker])
        try:
            result = command(*FIRST, "--games", "1", "--dask", scheduler)
        finally:
            client.run(give, RULES_VERSION, workers=[worker])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"The worker {worker} has ")
    assert "rules 0," in result.stderr


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


@pytest.fixture(scope="module")
def parquet_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows") / "parquet"
    play_here(folder, "parquet")
    return folder


def test_duckdb_reads_both_kinds_alike(whole: Path, parquet_folder: Path) -> None:
    select = "SELECT number, digest, ended, unnest(seats) AS it FROM"
    found = [
        duckdb.sql(
            f"SELECT * FROM ({select} '{folder}/games-*.{kind}') ORDER BY number, it.seat"
        ).fetchall()
        for folder, kind in ((whole, "jsonl"), (parquet_folder, "parquet"))
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 2 * GAMES


def test_parquet_holds_the_same_rows_and_says_the_version_of_its_columns(
    whole: Path, parquet_folder: Path, tmp_path: Path
) -> None:
    import pyarrow.parquet

    with processes(2) as workforce:
        play(tmp_path / "two", workforce, "parquet")
    assert files(parquet_folder) == files(tmp_path / "two")
    table = pyarrow.parquet.read_table(parquet_folder / "games-0000000000.parquet")
    assert table.schema.metadata[b"monster-table.form"] == b"1"
    assert tuple(table.schema.names) == SimulatedGame.__struct_fields__
    parquet = RowsFolder(parquet_folder, PLAN, "parquet", PART)
    assert parquet.read(10, 20) == RowsFolder(whole, PLAN, "jsonl", PART).read(10, 20)


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


def test_a_damaged_parquet_part_is_played_again(parquet_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    shutil.copytree(parquet_folder, folder)
    part = sorted(folder.glob("*.parquet"))[0]
    right = part.read_bytes()
    refused = 0
    for start in range(4, len(right) - 160, len(right) // 40):
        flipped = bytes(byte ^ 0xFF for byte in right[start : start + 160])
        part.write_bytes(right[:start] + flipped + right[start + 160 :])
        refused += RowsFolder(folder, PLAN, "parquet", PART).read(0, PART) is None
    assert refused >= 10
    part.write_bytes(right[: len(right) // 2])
    assert play_here(folder, "parquet").resumed == GAMES - PART
    assert part.read_bytes() == right


def test_a_longer_run_keeps_what_is_there(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "longer"
    assert play_here(folder, games=15).games == 15
    assert play_here(folder).resumed == PART  # the second part was not whole
    assert files(folder) == files(whole)


class Breaking(Executor):
    """Plays, and reports game 13 as broken."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        rows = [
            replace(row, broken=("odd",), ended="broken") if row.number == 13 else row
            for row in fn(*args, **kwargs)
        ]
        done: Future[Any] = Future()
        done.set_result(tuple(rows))
        return done


def test_it_stops_after_the_first_broken_game_and_keeps_its_row(tmp_path: Path) -> None:
    totals = play(tmp_path / "broken", Workforce(Breaking(), 3))
    assert totals.games == 14
    assert [text.partition(",")[0] for text in totals.broken] == ["game 13"]
    (_, second) = sorted((tmp_path / "broken").glob("games-*"))
    last = second.read_bytes().splitlines()[-1]
    assert msgspec.json.decode(last)["broken"] == ["odd"]


@pytest.mark.parametrize(
    "change", [{"seed": 8}, {"players": 3}, {"cards": 1}, {"checks": True}, {"offers": 0.4}]
)
def test_rows_of_other_games_are_refused_and_left_as_they_are(
    change: dict[str, Any], whole: Path
) -> None:
    before = files(whole)
    with pytest.raises(SimulationError, match="other_rows"):
        RowsFolder(whole, replace(PLAN, **change), "jsonl", PART).prepare()
    with pytest.raises(SimulationError, match="other_rows"):
        RowsFolder(whole, PLAN, "parquet", PART).prepare()
    assert files(whole) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--jobs", "257"), "--jobs"),
        (("--games", "100000001"), "--games"),
        (("--seed", str(2**63)), "--seed"),
        (("--dask", "127.0.0.1"), "needs the address of a scheduler"),
        (("--dask", "tcp://127.0.0.1:70000"), "needs the address of a scheduler"),
        (("--dask", "ssh://127.0.0.1:22"), "needs the address of a scheduler"),
        (("--rows", "{folder}/a-file"), "a-file is a file"),
    ],
)
def test_wrong_usage_is_one_line(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("mine")
    result = command(*FIRST, "--games", "1", *(w.format(folder=tmp_path) for w in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a-file"]


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [
        (("--rows", "{folder}", "--as", "parquet"), "pyarrow.parquet", "monster-table[parquet]"),
        (("--dask", "tcp://127.0.0.1:1"), "distributed", "monster-table[dask]"),
    ],
)
def test_without_its_extra_it_says_what_to_install(
    words: tuple[str, ...],
    package: str,
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    result = command(*FIRST, "--games", "1", *(w.format(folder=tmp_path) for w in words))
    assert (result.exit_code, [*tmp_path.iterdir()]) == (2, [])
    assert extra in result.stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_no_half_part_and_no_process(
    stop: signal.Signals, tmp_path: Path
) -> None:
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
            running.send_signal(stop)
            out, err = running.communicate(timeout=WITHIN_S)
        finally:
            running.kill()
    assert (running.returncode, out) == (1, "")
    assert err.startswith("Stopped after ")
    assert len(err.splitlines()) == 1
    assert [path.name for path in folder.iterdir()] == ["plan.json"]
    wait_until(lambda: not any(Path(f"/proc/{child}").exists() for child in mine))
