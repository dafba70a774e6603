"""`python -m tests.bench compare COMMIT [WORD…]`: compare another commit's benchmarks with this
tree's.

The other commit is checked out beside this tree by git and removed afterwards; both run this tree's
benchmarks in this environment, in turns. The change of each figure is computed within each pair of
runs, so that other work on the machine affects both; printed are its median and the interval that
holds the true median with a probability of 95 %.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from math import comb
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import msgspec

from tests.bench import Figure

ROOT = Path(__file__).parent.parent.parent
BENCHMARKS = Path("tests") / "bench"
BUILT = (Path("webui") / "dist", Path(".venv-chess"))
"""What git does not hold and benchmarks need."""
PAIRS = 15
MISSED = 0.05
"""How likely the interval does not hold the true median, at most."""
TOLERATED = -3.0
"""Percent: a row whose whole interval lies below has become slower."""
MORE_IS_BETTER = "/s"
"""How the unit of such a figure ends; of all others less is better."""


class Row(msgspec.Struct, frozen=True):
    """The change of one figure, in percent of before; above 0 it is better now."""

    name: str
    median_percent: float
    low: float
    high: float
    pairs: int
    slower: bool


def main(arguments: Sequence[str]) -> int:
    """Print a JSON object for each row; return the exit status: 1 if one has become slower, 2
    if the benchmarks could not be run.
    """
    options = parser().parse_args(arguments)
    runs: dict[str, list[dict[str, Figure]]] = {"old": [], "new": []}
    try:
        with checked_out(options.commit) as old:
            trees = {"old": old, "new": ROOT}
            for number in range(options.pairs):
                for which in ("old", "new") if number % 2 else ("new", "old"):
                    runs[which].append(measured(trees[which], options.word))
                print(f"{number + 1} of {options.pairs} pairs", file=sys.stderr, flush=True)
    except subprocess.CalledProcessError as failed:
        print(failed.stderr.strip() or failed, file=sys.stderr)
        return 2
    rows = tuple(compared(runs["old"], runs["new"]))
    for row in rows:
        print(msgspec.json.encode(row).decode(), flush=True)
    return 1 if any(row.slower for row in rows) else 0


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Make a folder with the tree of that commit, with this tree's benchmarks, and with what was
    built here."""
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--detach", str(tree), commit)
        try:
            copytree(ROOT / BENCHMARKS, tree / BENCHMARKS, dirs_exist_ok=True)
            for built in BUILT:
                if (ROOT / built).exists() and not (tree / built).exists():
                    (tree / built).symlink_to(ROOT / built)
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=ROOT, check=True, capture_output=True, text=True)


def measured(tree: Path, words: Sequence[str]) -> dict[str, Figure]:
    """Run the benchmarks in a tree and return the figures by their names."""
    done = subprocess.run(
        (sys.executable, "-P", "-m", "tests.bench", *words),
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        check=True,
        capture_output=True,
        text=True,
    )
    figures = (msgspec.json.decode(line, type=Figure) for line in done.stdout.splitlines())
    return {figure.name: figure for figure in figures}


def compared(
    old: Sequence[Mapping[str, Figure]], new: Sequence[Mapping[str, Figure]]
) -> Iterator[Row]:
    """Return a row for each figure that all runs have."""
    shared = [name for name in new[0] if all(name in run for run in (*old, *new))]
    for name in shared:
        pairs = zip((run[name] for run in old), (run[name] for run in new), strict=True)
        changes = sorted(change(before, after) for before, after in pairs)
        low, high = interval(changes)
        yield Row(
            name,
            round(statistics.median(changes), 1),
            round(low, 1),
            round(high, 1),
            len(changes),
            slower=high < TOLERATED,
        )


def change(before: Figure, after: Figure) -> float:
    """Return how much better a figure is, in percent; 0 if there is nothing to compare."""
    worse, better = before.value, after.value
    if not before.unit.endswith(MORE_IS_BETTER):
        worse, better = better, worse
    return 100 * (better / worse - 1) if worse else 0.0


def interval(changes: Iterable[float]) -> tuple[float, float]:
    """Return the smallest interval between two of the values, equally far from both ends, that
    misses the median of their distribution with a probability of at most 5 %.
    """
    values = sorted(changes)
    n = len(values)
    below = accumulate(comb(n, k) / 2**n for k in range(n))
    cuts = (at for at, chance in enumerate(below) if 2 * chance <= MISSED and 2 * at < n)
    cut = max(cuts, default=0)
    return values[cut], values[n - 1 - cut]


def parser() -> argparse.ArgumentParser:
    """The command-line options."""
    made = argparse.ArgumentParser(prog="python -m tests.bench compare", description=__doc__)
    made.add_argument("commit", help="the other one")
    made.add_argument("word", nargs="*", help="only benchmarks whose names hold one of these")
    made.add_argument("--pairs", type=int, default=PAIRS, help="runs of each, taking turns")
    return made
