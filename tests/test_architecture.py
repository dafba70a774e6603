"""What the layers promise: nobody names a game or a card, the rules are pure, every module says
what it is for."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sized
from functools import cache
from graphlib import TopologicalSorter
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

TRAINING_MAY_USE = (
    "companion.vision",
    "companion.demo",
    "companion.engine",
    "companion.forecast",
    "companion.onnx_runtime",
    "companion.virtual",
    "companion.resources",
    "companion.intervals",
)
WITH_TEXTS = ("companion", "docs", "models", "tests")
SPEAKING = frozenset({".json", ".md", ".py", ".ts", ".tsx"})
LONGEST_MODULE = 800
SOURCES = sorted(PACKAGE.rglob("*.py"))
TRAINING = sorted([*(ROOT / "models").glob("*.py"), *(ROOT / "models").glob("*/*.py")])


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path), filename=name_of(path))


@pytest.fixture(scope="module", autouse=True)
def forget_trees() -> Iterator[None]:
    """Drop the trees at the end: so many objects slow the garbage collector of later tests."""
    yield
    tree_of.cache_clear()


def found_in(paths: Collection[Path], look: Callable[[Path], Sized]) -> dict[str, Sized]:
    """What `look` finds in each of many files, by the file's name; nothing if it finds none."""
    assert paths, "no files"
    return {name_of(path): found for path in paths if len(found := look(path))}


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
    """The modules imported by name, `from x import y` giving x, `from .x import y` giving .x."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


def top(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_nobody_but_its_own_table_names_a_game_or_a_card() -> None:
    ids = {*RULESETS, *(name for rules in RULESETS.values() for name in rules.cards)}
    ids -= ALSO_OTHER_WORDS

    def named(path: Path) -> list[str]:
        found = literals(tree_of(path))
        return [f"{node.lineno}: {node.value}" for node in found if node.value in ids]

    others = [path for path in SOURCES if not any(map(path.is_relative_to, MAY_NAME))]
    assert found_in(others, named) == {}


def test_training_takes_from_the_package_only_the_reader_and_the_rules() -> None:
    def others(path: Path) -> set[str]:
        names = imported(tree_of(path))
        return {
            n for n in names if n.startswith("companion") and not n.startswith(TRAINING_MAY_USE)
        }

    assert found_in(TRAINING, others) == {}


def before_its_telemetry_is_off(tree: ast.Module) -> list[str]:
    """The imports of ONNX Runtime before that of our module that turns its telemetry off."""
    names = [name for node in tree.body for name in sorted(imported(ast.Module([node], [])))]
    off = [n for n, name in enumerate(names) if name.startswith("companion.onnx_runtime")]
    return [
        name for name in names[: min(off, default=len(names))] if top({name}) == {"onnxruntime"}
    ]


def test_onnx_runtime_is_imported_where_its_telemetry_is_off() -> None:
    files = [path for path in (*SOURCES, *TRAINING) if path.stem != "onnx_runtime"]
    assert found_in(files, lambda path: before_its_telemetry_is_off(tree_of(path))) == {}


def test_every_module_says_what_it_is_for() -> None:
    assert SOURCES
    assert [name_of(path) for path in SOURCES if not ast.get_docstring(tree_of(path))] == []


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


def lines_too_many(path: Path) -> list[str]:
    return text_of(path).splitlines()[LONGEST_MODULE:]


def test_no_module_of_the_service_is_too_long_to_read() -> None:
    assert found_in(sorted((PACKAGE / "service").rglob("*.py")), lines_too_many) == {}


def modules_in(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]


def test_no_folder_of_the_package_is_made_for_fewer_than_four_modules() -> None:
    """A folder of folders alone, such as that of the games, has no module of its own."""
    folders = {path.parent for path in SOURCES if modules_in(path.parent)}
    assert len(folders) > 10
    few = {name_of(folder): modules_in(folder) for folder in folders if len(modules_in(folder)) < 4}
    assert few == {}


def kept_globally(tree: ast.AST) -> list[int]:
    """The lines where a function sets a variable of its module."""
    return [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Global)]


HANDED_ON = frozenset({"exception", "set_exception"})


def swallowing(tree: ast.AST) -> list[int]:
    """The lines where any exception whatever is caught, and neither logged nor handed on."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in {"Exception", "BaseException"})
        and not HANDED_ON & {getattr(one, "attr", "") for one in ast.walk(node)}
    ]


def test_no_module_keeps_state_of_its_own() -> None:
    assert found_in(SOURCES, lambda path: kept_globally(tree_of(path))) == {}


def test_no_module_swallows_everything() -> None:
    assert found_in(SOURCES, lambda path: swallowing(tree_of(path))) == {}


@pytest.mark.parametrize("package", ["companion", "models"])
def test_no_modules_import_each_other(package: str) -> None:
    """Imports for type checkers alone and those within functions count too."""
    graph = grimp.build_graph(package, exclude_type_checking_imports=False, cache_dir=None)
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()  # CycleError names a circle


SURFACES = frozenset({"companion.engine", "companion.engine.authoring"})
THIRD_GAME = ROOT / "tests" / "third_game" / "lantern_fair"


def test_a_game_of_another_package_needs_the_surfaces_and_the_standard_library() -> None:
    def others(path: Path) -> set[str]:
        names = {n for n in imported(tree_of(path)) if top({n}) - sys.stdlib_module_names}
        return {name for name in names if top({name}) != {THIRD_GAME.name}} - SURFACES

    assert found_in(sorted(THIRD_GAME.glob("*.py")), others) == {}


MAY_RENAME = (PACKAGE / "files.py", PACKAGE / "vision" / "box.py")
"""Who puts files in place of others; the camera's profile knows no floor but its own."""


def put_in_place(tree: ast.AST) -> list[int]:
    """The lines where a file is renamed or synchronised."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            node.func.attr == "fsync"
            or (node.func.attr == "replace" and len(node.args) == 1 and not node.keywords)
        )
    ]


def test_files_are_put_in_place_in_one_way() -> None:
    """Written beside, synchronised, renamed, the folder synchronised: each is easily forgotten, so
    all use companion.files.
    """
    others = [path for path in SOURCES if not any(map(path.is_relative_to, MAY_RENAME))]
    assert found_in(others, lambda path: put_in_place(tree_of(path))) == {}


IN_ONE_THREAD = tuple(PACKAGE / name for name in ("cli", "vision", "engine"))
"""Commands, the camera's process and whoever reads a position."""
MANY_THREADS = [p for p in SOURCES if not any(p.is_relative_to(each) for each in IN_ONE_THREAD)]


def unprepared(tree: ast.Module) -> list[str]:
    """Types that a function reads by, and the module has not made a decoder for at its import.

    msgspec looks at a type when it first decodes it. Two threads that do so at once end the
    process.
    """
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


def test_types_are_read_before_threads_decode_by_them() -> None:
    assert found_in(MANY_THREADS, lambda path: unprepared(tree_of(path))) == {}


PHONE_APP = ROOT / "webui" / "src"
MOST_MODULES = 20


@pytest.mark.parametrize("tree", ["webui/src", "companion", "models", "tools"])
def test_no_folder_is_too_full_to_read(tree: str) -> None:
    kinds = {".py", ".ts", ".tsx", ".css", ".mjs"}
    counted = Counter(
        path.parent
        for path in (ROOT / tree).rglob("*.*")
        if path.suffix in kinds and path.stem not in {"index", "__init__"}
    )
    assert counted
    assert {name_of(folder): n for folder, n in counted.items() if n > MOST_MODULES} == {}


MODULES = sorted(PHONE_APP.rglob("*.ts*"))


def test_a_module_of_the_phone_app_says_what_it_is_for_and_can_be_read_at_once() -> None:
    written = [path for path in MODULES if path.name != "wire.ts"]
    assert [name_of(path) for path in written if not text_of(path).startswith("/**")] == []
    assert found_in(written, lines_too_many) == {}


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


def test_a_folder_of_the_phone_app_imports_only_from_those_below() -> None:
    assert found_in(MODULES, lambda path: upward(path, text_of(path))) == {}
