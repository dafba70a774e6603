"""Which rulebook clauses no test names: `python -m tools.clauses`, one a line.

Clauses are the items of `companion/engine/rulesets/*.md`; a test names one by
`@pytest.mark.clause("NY-13.3")`.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULEBOOKS = ROOT / "companion" / "engine" / "rulesets"
TESTS = ROOT / "tests"
ITEM = re.compile(r"^[\s*#|-]*((?:NY|TK)-[A-Z]*\d+(?:\.\d+)?)\b", re.MULTILINE)


def clauses_written(folder: Path = RULEBOOKS) -> tuple[str, ...]:
    """Every clause of the rulebooks, in their order."""
    found = (ITEM.findall(path.read_text("utf-8")) for path in sorted(folder.glob("*.md")))
    return tuple(dict.fromkeys(clause for clauses in found for clause in clauses))


def clauses_with_a_test(folder: Path = TESTS) -> dict[str, str]:
    """The clauses that tests name, each with the first place that does."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "clause":
                for argument in node.args:
                    place = f"{path.name}:{argument.lineno}"
                    found.setdefault(str(ast.literal_eval(argument)), place)
    return found


def main() -> int:
    """Prints the clauses without a test, and how many that is of how many; the exit status."""
    written, tested = clauses_written(), clauses_with_a_test()
    bare = [clause for clause in written if clause not in tested]
    for clause in bare:
        print(clause)
    print(f"{len(bare)} of {len(written)} clauses have no test of their own", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
