"""What the layers promise: nobody names a game or a card, the rules are pure, every module says
what it is for."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import grimp
import pytest

from companion.engine import RULESETS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "companion"
ENGINE = PACKAGE / "engine"
MAY_NAME = (ENGINE / "games" / "tokyo", ENGINE / "games" / "new_york")

ALSO_OTHER_WORDS = frozenset({"curse", "heal", "skyscraper"})
"""Ids of cards that are also a token, a face and a tile."""

MAY_BE_IMPORTED = frozenset({"msgspec", "companion"})
IMPURE = frozenset(
    {"asyncio", "datetime", "io", "logging", "os", "pathlib", "random", "secrets", "socket"}
    | {"sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "uuid"}
)
"""The engine has no chance, clock, files, logging or threads."""

TRAINING_MAY_USE = (
    "companion.vision",
    "companion.engine",
    "companion.forecast",
    "companion.onnx_runtime",
    "companion.virtual",
    "companion.resources",
    "companion.intervals",
)
BESIDE_THE_PACKAGE = frozenset({"models", "webui", "hatch_build", "tools", "tests", "calibration"})
WITH_TEXTS = ("companion", "docs", "models", "tests")
SPEAKING = frozenset({".json", ".md", ".py", ".ts", ".tsx"})
LONGEST_MODULE = 500
SOURCES = sorted(PACKAGE.rglob("*.py"))
TRAINING = sorted([*(ROOT / "models").glob("*.py"), *(ROOT / "models").glob("*/*.py")])


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """Every literal that is not a docstring."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield node


def imported(tree: ast.AST) -> set[str]:
    """The modules imported by name, `from x import y` giving x."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import in line {node.lineno}"
            names.add(node.module or "")
    return names


def top(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def ids_of_games_and_cards() -> frozenset[str]:
    cards = {name for rules in RULESETS.values() for name in rules.cards}
    return frozenset(cards | set(RULESETS))


def named(source: str, ids: frozenset[str]) -> list[str]:
    """The ids that string literals of this source equal, with their lines."""
    return [
        f"{node.lineno}: {node.value}" for node in literals(ast.parse(source)) if node.value in ids
    ]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nobody_but_its_own_table_names_a_game_or_a_card(path: Path) -> None:
    if not any(path.is_relative_to(folder) for folder in MAY_NAME):
        assert named(path.read_text("utf-8"), ids_of_games_and_cards() - ALSO_OTHER_WORDS) == []


def test_a_name_in_a_literal_is_found_and_one_in_a_docstring_is_not() -> None:
    source = (
        '"""wings"""\nif name == "wings":\n    """wings"""\n    flap(f"{name}wings", ("wings",))\n'
    )
    assert named(source, frozenset({"wings"})) == ["2: wings", "4: wings", "4: wings"]


def test_there_are_ids_to_look_for_and_the_exceptions_are_among_them() -> None:
    ids = ids_of_games_and_cards()
    assert len(RULESETS) == 2
    assert len(ids) > 100
    assert ids >= ALSO_OTHER_WORDS


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=name_of)
def test_the_rules_import_the_standard_library_and_msgspec_and_nothing_impure(path: Path) -> None:
    names = imported(ast.parse(path.read_text("utf-8")))
    assert top(names) - MAY_BE_IMPORTED - sys.stdlib_module_names == set()
    assert top(names) & IMPURE == set()
    ours = {name for name in names if top({name}) == {"companion"}}
    assert [name for name in ours if not name.startswith("companion.engine")] == []


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_the_package_needs_nothing_that_only_a_checkout_has(path: Path) -> None:
    assert top(imported(ast.parse(path.read_text("utf-8")))) & BESIDE_THE_PACKAGE == set()


@pytest.mark.parametrize("path", TRAINING, ids=name_of)
def test_training_takes_from_the_package_only_the_reader_and_the_rules(path: Path) -> None:
    names = imported(ast.parse(path.read_text("utf-8")))
    ours = {name for name in names if top({name}) == {"companion"}}
    assert [name for name in ours if not name.startswith(TRAINING_MAY_USE)] == []


@pytest.mark.parametrize("path", [*SOURCES, *TRAINING], ids=name_of)
def test_onnx_runtime_is_imported_where_its_telemetry_is_off(path: Path) -> None:
    names = [
        name
        for node in ast.parse(path.read_text("utf-8")).body
        for name in sorted(imported(ast.Module([node], [])))
    ]
    theirs = [n for n, name in enumerate(names) if top({name}) == {"onnxruntime"}]
    ours = [n for n, name in enumerate(names) if name.startswith("companion.onnx_runtime")]
    assert not theirs or path.stem == "onnx_runtime" or min(ours, default=len(names)) < theirs[0]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), "no module docstring"


@pytest.mark.parametrize("folder", ["companion", "docs", "tests", "tools", "webui/src"])
def test_what_is_cited_can_be_opened(folder: str) -> None:
    known = {path.name for place in WITH_TEXTS for path in (ROOT / place).rglob("*.md")}
    known |= {path.name for path in ROOT.glob("*.md")}
    texts = [path for path in (ROOT / folder).rglob("*.*") if path.suffix in SPEAKING]
    assert texts
    cited = {
        (name_of(path), name)
        for path in texts
        for name in re.findall(r"[\w-]+\.md\b", path.read_text("utf-8"))
    }
    assert [(path, name) for path, name in sorted(cited) if name not in known] == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "service").rglob("*.py")), ids=name_of)
def test_no_module_of_the_service_is_too_long_to_read(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_module_keeps_state_of_its_own(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Global)] == []
    blanket = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in {"Exception", "BaseException"})
    ]
    assert blanket == []


SURFACES = frozenset({"companion.engine", "companion.engine.authoring"})
OUTSIDE_THE_ENGINE = sorted(
    path
    for folder in ("companion", "models", "tools", "calibration", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if not path.is_relative_to(ENGINE) and not path.is_relative_to(ROOT / "tests" / "engine")
)


def beside_the_surface(source: str) -> set[str]:
    """The modules of the engine that are imported and no surface of it."""
    names = imported(ast.parse(source))
    return {name for name in names if name.startswith("companion.engine")} - SURFACES


@pytest.mark.parametrize("path", OUTSIDE_THE_ENGINE, ids=name_of)
def test_outside_the_engine_its_surfaces_alone_are_imported(path: Path) -> None:
    assert beside_the_surface(path.read_text("utf-8")) == set()


def test_an_import_beside_the_surface_is_found() -> None:
    source = "from companion.engine import Position\nfrom companion.engine.play import apply\n"
    assert beside_the_surface(source) == {"companion.engine.play"}


def circles(imports: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Modules that import each other, be it by way of others: each circle sorted.

    `imports` maps each module to those that it imports. Whoever imports nothing that is left is
    read first, whoever nothing left imports is read last; what then remains, is in a circle or
    between two.
    """
    left = {module: set(others) & imports.keys() for module, others in imports.items()}
    while True:
        needed = set().union(*left.values())
        done = {module for module, others in left.items() if not others or module not in needed}
        if not done:
            break
        left = {module: others - done for module, others in left.items() if module not in done}
    reach = {module: reached(module, left) for module in left}
    rings = {frozenset(m for m in reach[module] if module in reach[m]) for module in left}
    return sorted(sorted(ring) for ring in rings if ring)


def reached(start: str, imports: Mapping[str, Collection[str]]) -> set[str]:
    """The modules that a module imports, be it by way of others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = set(imports[waiting.pop()]) - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize("package", ["companion", "models"])
def test_no_modules_import_each_other(package: str) -> None:
    """Imports for type checkers alone and those within functions count too."""
    graph = grimp.build_graph(package, exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert any(imports.values())
    assert circles(imports) == []


def test_circles_of_imports_are_found() -> None:
    ring = {"a": ["b"], "b": ["c"], "c": ["a"]}
    assert circles({**ring, "above": ["a"], "c": ["a", "below"], "below": []}) == [["a", "b", "c"]]
    assert circles({**ring, "c": ["a", "d"], "d": ["e"], "e": ["d"]}) == [
        ["a", "b", "c"],
        ["d", "e"],
    ]
    assert circles({"itself": ["itself"]}) == [["itself"]]
    assert circles({"a": ["b", "c"], "b": ["c"], "c": []}) == []


THIRD_GAME = ROOT / "tests" / "third_game" / "lantern_fair"


@pytest.mark.parametrize("path", sorted(THIRD_GAME.glob("*.py")), ids=name_of)
def test_a_game_of_another_package_needs_the_surfaces_and_the_standard_library(path: Path) -> None:
    names = imported(ast.parse(path.read_text("utf-8")))
    others = {name for name in names if top({name}) - sys.stdlib_module_names}
    assert {name for name in others if top({name}) != {THIRD_GAME.name}} <= SURFACES


MAY_RENAME = (PACKAGE / "storage", PACKAGE / "vision" / "box" / "profile.py")
"""Who puts files in place of others; the camera's profile knows no floor but its own."""


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if not any(map(path.is_relative_to, MAY_RENAME))], ids=name_of
)
def test_files_are_put_in_place_in_one_way(path: Path) -> None:
    """Written beside, synchronised, renamed, the folder synchronised: each is easily forgotten."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            renames = node.func.attr == "replace" and len(node.args) == 1 and not node.keywords
            assert not renames, f"{name_of(path)}:{node.lineno}: use storage.files"
            assert node.func.attr != "fsync", f"{name_of(path)}:{node.lineno}: use storage.files"


IN_ONE_THREAD = tuple(PACKAGE / name for name in ("cli", "vision", "engine", "storage/copies"))
"""Commands, the camera's process and whoever reads a position or a backup."""
MANY_THREADS = [p for p in SOURCES if not any(p.is_relative_to(each) for each in IN_ONE_THREAD)]


def unprepared(source: str) -> list[str]:
    """Types that a function reads by, and the module has not made a decoder for at its import.

    msgspec looks at a type when it first decodes it. Two threads that do so at once end the
    process.
    """
    tree = ast.parse(source)
    outside = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    prepared = {
        ast.unparse(call.args[0])
        for node in outside
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("json.Decoder")
    }
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if name.endswith("json.decode"):
            found += [ast.unparse(k.value) for k in call.keywords if k.arg == "type"]
        elif name.endswith("msgspec.convert"):
            found.append(ast.unparse(call.args[1]))
    return [kind for kind in found if kind not in prepared]


@pytest.mark.parametrize("path", MANY_THREADS, ids=name_of)
def test_types_are_read_before_threads_decode_by_them(path: Path) -> None:
    assert unprepared(path.read_text("utf-8")) == []


def test_a_type_that_is_read_while_it_decodes_is_found() -> None:
    source = "import msgspec\ndef read(text):\n    return msgspec.json.decode(text, type=Row)\n"
    assert unprepared(source) == ["Row"]
    assert unprepared(f"{source}_ROW = msgspec.json.Decoder(Row)\n") == []


PHONE_APP = ROOT / "webui" / "src"
MOST_MODULES = 12


def crowded(folders: Iterator[Path], most: int = MOST_MODULES) -> dict[str, int]:
    """The folders with more than `most` modules beside their index, with the number of them."""
    counts = {
        name_of(folder): sum(
            path.suffix in {".py", ".ts", ".tsx", ".css", ".mjs"}
            and path.stem not in {"index", "__init__"}
            for path in folder.iterdir()
        )
        for folder in folders
    }
    return {name: count for name, count in counts.items() if count > most}


def test_no_folder_of_the_phone_app_is_too_full_to_read() -> None:
    folders = [PHONE_APP, *(path for path in PHONE_APP.rglob("*") if path.is_dir())]
    assert len(folders) > 10
    assert crowded(iter(folders)) == {}


WAITING = frozenset({"models/art"})
"""Folders whose modules have no folders of their own yet."""


def test_no_folder_of_python_is_too_full_to_read() -> None:
    packages = (ROOT / name for name in ("companion", "models", "tools", "calibration"))
    folders = {path.parent for package in packages for path in package.rglob("*.py")}
    assert len(folders) > 20
    assert crowded(iter(folders)).keys() == WAITING


def test_a_crowded_folder_is_found() -> None:
    assert crowded(iter([PHONE_APP / "store" / "turn"]), most=3) == {"webui/src/store/turn": 11}
    assert crowded(iter([PACKAGE / "vision"]), most=3) == {"companion/vision": 4}


@pytest.mark.parametrize(
    "path",
    sorted(path for path in PHONE_APP.rglob("*.ts*") if path.name != "wire.ts"),
    ids=name_of,
)
def test_a_module_of_the_phone_app_says_what_it_is_for_and_can_be_read_at_once(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith("/**"), "no module comment"
    assert len(text.splitlines()) <= LONGEST_MODULE


FOLDERS = ("screens", "ui", "art", "store", "wire")
"""Of the phone app, each knowing itself and those after it; drawings know no state."""


def upward(path: Path, source: str) -> set[str]:
    """The imports of a module of the phone app that lead to a folder above its own, or from art
    into the store."""
    own = path.relative_to(PHONE_APP).parts[0].partition(".")[0]
    found = set()
    for to in re.findall(r'(?:from |import |import\()"(\.[^"]+)"', source):
        target = (path.parent / to).resolve().relative_to(PHONE_APP).parts[0]
        if target in FOLDERS and own in FOLDERS:
            down = FOLDERS.index(target) >= FOLDERS.index(own)
            if not down or (own, target) == ("art", "store"):
                found.add(to)
    return found


@pytest.mark.parametrize("path", sorted(path for path in PHONE_APP.rglob("*.ts*")), ids=name_of)
def test_a_folder_of_the_phone_app_imports_only_from_those_below(path: Path) -> None:
    assert upward(path, path.read_text("utf-8")) == set()


def test_an_import_upward_in_the_phone_app_is_found() -> None:
    source = 'import { t } from "../../store/words";\nconst a = () => import("../../screens/part");'
    assert upward(PHONE_APP / "ui" / "parts" / "kit.tsx", source) == {"../../screens/part"}
    assert upward(PHONE_APP / "art" / "signs" / "die.tsx", source) == {
        "../../store/words",
        "../../screens/part",
    }
