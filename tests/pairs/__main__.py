"""`python -m tests.pairs`: count the pairs of cards that can meet and those with a test; play the
others at random, rotated and exchanged.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence

from companion.engine import RULESETS
from tests.engine.tables import TOKYO
from tests.pairs.meetings import Meeting, meetings
from tests.pairs.play import Played, exchanged, rotated


def main(arguments: Sequence[str]) -> int:
    """Print the counts, or the table, and differences; return the exit status: 0 if there
    are none.
    """
    options = parser().parse_args(arguments)
    found = {game: meetings(rules) for game, rules in RULESETS.items()}
    if options.table:
        table(found)
        return 0
    for game, met in found.items():
        tested = sum(bool(meeting.test) for meeting in met)
        print(f"{game}: {len(met)} pairs can meet, {tested} have a test", flush=True)
    faults = 0
    for game in RULESETS if options.positions else ():
        faults += printed(
            f"rotation {game}", rotated(game, options.positions, options.seed), options
        )
    if options.positions:
        faults += printed(f"exchange {TOKYO}", exchanged(options.positions, options.seed), options)
    return 1 if faults else 0


def table(found: dict[str, tuple[Meeting, ...]]) -> None:
    """Print each pair that can meet as a CSV row: what it meets in, and its test."""
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(("game", "card", "other", "over", "test"))
    for game, met in found.items():
        rows.writerows((game, *one.pair, " ".join(one.over), one.test) for one in met)


def printed(what: str, played: Played, options: argparse.Namespace) -> int:
    """Print what was compared and each difference; return how many there are."""
    print(
        f"{what}: {played.compared} positions, {played.passed_over} not drawn, "
        f"{len(played.faults)} differences (seed {options.seed})",
        *played.faults,
        sep="\n  ",
        flush=True,
    )
    return len(played.faults)


def parser() -> argparse.ArgumentParser:
    """The command-line options."""
    made = argparse.ArgumentParser(prog="python -m tests.pairs", description=__doc__)
    made.add_argument("--positions", type=int, default=10_000, help="compared of each kind; or 0")
    made.add_argument("--seed", type=int, default=1, help="of the draw")
    made.add_argument("--table", action="store_true", help="the pairs as CSV, nothing is played")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
