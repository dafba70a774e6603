"""The mutations: each finds the text it changes, every clause has one; `make breaks` makes them."""

from __future__ import annotations

import ast
import builtins

import pytest

from tests.break_clauses import CLAUSES, every
from tests.breaks.changes import changed_files, unbroken
from tools.clauses import clauses_with_a_test, clauses_written

EVERY = every()


@pytest.mark.parametrize("name", EVERY)
def test_what_it_changes_stands_there_once_and_becomes_something_else(name: str) -> None:
    changed = changed_files(EVERY[name][0])
    assert changed
    for path, text in changed.items():
        assert text != unbroken()[path]
        # A module that cannot be imported turns no test red: none of them is run.
        assert _unbound(text) == set(), path


def _unbound(text: str) -> set[str]:
    """Names that a module reads and nowhere binds."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    defined = (ast.FunctionDef, ast.ClassDef)
    bound = {node.name for node in nodes if isinstance(node, defined)} | set(dir(builtins))
    bound |= {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {(one.asname or one.name).split(".")[0] for one in nodes if isinstance(one, ast.alias)}
    named = (ast.MatchAs, ast.ExceptHandler)
    bound |= {node.name for node in nodes if isinstance(node, named) and node.name}
    return {name.id for name in names if isinstance(name.ctx, ast.Load)} - bound


def test_every_clause_with_a_test_can_be_broken() -> None:
    numbered = {clause.id for clause in clauses_written().values() if clause.numbered}
    assert numbered & clauses_with_a_test().keys() - CLAUSES.keys() == set()
    assert CLAUSES.keys() - clauses_written().keys() == set()


def test_the_tests_of_every_rule_are_found() -> None:
    assert [name for name, (_, tests) in EVERY.items() if not tests] == []
