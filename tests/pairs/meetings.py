"""Meetings: which pairs of cards can interact, by what they answer, and which have a test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from companion.engine import (
    RULESETS,
    BuyCard,
    Card,
    CardKind,
    CardRevealed,
    Damage,
    DropCard,
    Effect,
    Eliminate,
    LoseHealth,
    Quantity,
    Ruleset,
    StartAgain,
    Token,
)
from companion.engine.authoring import (
    Ability,
    Ask,
    CardArrived,
    CardLeft,
    Instead,
    MarkUsed,
    Modifies,
    Offers,
    ReachedZero,
    ShareHearts,
    TakeCard,
    Whenever,
)
from tests.pairs.drawn import MIMIC, Pair

TESTS = Path(__file__).parent.parent / "engine"
CARDS: Final = re.compile(r"companion\.engine\.(shared\.abilities|games\.\w+\.(?!rules\b)\w+)\b")
"""The modules in which abilities of cards are written."""

OWN = frozenset((Ask, MarkUsed, ShareHearts))
"""A card answers none of these but its own."""
LEADS_TO: Mapping[type[Effect], tuple[type[Effect], ...]] = {
    Damage: (ReachedZero, Eliminate),
    LoseHealth: (ReachedZero, Eliminate),
    Eliminate: (CardLeft,),
    StartAgain: (CardLeft,),
    DropCard: (CardLeft,),
    TakeCard: (CardLeft, CardArrived),
    BuyCard: (CardArrived, CardRevealed),
}
"""What an effect brings about by the rules themselves."""
LOOKS_UP: Mapping[str, tuple[Quantity, ...]] = {
    **{quantity.value: (quantity,) for quantity in Quantity},
    "Roll": (Quantity.ROLL_COST, Quantity.MAY_RETHROW, Quantity.RETHROW_PRICE),
    "RethrowDie": (Quantity.ROLL_COST, Quantity.MAY_RETHROW, Quantity.RETHROW_PRICE),
    "purchase": (Quantity.PRICE, Quantity.MAY_BUY),
    "targets": (Quantity.TARGET,),
    "pay": (Quantity.PURSE,),
    "escapes": (Quantity.TOLL,),
}
"""What a name in the code of an ability looks up."""


def meetings(rules: Ruleset) -> tuple[Pair, ...]:
    """Return every pair of the game's cards that can meet, a card and its copy included."""
    cards = [card for card in rules.cards.values() if card.kind is not CardKind.GOAL]
    copied = any(card.copier for card in cards)
    found = []
    for one, other in combinations_with_replacement(cards, 2):
        if one is other and (not copied or one.copier or one.kind is not CardKind.KEEP):
            continue
        if meet(rules, one, other):
            found.append((one.name, other.name))
    return tuple(found)


def meet(rules: Ruleset, one: Card, other: Card) -> bool:
    """Return whether one answers what the other does, or both answer the same."""
    hears, also = listens(rules, one), listens(rules, other)
    return bool((hears & also) | (hears & does(rules, other)) | (does(rules, one) & also))


@cache
def listens(rules: Ruleset, card: Card) -> frozenset[str]:
    """Return what a card answers: effects, numbers that are looked up, windows."""
    found = set()
    for ability in _abilities(rules, card):
        match ability:
            case Instead(on=on) | Whenever(on=on):
                if on not in OWN and not (on is CardArrived and _is_about_itself(ability)):
                    found.add(on.__name__)
            case Modifies(quantity=quantity):
                found.add(quantity.value)
            case Offers(window=window):
                found.add(f"window {window or 'any'}")
    return frozenset(found)


@cache
def does(rules: Ruleset, card: Card) -> frozenset[str]:
    """Return the effects that a card may cause, and the numbers it looks up."""
    effects: set[type[Effect]] = set()
    numbers: set[str] = set()
    for ability in _abilities(rules, card):
        for function in _reached(ability):
            for name in _names(function.__code__):
                numbers |= {quantity.value for quantity in LOOKS_UP.get(name, ())}
                thing = function.__globals__.get(name)
                if isinstance(thing, type) and issubclass(thing, Effect):
                    effects.add(thing)
    for effect in tuple(effects):
        for led in LEADS_TO.get(effect, ()):
            effects |= {led, *LEADS_TO.get(led, ())}
    return frozenset(numbers | {effect.__name__ for effect in effects - OWN})


def _abilities(rules: Ruleset, card: Card) -> tuple[Ability, ...]:
    """Return the abilities of the card, of its tokens, and of its conditions."""
    found = list(card.abilities)
    for ability in card.abilities:
        for function in _reached(ability):
            for held in _held(function):
                if isinstance(held, Token):
                    found += rules.tokens[held]
                elif isinstance(held, str):
                    found += rules.conditions.get(held, ())
    return tuple(dict.fromkeys(found))


def _reached(ability: Ability) -> Iterator[FunctionType]:
    """Return the functions of an ability, and those of the cards' modules that they call or close
    over.
    """
    waiting: list[object] = list(_functions(ability))
    seen: set[object] = set()
    while waiting:
        function = waiting.pop()
        if not isinstance(function, FunctionType) or function in seen:
            continue
        if not CARDS.match(function.__module__):
            continue
        seen.add(function)
        yield function
        waiting += (function.__globals__.get(name) for name in _names(function.__code__))
        for held in _held(function):
            waiting += held if isinstance(held, tuple) else (held,)


def _held(function: FunctionType) -> Iterator[object]:
    """Return what a function closes over, and the strings in it."""
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    yield from _constants(function.__code__)


def _constants(code: CodeType) -> Iterator[object]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _constants(const)
        else:
            yield const


def _functions(ability: Ability) -> tuple[Any, ...]:
    if isinstance(ability, Modifies):
        return (ability.by,)
    if isinstance(ability, Offers):
        return (ability.available, ability.steps)
    return (ability.steps,)


def _is_about_itself(ability: Ability) -> bool:
    """Return whether it answers only the arrival of its own card."""
    return any(function.__name__ == "arrives" for function in _reached(ability))


def _names(code: CodeType) -> frozenset[str]:
    """Return the names that a function's code and its nested functions use."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return frozenset(code.co_names).union(*map(_names, inner))


# -- tests ----------------------------------------------------------------------------------------


def has_test(rules: Ruleset, pair: Pair) -> bool:
    """Return whether a test names both cards, or a card and the copier."""
    wanted = {*pair, MIMIC} if pair[0] == pair[1] else {*pair}
    return any(wanted <= names for names in _named_by_tests(rules))


@lru_cache(maxsize=8)
def _named_by_tests(rules: Ruleset) -> tuple[frozenset[str], ...]:
    """Return the cards that each test of this game's cards names itself."""
    others = [name.replace("-", "_") for name in RULESETS if name != rules.name]
    paths = [
        path
        for path in sorted(TESTS.rglob("test_*.py"))
        if not any(other in path.stem for other in others)
    ]
    found = (
        words for path in paths for words in _words_of_tests(ast.parse(path.read_text("utf-8")))
    )
    return tuple(frozenset(words & rules.cards.keys()) for words in found)


def _words_of_tests(module: ast.Module) -> Iterator[frozenset[str]]:
    """Return the strings in each test function of a module, in what it calls of the module, and in
    the constants it names.
    """
    scope: dict[str, ast.AST] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            scope[node.name] = node
    for node in module.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            scope[node.targets[0].id] = node.value
    for name, node in scope.items():
        if name.startswith("test_"):
            yield frozenset(_words(node, scope, {name}))


def _words(node: ast.AST, scope: dict[str, ast.AST], seen: set[str]) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        named = getattr(part, "id", None) or getattr(part, "attr", None)
        if isinstance(named, str) and named in scope and named not in seen:
            seen.add(named)
            yield from _words(scope[named], scope, seen)
