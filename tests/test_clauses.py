"""The rulebooks: clauses are numbered in order, and every reference to one exists."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.engine import EDITIONS, RULESETS, AnyEffect
from companion.resources import package_text
from companion.service.views.words import Clause, clauses, read_clauses

ENGINE = Path(__file__).parent.parent / "companion" / "engine"
SOURCES = sorted(ENGINE.rglob("*.py"))
BOOKS = {rules.name: rules.prefix for rules in RULESETS.values()}

REFERENCE = re.compile(r"\b(?:(?:NY|TK)-[A-Z]?\d+(?:\.\d+)?|[A-J]\d{1,2})\b")
RANGE = re.compile(r"\b((?:NY|TK)-\d+)\.(\d+)–(?:(?:(?:NY|TK)-)?\d+\.)?(\d+)\b")


def book_text(book: str) -> str:
    rules = RULESETS[book]
    text = package_text(rules.package, rules.rulebook)
    assert text is not None
    return text


def written() -> tuple[Clause, ...]:
    return tuple(clause for rules in RULESETS.values() for clause in read_clauses(rules))


def sections() -> set[str]:
    """Every heading with a number: NY-13."""
    text = "\n".join(map(book_text, BOOKS))
    return set(re.findall(r"^## ((?:NY|TK)-\d+) ", text, re.MULTILINE))


def references(text: str) -> set[str]:
    """Return the clauses that prose refers to; of a range, each one."""
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
    """The clause that each `Choice(...)` in this module gives, if it gives one."""
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
    items = [line for line in book_text(book).splitlines() if line.startswith("- ")]
    assert [f"- {c.id} [{c.status}] {c.text}" for c in read_clauses(RULESETS[book])] == items


def test_no_two_clauses_share_an_id() -> None:
    assert [name for name, n in Counter(c.id for c in written()).items() if n > 1] == []


@pytest.mark.parametrize(("book", "prefix"), BOOKS.items())
def test_clauses_stand_in_order_under_their_headings(book: str, prefix: str) -> None:
    numbered = [c.id for c in read_clauses(RULESETS[book]) if c.numbered]
    assert all(name.startswith(f"{prefix}-") for name in numbered)
    assert numbered == sorted(numbered, key=order_of)
    assert {name.partition(".")[0] for name in numbered} <= sections()


@pytest.mark.parametrize(("book", "prefix"), BOOKS.items())
def test_no_number_is_left_out(book: str, prefix: str) -> None:
    last: dict[str, int] = {}
    for clause in read_clauses(RULESETS[book]):
        if clause.numbered:
            section, _, number = clause.id.partition(".")
            assert int(number) == last.get(section, 0) + 1, clause.id
            last[section] = int(number)
    assert [order_of(section)[0] for section in last] == list(range(1, len(last) + 1))


def test_what_a_ruleset_cites_stands_in_its_own_book() -> None:
    for rules in EDITIONS.values():
        own = {clause.id for clause in read_clauses(rules)}
        assert {clause for clause in rules.clauses.values() if clause not in own} == set()


def test_a_book_without_a_file_or_a_package_has_no_clauses() -> None:
    usual = next(iter(RULESETS.values()))
    for name in ("", "gone.txt"):
        assert read_clauses(replace(usual, rulebook=name)) == ()
    for package in ("", "no_such_package", "no.such.package", "json.decoder", "."):
        assert read_clauses(replace(usual, package=package)) == ()


def test_clauses_refer_to_clauses_that_exist() -> None:
    known = {*clauses(), *sections()}
    lost = {c.id: references(c.text) - known for c in written()}
    assert {name: names for name, names in lost.items() if names} == {}


def test_the_engine_carries_out_and_cites_clauses_that_exist() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in SOURCES]
    text = "\n".join(part for tree in trees for part in docstrings(tree))
    assert references(text) - {*clauses(), *sections()} == set()
    given = {clause for tree in trees for clause in clauses_of_choices(tree)} - {""}
    assert given
    assert given - clauses().keys() == set()


def test_the_clauses_that_abilities_and_effects_name_exist() -> None:
    carriers: list[object] = [*AnyEffect.__args__]
    for rules in EDITIONS.values():
        carriers += rules.abilities
        for table in (rules.tokens, rules.conditions):
            carriers += (ability for abilities in table.values() for ability in abilities)
        carriers += (ability for card in rules.cards.values() for ability in card.abilities)
    named = set[str]()
    for one in carriers:
        clause = one.clause  # type: ignore[attr-defined]
        named |= {clause} if isinstance(clause, str) else set(clause)
    assert len(named) > 60
    assert named - {*clauses(), *sections()} == {""}
