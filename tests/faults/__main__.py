"""`python -m tests.faults [--long] [--json] [WORD…]`: inject all faults, or those named with a
word.

Prints a line for each: target, observation, verdict. Exit status 1 where one was not survived; a
time that was missed counts only in a long run.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module

import msgspec

from tests.faults import Effort, Fault, Line, Outcome

MODULES = (
    "phones",
    "commands",
    "rules",
    "reopening",
    "hostile",
    "forms",
    "camera",
)
FAILED, SLOW = "FAILED", "slow"


def main(arguments: Sequence[str]) -> int:
    """Inject the selected faults; return the exit status."""
    made = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    made.add_argument("--long", action="store_true", help="full counts; times count as well")
    made.add_argument("--json", action="store_true", help="one JSON object a line")
    made.add_argument("words", nargs="*", help="only faults with one of these words in their name")
    wanted = made.parse_args(arguments)
    effort, lines = Effort(long=wanted.long), []
    for fault in _faults(effort, wanted.words):
        lines.append(_injected(fault, effort))
        print(_written(lines[-1], as_json=wanted.json), flush=True)
    if not lines:
        print(f"No fault is named with {' or '.join(wanted.words)}.", file=sys.stderr)
        return 2
    failed = sum(line.verdict == FAILED for line in lines)
    print(f"{len(lines)} faults, {failed} not survived", file=sys.stderr)
    return 1 if failed else 0


def _faults(effort: Effort, words: Sequence[str]) -> Iterator[Fault]:
    for name in MODULES:
        for fault in import_module(f"tests.faults.{name}").faults(effort):
            if not words or any(word in fault.name for word in words):
                yield fault


def _injected(fault: Fault, effort: Effort) -> Line:
    """Inject one fault; an exception becomes a line, and the other faults are injected
    all the same.
    """
    if fault.inject is None:
        return Line(fault.name, fault.target, "needs a Raspberry Pi", "not run")
    began = time.monotonic()
    try:
        outcome = fault.inject()
    except Exception as broken:
        traceback.print_exc()
        outcome = Outcome(f"{type(broken).__name__}: {broken}"[:200], ok=False)
    took_s = round(time.monotonic() - began, 1)
    return Line(fault.name, fault.target, outcome.seen, _verdict(outcome, effort), took_s)


def _verdict(outcome: Outcome, effort: Effort) -> str:
    if not outcome.ok:
        return FAILED
    if outcome.timely is False:
        return FAILED if effort.long else SLOW
    return "ok"


def _written(line: Line, *, as_json: bool) -> str:
    if as_json:
        return msgspec.json.encode(line).decode()
    return f"{line.verdict:7} {line.fault}: {line.seen} (target: {line.target}; {line.took_s} s)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
