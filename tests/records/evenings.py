"""Two games on two evenings, whose exports are kept whole: `python -m tests.records.evenings`
writes them."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from click.testing import CliRunner

from companion.cli import main
from companion.engine import Corrected, Correction, Number, Position, Seat
from companion.records import Names, log_lines, named, read_lines, statistics, tally_of
from companion.records.names import KEY, Merge
from companion.table import (
    GameStarted,
    RefusedError,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    replay_all,
)
from companion.table.database import FILE_NAME, saved_games, saved_rows
from companion.table.log import EventLog
from companion.virtual import random_event

GOLDEN = Path(__file__).parent / "golden"
LOGS = ("g1.jsonl", "g2.jsonl")
FILES: dict[str, tuple[str, ...]] = {
    "g1.csv": ("export", "g1", "--as", "csv"),
    "g1.bgstats.json": ("export", "g1", "--as", "bgstats"),
    "g1.bgstats.link": ("export", "g1", "--as", "bgstats", "--link"),
    "g2.csv": ("export", "g2", "--as", "csv"),
    "g2.bgstats.json": ("export", "g2", "--as", "bgstats"),
}
"""What each command prints."""
BEGAN = datetime(2026, 3, 6, 19, 30, tzinfo=UTC)
SPELT = Names((Merge("Benni", "Ben"),))


def stored(folder: Path) -> Path:
    """Put the kept logs into a new data folder."""
    with closing(EventLog(folder)) as log:
        for name in LOGS:
            path = GOLDEN / name
            log.append(path.stem, read_lines(path, path.read_bytes().splitlines()))
        log.put_state(KEY, SPELT)
    return folder


def printed(folder: Path, *words: str) -> str:
    """Return what a command prints about the folder."""
    done = CliRunner().invoke(main, [*words, "--data", str(folder)])
    assert done.exit_code == 0, done.stderr
    return done.stdout_bytes.decode()


def summed_up(folder: Path) -> str:
    """Return the statistics of the folder's games, as JSON."""
    log = folder / FILE_NAME
    tallies = (tally_of(game, replay_all(saved_rows(log, game))) for game in saved_games(log))
    found = statistics(named(one, SPELT) for one in tallies if one is not None)
    return msgspec.json.encode(found).decode()


def clock() -> Iterator[datetime]:
    """Yield a moment for each row: two evenings, a week apart."""
    now = BEGAN
    while True:
        yield now
        now += timedelta(seconds=40)


def played(folder: Path) -> None:
    """Play both games at random, until somebody is given the stars to win."""
    times = clock()
    table = Table(EventLog(folder), now=times.__next__)
    seats = ("Ana", "Ben", "Þórdís"), ("Théo", "Benni", "=Ana")
    monsters = ("puffin_rex", "old_scree", "lampmoth")
    chance = random.Random(3)
    for people, game in zip(seats, ("new-york", "tokyo"), strict=True):
        drawn = tuple(SeatSetup(*one) for one in zip(people, monsters, strict=True))
        say(table, TableSet(game, "first", drawn), GameStarted(1))
        finish(table, chance, turns=7)
        for _ in range(9000):
            next(times)
    table.close()


def finish(table: Table, chance: random.Random, turns: int) -> None:
    """Play so many turns; then each active Monster has the stars to win."""
    while (game := table.snapshot().state.game) is not None and game.ended is None:
        given = Correction(Seat(game.turn.active), Number.STARS, 20)
        late = game.turn.number > turns and game.monsters[given.seat].stars < given.value
        event = (
            Corrected(numbers=(given,)) if late else random_event(Position.of(game), chance, 0.2)
        )
        try:
            say(table, event)
        except RefusedError:
            say(table, Position.of(game).legal_events()[0])


def say(table: Table, *events: object) -> None:
    shown = table.snapshot()
    command = f"{shown.game_id}-{shown.rev}-{type(events[0]).__name__}"
    table.submit(Submission(command, shown.rev, events))  # type: ignore[arg-type]


def write() -> None:
    """Write all files; the logs only if there are none, since old rows are never rewritten."""
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if not all((GOLDEN / name).exists() for name in LOGS):
            played(folder)
            for name in LOGS:
                rows = saved_rows(folder / FILE_NAME, Path(name).stem)
                (GOLDEN / name).write_bytes(b"".join(line + b"\n" for line in log_lines(rows)))
            shutil.rmtree(folder)
        stored(folder)
        for name, words in FILES.items():
            (GOLDEN / name).write_text(pretty(name, printed(folder, *words)), newline="")
        name = "statistics.json"
        (GOLDEN / name).write_text(pretty(name, summed_up(folder)))


def pretty(name: str, text: str) -> str:
    """Return JSON with a line for each value, so that a change can be read."""
    if not name.endswith(".json"):
        return text
    return msgspec.json.format(text.encode(), indent=1).decode() + "\n"


if __name__ == "__main__":
    write()
