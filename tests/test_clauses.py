"""The clause files are what the code and the questions on the phones refer to."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.engine import RULESETS
from companion.service.clauses import RULEBOOKS, clause_text, clauses, read
from tools.clauses import named_by

ENGINE = Path(__file__).parent.parent / "companion" / "engine"
SOURCES = sorted(ENGINE.rglob("*.py"))
BOOKS = {"new_york": "NY", "tokyo": "TK"}

REFERENCE = re.compile(r"\b(?:(?:NY|TK)-[A-Z]?\d+(?:\.\d+)?|[A-J]\d{1,2})\b")
RANGE = re.compile(r"\b((?:NY|TK)-\d+)\.(\d+)–(?:(?:(?:NY|TK)-)?\d+\.)?(\d+)\b")


def sections() -> set[str]:
    """Every heading with a number: NY-13."""
    text = "\n".join(path.read_text("utf-8") for path in RULEBOOKS.glob("*.md"))
    return set(re.findall(r"^## ((?:NY|TK)-\d+) ", text, re.MULTILINE))


def references(text: str) -> set[str]:
    """The clauses that prose speaks of; of a range, each one."""
    between = {
        f"{section}.{number}"
        for section, first, last in RANGE.findall(text)
        for number in range(int(first), int(last) + 1)
    }
    return between | set(REFERENCE.findall(text))


def docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def clauses_of_choices(tree: ast.Module) -> Iterator[str]:
    """The clause that each `Choice(...)` in this module gives, where it gives one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Choice":
            given = [word.value for word in node.keywords if word.arg == "clause"]
            for value in (*given, *node.args[4:5]):
                if isinstance(value, ast.Constant):
                    yield str(value.value)


def order_of(clause: str) -> tuple[int, ...]:
    """NY-13.10 comes after NY-13.9."""
    return tuple(int(number) for number in re.findall(r"\d+", clause))


@pytest.mark.parametrize("book", BOOKS)
def test_every_item_of_a_rulebook_is_a_clause(book: str) -> None:
    lines = (RULEBOOKS / f"{book}.md").read_text("utf-8").splitlines()
    items = [line for line in lines if line.startswith("- ")]
    written = [clause for clause in read(RULEBOOKS) if clause.book == book]
    assert [f"- {c.id} [{c.status}] {c.text}" for c in written] == items


def test_no_two_clauses_share_an_id() -> None:
    assert [name for name, n in Counter(c.id for c in read(RULEBOOKS)).items() if n > 1] == []


@pytest.mark.parametrize(("book", "prefix"), BOOKS.items())
def test_clauses_stand_in_order_under_their_headings(book: str, prefix: str) -> None:
    numbered = [c.id for c in read(RULEBOOKS) if c.book == book and c.numbered]
    assert all(name.startswith(f"{prefix}-") for name in numbered)
    assert numbered == sorted(numbered, key=order_of)
    assert {name.partition(".")[0] for name in numbered} <= sections()


@pytest.mark.parametrize(("book", "prefix"), BOOKS.items())
def test_no_number_is_left_out(book: str, prefix: str) -> None:
    last: dict[str, int] = {}
    for clause in read(RULEBOOKS):
        if clause.book == book and clause.numbered:
            section, _, number = clause.id.partition(".")
            assert int(number) == last.get(section, 0) + 1, clause.id
            last[section] = int(number)
    assert [order_of(section)[0] for section in last] == list(range(1, len(last) + 1))


def test_each_game_has_a_rulebook() -> None:
    assert {rules.name.replace("-", "_") for rules in RULESETS.values()} == set(BOOKS)


def test_clauses_refer_to_clauses_that_exist() -> None:
    known = {*clauses(), *sections()}
    lost = {c.id: references(c.text) - known for c in read(RULEBOOKS)}
    assert {name: names for name, names in lost.items() if names} == {}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_engine_carries_out_clauses_that_exist(path: Path) -> None:
    known = {*clauses(), *sections()}
    text = "\n".join(docstrings(ast.parse(path.read_text("utf-8"))))
    assert references(text) - known == set()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_a_question_cites_a_clause_that_exists(path: Path) -> None:
    given = set(clauses_of_choices(ast.parse(path.read_text("utf-8"))))
    assert {name for name in given - {""} if clause_text(name) is None} == set()


def test_questions_do_cite_clauses() -> None:
    given = [name for path in SOURCES for name in clauses_of_choices(ast.parse(path.read_text()))]
    assert len(given) >= 9


def test_a_clause_is_told_by_its_id() -> None:
    assert "20 stars" in (clause_text("NY-17.2") or "")
    assert clause_text("NY-99.9") is None
    assert clause_text("") is None


def test_a_mark_is_found_where_it_stands() -> None:
    module = ast.parse('import pytest\n@pytest.mark.clause("NY-1.1", "TK-1.1")\ndef test(): ...\n')
    assert list(named_by(module)) == [("NY-1.1", 2), ("TK-1.1", 2)]
