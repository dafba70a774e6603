"""The engine gives the same answers without docstrings and assertions, and with any hash seed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from companion.engine import EDITIONS, AnyEffect
from companion.service.views.words import clauses
from tests.engine.queries import ROOT
from tests.test_clauses import sections

CHECKOUT = ROOT.parent
SOURCES = sorted((CHECKOUT / "companion").rglob("*.py"))
DATA_OF_DOCSTRINGS = {"__doc__", "getdoc", "get_docstring"}
QUERIES = ("-m", "tests.engine.queries")


def printed(*flags: str, hashes: str) -> bytes:
    given = {**os.environ, "PYTHONHASHSEED": hashes, "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, *flags, *QUERIES]
    return subprocess.run(command, check=True, capture_output=True, env=given).stdout


@pytest.fixture(scope="module")
def usual() -> bytes:
    """The answers of a Python that was started as usual."""
    return printed(hashes="1")


def test_all_kinds_of_questions_are_asked(usual: bytes) -> None:
    assert usual.count(b"\n") > 800
    for cited in (
        b'"NY-13.2"',
        b'"TK-9.1"',
        b'"kind":"forgotten"',
        b'"keeps":[{',
        b'"preview"',
    ):
        assert cited in usual


def test_docstrings_and_assertions_are_no_part_of_them(usual: bytes) -> None:
    assert printed("-OO", hashes="1") == usual


def test_the_order_of_hashes_is_no_part_of_them(usual: bytes) -> None:
    assert printed(hashes="2") == usual


def said_or_done(tree: ast.AST) -> list[int]:
    """The lines where a docstring is read, or an assertion does more than ask for a type."""
    found = []
    for node in ast.walk(tree):
        if getattr(node, "attr", getattr(node, "id", "")) in DATA_OF_DOCSTRINGS:
            found.append(node.lineno)  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assert):
            inner = list(ast.walk(node.test))
            calls = {getattr(one.func, "id", "") for one in inner if isinstance(one, ast.Call)}
            if calls - {"isinstance"} or any(isinstance(one, ast.NamedExpr) for one in inner):
                found.append(node.lineno)
    return sorted(found)


def test_no_docstring_is_read_and_no_assertion_does_anything() -> None:
    assert SOURCES
    found = {
        path.relative_to(CHECKOUT).as_posix(): said_or_done(ast.parse(path.read_text("utf-8")))
        for path in SOURCES
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_clauses_that_abilities_and_effects_name_exist() -> None:
    known = {*clauses(), *sections()}
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
    assert named - known == {""}
