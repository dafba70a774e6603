"""List the rulebook clauses that no test names: `python -m tools.clauses`.

Clauses are the numbered lines of `companion/engine/games/*/rules.md`; a test names one by
`@pytest.mark.clause("NY-13.3")`.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from companion.service.views.words import Clause, clauses

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"


def clauses_written() -> Mapping[str, Clause]:
    """Return every clause of the rulebooks by its id, in their order; decisions included."""
    return clauses()


def clauses_with_a_test(folder: Path = TESTS) -> dict[str, str]:
    """Return the clauses that tests name, each with the first place that does."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        for name, line in named_by(ast.parse(path.read_text("utf-8"))):
            found.setdefault(name, f"{path.relative_to(folder)}:{line}")
    return found


def naming(folder: Path = TESTS) -> dict[str, tuple[str, ...]]:
    """Return the tests that name each clause, as pytest calls them, in the order of their files."""
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        here = path.relative_to(folder.parent).as_posix()
        for clause, name in _marked(ast.parse(path.read_text("utf-8"))):
            found[clause] = (*found.get(clause, ()), f"{here}::{name}")
    return found


def _marked(scope: ast.Module | ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yields each clause that a mark in this scope names, with the marked function or class."""
    for node in scope.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            marks = ast.Module([ast.Expr(mark) for mark in node.decorator_list], [])
            here = dict.fromkeys(clause for clause, _ in named_by(marks))
            yield from ((clause, node.name) for clause in here)
            if isinstance(node, ast.ClassDef):
                within = ((clause, f"{node.name}::{name}") for clause, name in _marked(node))
                yield from (each for each in within if each[0] not in here)


def named_by(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yields the clauses that marks of this module name, with their lines."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "clause":
            for argument in node.args:
                yield str(ast.literal_eval(argument)), argument.lineno


def main() -> int:
    """Print the clauses without a test, and how many of each status have one; return the exit
    status.
    """
    tested = clauses_with_a_test()
    counted = [clause for clause in clauses_written().values() if clause.numbered]
    for clause in counted:
        if clause.id not in tested:
            print(f"{clause.id:9} [{clause.status}] {clause.text}")
    all_of = Counter(clause.status for clause in counted)
    with_test = Counter(clause.status for clause in counted if clause.id in tested)
    for status, count in all_of.items():
        print(f"[{status}] {with_test[status]} of {count} clauses have a test", file=sys.stderr)
    print(f"{with_test.total()} of {len(counted)} in all", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
