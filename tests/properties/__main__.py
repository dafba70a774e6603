"""`python -m tests.properties --steps 200000`: legal play by drawn decisions, for as many steps as
given.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import seed

from companion.table import Table
from companion.table.log import EventLog
from tests.properties.legal_play import EVENTS, Played, property_of


def main(arguments: Sequence[str]) -> int:
    """Play until so many events have happened; print how many, and raise what broke."""
    made = argparse.ArgumentParser(prog="python -m tests.properties", description=__doc__)
    made.add_argument("--steps", type=int, default=200_000, help="events that must have happened")
    made.add_argument("--seed", type=int, default=1, help="of the first batch of games")
    wanted = made.parse_args(arguments)
    played, batch = Played(), wanted.seed
    with TemporaryDirectory() as folder:
        table = Table(EventLog(Path(folder)))
        while played.events < wanted.steps:
            missing = wanted.steps - played.events
            examples = max(1, min(100, missing // EVENTS))
            seed(batch)(property_of(examples, played, table, derandomize=False))()
            batch += 1
            print(f"{played.events} of {wanted.steps} events", file=sys.stderr, flush=True)
        table.close()
    print(
        f"{played.events} events in {played.games} games, {played.refused} refused, "
        f"{played.undone} times undone and redone: every promise kept"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
