"""The cards as a whole: each card is short, and has tests of its own."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import get_args

import pytest

from companion.engine import RULESETS, games
from companion.engine.abilities import Ability, Instead, Modifies, Offers, Whenever
from tests.engine.tables import NEW_YORK, TOKYO

HERE = Path(__file__).parent
GAMES = Path(games.__file__).parent
MODULES = {NEW_YORK: "new_york", TOKYO: "tokyo"}

LEAST_TESTS = 3
MOST_LINES = 28
"""About 25; how a long call is laid out decides the rest."""
MEDIAN_LINES = 6
MANY = 10

Scope = Mapping[str, ast.stmt]


# -- what a name stands for in a source file ------------------------------------------------------


def defined(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """The names that these statements define, tests left out."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {each.id: node for each in targets if isinstance(each, ast.Name)}
    return found


def reached(nodes: list[ast.AST], scope: Scope) -> Iterator[ast.AST]:
    """These nodes and all that they name in this scope, each once."""
    waiting, seen = list(nodes), set[str]()
    while waiting:
        node = waiting.pop()
        yield node
        for part in ast.walk(node):
            name = str(getattr(part, "id", "") or getattr(part, "attr", ""))
            if name in scope and name not in seen:
                seen.add(name)
                waiting.append(scope[name])


# -- tests ----------------------------------------------------------------------------------------


def mentioned(body: list[ast.stmt], scope: Scope, marks: list[ast.expr]) -> Iterator[set[str]]:
    """For each test, the strings that it, its marks, its tables and its helpers mention."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            inner = {**scope, **defined(node.body)}
            yield from mentioned(node.body, inner, [*marks, *node.decorator_list])
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            nodes = (ast.walk(part) for part in reached([node, *marks], scope))
            yield {
                part.value
                for parts in nodes
                for part in parts
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            }


def counted(game: str) -> Counter[str]:
    """How many tests mention each card of this game; the one that buys them all is not counted."""
    found: Counter[str] = Counter()
    for path in sorted(HERE.glob(f"test_{MODULES[game]}*.py")):
        module = ast.parse(path.read_text("utf-8"))
        for nodes in mentioned(module.body, defined(module.body), []):
            found.update(nodes & RULESETS[game].cards.keys())
    return found


@pytest.mark.parametrize("game", RULESETS)
def test_every_card_has_three_tests_of_its_own(game: str) -> None:
    found = counted(game)
    cards = RULESETS[game].cards.keys() - set(RULESETS[game].goals)
    assert {card: found[card] for card in cards if found[card] < LEAST_TESTS} == {}


# -- rows -----------------------------------------------------------------------------------------


def lines_of(game: str) -> dict[str, int]:
    """For each card of the usual edition, the lines of its row and of every function of the game's
    cards that it alone needs, and a share of those that it has in common with others."""
    files = sorted((GAMES / MODULES[game]).glob("*.py"))
    texts = [p.read_text("utf-8") for p in files if p.stem not in {"rules", "edition_2016"}]
    module = ast.Module([part for text in texts for part in ast.parse(text).body], [])
    scope = {k: v for k, v in defined(module.body).items() if isinstance(v, ast.FunctionDef)}
    needs = {name: list(reached(nodes, scope)) for name, nodes in rows(game, module).items()}
    users = Counter(
        id(part) for parts in needs.values() for part in {id(p): p for p in parts}.values()
    )
    lines: defaultdict[str, float] = defaultdict(float)
    for name, parts in needs.items():
        for part in parts:
            lines[name] += height(part) / users[id(part)]
    return {name: round(count) for name, count in lines.items()}


def rows(game: str, module: ast.Module) -> dict[str, list[ast.AST]]:
    """Each card's row, with the abilities of the token, condition or tunnel of its name."""
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    found: dict[str, list[ast.AST]] = {}
    for call in calls:
        if getattr(call.func, "id", "") in ("keep", "discard", "goal"):
            found[str(ast.literal_eval(call.args[0]))] = [call]
    return found


def height(node: ast.AST) -> int:
    """The lines of code of a node: its decorators are, what documents it is not."""
    assert isinstance(node, ast.stmt | ast.expr)
    parts = [part for part in ast.walk(node) if isinstance(part, ast.stmt | ast.expr)]
    written = {at for part in parts for at in (part.lineno, part.end_lineno or part.lineno)}
    nodes = (part for part in parts if isinstance(part, ast.FunctionDef))
    words = {
        at
        for part in (each.body[0] for each in nodes if ast.get_docstring(each) is not None)
        for at in range(part.lineno, (part.end_lineno or part.lineno) + 1)
    }
    return len(written - words)


@pytest.mark.parametrize("game", RULESETS)
def test_every_card_is_short(game: str) -> None:
    lines = lines_of(game)
    assert lines.keys() == RULESETS[game].cards.keys()
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}
    assert median(lines.values()) <= MEDIAN_LINES


# -- kinds ----------------------------------------------------------------------------------------


def test_there_are_four_kinds_of_ability_and_none_for_a_single_card() -> None:
    kinds = get_args(Ability)
    assert kinds == (Instead, Whenever, Modifies, Offers)
    used = Counter(
        kind
        for rules in RULESETS.values()
        for card in rules.cards.values()
        for kind in {type(ability) for ability in card.abilities}
    )
    assert all(used[kind] > MANY for kind in kinds), used
