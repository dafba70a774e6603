"""Replace code in Python sources that is found by name and syntax.

Files, layout, comments and quotes do not matter. Which change breaks which rule does not belong
here, but in the modules beside this one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from textwrap import dedent

Sources = Mapping[str, str]
"""Texts of Python files by their paths below the folder that holds them all."""

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class StaleChangeError(Exception):
    """A change that does not fit the sources; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """A run of `length` nodes from `at` on in a field of `owner`, be it a list or a single node."""

    owner: ast.AST
    field: str
    at: int
    length: int

    def fill(self, nodes: list[ast.AST]) -> None:
        """Replace the run; an emptied body becomes `pass`."""
        value = getattr(self.owner, self.field)
        if isinstance(value, list):
            value[self.at : self.at + self.length] = nodes
            if not value and self.field == "body":
                value.append(ast.Pass())
        else:
            setattr(self.owner, self.field, nodes[0])


def swapped(sources: Sources, where: str, old: str, new: str) -> Sources:
    """Put `new` where `old` stands within `where`; all other lines stay as they are.

    `where` names a function, class, method (`Class.method`) or constant of a module; or a row of a
    table by the call that makes it and its first argument: `keep("camouflage")`. Where several
    modules have the name, a part of the module's path tells them apart: `tokyo::score_heal`.
    `old` and `new` are expressions, arguments, keywords (`dice=6`) or statements. An empty `new`
    removes. Raises `StaleChangeError` unless there is one such name, and `old` stands once in it.
    """
    path, top = _found(sources, where)
    before, text, after = _cut(sources[path], _parsed(sources[path]).body[top])
    module = ast.parse(text)
    [anchor] = _anchors(module.body[0], where)
    here = f"`{where}` ({path})"
    slots = [
        (slot, instead)
        for pattern, instead in _readings(old, new)
        for slot in _slots(module, anchor, pattern, removed=not instead)
    ]
    if len(slots) != 1:
        times = f"is {len(slots)} times in {here}: quote more" if slots else f"is not in {here}"
        raise StaleChangeError(f"`{old}` {times}.")
    [(slot, instead)] = slots
    slot.fill(instead)
    changed = ast.unparse(ast.fix_missing_locations(module))
    if ast.dump(ast.parse(changed)) != ast.dump(module):
        raise StaleChangeError(
            f"`{new}` cannot stand for `{old}` in {here}: the result is not Python."
        )
    return {**sources, path: before + changed + after}


def _found(sources: Sources, where: str) -> tuple[str, int]:
    """Find the only thing of this name: its file, and which statement of it has the thing."""
    parts = set(where.rpartition("::")[0].split(".")) - {""}
    found = [
        (path, top)
        for path, text in sources.items()
        if parts <= set(PurePosixPath(path).with_suffix("").parts)
        for top, statement in enumerate(_parsed(text).body)
        for _ in _anchors(statement, where)
    ]
    if not found:
        raise StaleChangeError(
            f"No function, class, constant or row is called `{where}`: was it renamed?"
        )
    if len(found) > 1:
        files = ", ".join(sorted(path for path, _ in found))
        raise StaleChangeError(
            f"`{where}` is defined {len(found)} times ({files}): "
            "say in which module, as in `part_of_its_path::name`."
        )
    return found[0]


@lru_cache(maxsize=512)
def _parsed(text: str) -> ast.Module:
    """A tree to look at; what is changed is parsed afresh."""
    return ast.parse(text)


def _anchors(statement: ast.stmt, where: str) -> Iterator[ast.AST]:
    """What a statement at the top of a module has under this name; its qualifier is ignored."""
    name = where.rpartition("::")[2]
    return _rows(statement, *_row(name)) if name.endswith(")") else _named(statement, name)


def _named(statement: ast.stmt, name: str) -> Iterator[ast.AST]:
    """What a statement defines under this dotted name."""
    if isinstance(statement, _Definition):
        first, _, rest = name.partition(".")
        if statement.name == first and not rest:
            yield statement
        elif statement.name == first:
            for within in statement.body:
                yield from _named(within, rest)
    elif any(isinstance(n, ast.Name) and n.id == name for n in _targets(statement)):
        yield statement


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []


@lru_cache(maxsize=1)
def _row(name: str) -> tuple[str, str]:
    """Read the name of a row: `maker("key")`."""
    with suppress(SyntaxError):
        match ast.parse(name, mode="eval").body:
            case ast.Call(func=ast.Name(id=maker), args=[ast.Constant(value=str(key))]):
                return maker, key
    raise StaleChangeError(
        f"`{name}` names no row: write the call with its first argument, a string."
    )


def _rows(statement: ast.stmt, maker: str, key: str) -> Iterator[ast.AST]:
    """The rows of this name in the table that a statement assigns."""
    for node in _calls(statement) if _targets(statement) else ():
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=first), *_]):
                if (name, first) == (maker, key):
                    yield node


@lru_cache(maxsize=512)
def _calls(statement: ast.stmt) -> Sequence[ast.Call]:
    return [node for node in ast.walk(statement) if isinstance(node, ast.Call)]


def _readings(old: str, new: str) -> list[tuple[list[ast.AST], list[ast.AST]]]:
    """All ways to read both texts as the same kind of thing."""
    before, after = _read(old), _read(new)
    kinds = ["arguments"] if new and before["arguments"] and after["arguments"] else list(before)
    pairs = [(before[kind], after[kind]) for kind in kinds]
    pairs = [(pattern, instead) for pattern, instead in pairs if pattern and (instead or not new)]
    if not pairs:
        raise StaleChangeError(
            f"`{old}` and `{new}` are not the same kind of thing, or not Python."
        )
    if any(_same(*pair) for pair in pairs):
        raise StaleChangeError(f"`{new}` says the same as `{old}`: nothing would change.")
    return pairs


def _read(text: str) -> dict[str, list[ast.AST]]:
    """What a text is as arguments of a call, as its keywords, and as statements."""
    kinds: dict[str, list[ast.AST]] = {"arguments": [], "keywords": [], "statements": []}
    with suppress(SyntaxError):
        kinds["statements"] = list(ast.parse(dedent(text)).body)
    try:
        call = ast.parse(f"_(\n{text}\n)", mode="eval").body
    except SyntaxError:
        return kinds
    if isinstance(call, ast.Call) and not (call.args and call.keywords):
        kinds |= {"arguments": list(call.args), "keywords": list(call.keywords)}
    return kinds


def _slots(
    tree: ast.AST, within: ast.AST, pattern: list[ast.AST], removed: bool
) -> Iterator[_Slot]:
    """Where the pattern stands in a tree: in the given node, or as that node itself.

    What is to be removed is looked for only where others may remain: in lists.
    """
    inside = {id(node) for node in ast.walk(within)}
    length = len(pattern)
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            nodes = value if isinstance(value, list) else [] if removed else [value]
            for at in range(len(nodes) - length + 1):
                run = nodes[at : at + length]
                if (id(owner) in inside or run == [within]) and _same(run, pattern):
                    yield _Slot(owner, field, at, length)


def _same(some: Sequence[object], others: Sequence[ast.AST]) -> bool:
    """Tell whether both say the same, whatever their layout."""
    return len(some) == len(others) and all(
        type(one) is type(other) and ast.dump(one) == ast.dump(other)
        for one, other in zip(some, others, strict=True)
    )


def _cut(text: str, statement: ast.stmt) -> tuple[str, str, str]:
    """The lines before a statement of a module, its own with its decorators, and those after."""
    lines = text.split("\n")
    marks = getattr(statement, "decorator_list", [])
    first = min(node.lineno for node in (statement, *marks)) - 1
    before, own, after = (
        lines[:first],
        lines[first : statement.end_lineno],
        lines[statement.end_lineno :],
    )
    return (
        "".join(f"{line}\n" for line in before),
        "\n".join(own),
        "".join(f"\n{line}" for line in after),
    )
