"""Mutation tests: rules broken on purpose: `python -m tests.break_clauses --seed 7 --count 30`.

Each clause or rule of the kernel that is drawn is broken in a copy of the package, and the tests
that name it are run there: they must fail. Before that, the same tests must pass on an unbroken
copy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from tests.breaks import kernel, new_york, tokyo
from tests.breaks.changes import Break, Colour, colour
from tools.clauses import naming

CLAUSES: Mapping[str, Break] = {**new_york.CLAUSES, **tokyo.CLAUSES}


Wanted = Mapping[str, tuple[Break, Sequence[str]]]
"""How each rule is broken, and the tests that must turn red, by its name."""


def every() -> Wanted:
    """Return all rules that can be broken."""
    tests = naming()
    clauses = {name: (broken, tests.get(name, ())) for name, broken in CLAUSES.items()}
    return clauses | {rule: (broken, (test,)) for rule, (broken, test) in kernel.RULES.items()}


def surviving(wanted: Wanted) -> Iterator[str]:
    """Return the rules whose tests do not fail when they are broken; print each as it is tried."""
    for name, (broken, tests) in wanted.items():
        came = colour(tests, broken) if tests else Colour.NONE
        first = broken[0]
        print(
            f"{name:9} {came:5} {len(tests):3} tests  {first.where}: {shown(first.old)}", flush=True
        )
        if came is not Colour.RED:
            yield name


def shown(text: str) -> str:
    """Return the first line of a text, cut to the width of a line."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 60 else line[:57] + "..."


def main(arguments: Sequence[str]) -> int:
    """Print what was tried and what survived; return the exit status: 0 if nothing did."""
    options = parser().parse_args(arguments)
    rules = every()
    count = min(options.count, len(rules))
    names = options.rule or Random(options.seed).sample(sorted(rules), count)
    wanted = {name: rules[name] for name in names}
    together = sorted({test for _, tests in wanted.values() for test in tests})
    unbroken = colour(together)
    print(f"unbroken  {unbroken:5} {len(together):3} tests")
    survived = list(surviving(wanted))
    print(f"{len(wanted) - len(survived)} of {len(wanted)} turn their tests red", *survived)
    return 1 if survived or unbroken is not Colour.GREEN else 0


def parser() -> argparse.ArgumentParser:
    """The command-line options."""
    made = argparse.ArgumentParser(prog="python -m tests.break_clauses", description=__doc__)
    made.add_argument("rule", nargs="*", help="these clauses or rules instead of drawn ones")
    made.add_argument("--seed", type=int, default=1, help="of the draw")
    made.add_argument("--count", type=int, default=30, help="how many are drawn")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
