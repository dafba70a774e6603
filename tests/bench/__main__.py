"""`python -m tests.bench [WORD…]`: every benchmark, or those whose names hold one of the words.

`python -m tests.bench compare COMMIT [WORD…]`: the same of another commit beside this tree.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import msgspec

from tests.bench import compare


def main(words: list[str]) -> int:
    """Print each figure as soon as it is measured; return the exit status."""
    if words[:1] == ["compare"]:
        return compare.main(words[1:])
    names = sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    wanted = [name for name in names if not words or any(word in name for word in words)]
    if not wanted:
        print(f"No benchmark is called {' or '.join(words)}: {', '.join(names)}", file=sys.stderr)
        return 2
    for name in wanted:
        for figure in import_module(f"tests.bench.{name}").figures():
            print(msgspec.json.encode(figure).decode(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
