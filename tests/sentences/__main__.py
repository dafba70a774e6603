"""`python -m tests.sentences --games 100`: random games of both boxes; every event must yield its
sentence in every language, no key missing and no gap empty.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from companion.engine import RULESETS
from tests.sentences.play import Heard, play


def main(arguments: Sequence[str]) -> int:
    """Play and read; print counts, some sentences, and what could not be read; 1 if anything."""
    made = argparse.ArgumentParser(prog="python -m tests.sentences", description=__doc__)
    made.add_argument("--games", type=int, default=100, help="how many, both boxes in turn")
    made.add_argument("--first", type=int, default=0, help="seed of the first game")
    made.add_argument("--aloud", type=int, default=5, help="how many sentences to print")
    wanted = made.parse_args(arguments)
    boxes, heard = sorted(RULESETS), Heard()
    for seed in range(wanted.first, wanted.first + wanted.games):
        play(boxes[seed % len(boxes)], seed, heard)
        print(f"game {seed}: {heard.events} events", file=sys.stderr, flush=True)
    print(
        f"{wanted.games} games, {heard.events} events, {heard.sentences} sentences of "
        f"{len(heard.keys)} keys in every language: {len(heard.faults)} cannot be read"
    )
    longest = sorted(heard.examples, key=lambda key: heard.examples[key], reverse=True)
    for key in longest[: wanted.aloud]:
        print(key, *heard.examples[key][1], sep="\n  ")
    print(*heard.faults[:20], sep="\n")
    return 1 if heard.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
