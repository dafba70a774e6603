"""`python -m tests.pairs`: count the pairs of cards that can meet and those with a test; play the
others at random, rotated and exchanged.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from companion.engine import RULESETS
from tests.engine.tables import TOKYO
from tests.pairs.meetings import has_test, meetings
from tests.pairs.play import Played, exchanged, rotated


def main(arguments: Sequence[str]) -> int:
    """Print the counts and differences; return the exit status: 0 if there are none."""
    options = parser().parse_args(arguments)
    for game, rules in RULESETS.items():
        found = meetings(rules)
        tested = sum(has_test(rules, pair) for pair in found)
        print(f"{game}: {len(found)} pairs can meet, {tested} have a test", flush=True)
    faults = 0
    for game in RULESETS:
        faults += printed(
            f"rotation {game}", rotated(game, options.positions, options.seed), options
        )
    faults += printed(f"exchange {TOKYO}", exchanged(options.positions, options.seed), options)
    return 1 if faults else 0


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
    made.add_argument("--positions", type=int, default=10_000, help="compared of each kind")
    made.add_argument("--seed", type=int, default=1, help="of the draw")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
