"""What `python -m tests.bench compare` makes of figures."""

from __future__ import annotations

import subprocess

import pytest

from tests.bench import Figure
from tests.bench.compare import ROOT, change, checked_out, compared, interval


@pytest.mark.parametrize(
    ("unit", "before", "after", "percent"),
    [
        ("ms", 10.0, 8.0, 25.0),
        ("ms", 8.0, 10.0, -20.0),
        ("events/s", 100.0, 90.0, -10.0),
        ("games/s", 50.0, 60.0, 20.0),
        ("MB", 2.0, 2.0, 0.0),
        ("ms", 2.0, 0.0, 0.0),
    ],
)
def test_better_is_above_nothing_whatever_the_unit(
    unit: str, before: float, after: float, percent: float
) -> None:
    found = change(Figure("x", before, unit), Figure("x", after, unit))
    assert found == pytest.approx(percent)


@pytest.mark.parametrize(
    ("count", "ranks"), [(1, (1, 1)), (5, (1, 5)), (6, (1, 6)), (15, (4, 12)), (20, (6, 15))]
)
def test_the_interval_is_that_of_the_order_of_so_many(count: int, ranks: tuple[int, int]) -> None:
    """The ranks stand in tables of the sign test; with fewer than six, all values."""
    low, high = interval(range(count, 0, -1))
    assert (low, high) == ranks


def test_a_row_is_slower_only_when_all_of_its_interval_is() -> None:
    old = [{"a": Figure("a", 100, "ms"), "b": Figure("b", 100, "ms")}] * 15
    new = [
        {"a": Figure("a", 110, "ms"), "b": Figure("b", 90 + 2 * n, "ms"), "c": Figure("c", 1, "")}
        for n in range(15)
    ]
    rows = {row.name: row for row in compared(old, new)}
    assert rows.keys() == {"a", "b"}  # what one of both does not measure is not compared
    assert (rows["a"].median_percent, rows["a"].slower) == (-9.1, True)
    assert rows["b"].low < -3 < rows["b"].high
    assert not rows["b"].slower


def test_the_other_commit_lies_beside_this_one_and_is_gone_afterwards() -> None:
    with checked_out("HEAD") as tree:
        assert (tree / "tests" / "bench" / "__init__.py").is_file()
        assert tree != ROOT
    assert not tree.exists()
    done = subprocess.run(
        ("git", "worktree", "list"), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert str(tree) not in done.stdout


def test_a_commit_that_there_is_not_is_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.bench.__main__ import main

    assert main(["compare", "nosuchcommit"]) == 2
    assert "nosuchcommit" in capsys.readouterr().err
