"""What the layers promise: nobody names a game or a card, the rules are pure, every module says
what it is for."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from functools import cache
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
    "companion.demo",
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
    """What `look` finds in each of many files, by the file's name; nothing where it finds none."""
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


def ids_of_games_and_cards() -> frozenset[str]:
    cards = {name for rules in RULESETS.values() for name in rules.cards}
    return frozenset(cards | set(RULESETS))


def named(tree: ast.AST, ids: frozenset[str]) -> list[str]:
    """The ids that string literals of this source equal, with their lines."""
    return [f"{node.lineno}: {node.value}" for node in literals(tree) if node.value in ids]


def test_nobody_but_its_own_table_names_a_game_or_a_card() -> None:
    ids = ids_of_games_and_cards() - ALSO_OTHER_WORDS
    others = [path for path in SOURCES if not any(map(path.is_relative_to, MAY_NAME))]
    assert found_in(others, lambda path: named(tree_of(path), ids)) == {}


def test_a_name_in_a_literal_is_found_and_one_in_a_docstring_is_not() -> None:
    source = (
        '"""wings"""\nif name == "wings":\n    """wings"""\n    flap(f"{name}wings", ("wings",))\n'
    )
    assert named(ast.parse(source), frozenset({"wings"})) == ["2: wings", "4: wings", "4: wings"]


def test_there_are_ids_to_look_for_and_the_exceptions_are_among_them() -> None:
    ids = ids_of_games_and_cards()
    assert len(RULESETS) == 2
    assert len(ids) > 100
    assert ids >= ALSO_OTHER_WORDS


def ours(names: Iterable[str]) -> set[str]:
    return {name for name in names if top({name}) == {"companion"}}


def foreign_to_the_rules(tree: ast.AST) -> set[str]:
    """The modules imported that the rules may not know."""
    names = imported(tree)
    others = top(names) - MAY_BE_IMPORTED - sys.stdlib_module_names
    return (
        others
        | top(names) & IMPURE
        | {name for name in ours(names) if not name.startswith("companion.engine")}
    )


def test_the_rules_import_the_standard_library_and_msgspec_and_nothing_impure() -> None:
    files = sorted(ENGINE.rglob("*.py"))
    assert found_in(files, lambda path: foreign_to_the_rules(tree_of(path))) == {}


def test_an_import_that_the_rules_may_not_have_is_found() -> None:
    source = "import re, numpy\nimport time\nfrom companion.table import Table\n"
    found = foreign_to_the_rules(ast.parse(source))
    assert found == {"numpy", "time", "companion.table"}


def test_the_package_needs_nothing_that_only_a_checkout_has() -> None:
    assert found_in(SOURCES, lambda path: top(imported(tree_of(path))) & BESIDE_THE_PACKAGE) == {}


def test_training_takes_from_the_package_only_the_reader_and_the_rules() -> None:
    def others(path: Path) -> set[str]:
        names = ours(imported(tree_of(path)))
        return {name for name in names if not name.startswith(TRAINING_MAY_USE)}

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


def test_an_import_before_the_telemetry_is_off_is_found() -> None:
    off = "from companion.onnx_runtime import session\n"
    early = ast.parse(f"import onnxruntime.quantization\n{off}")
    assert before_its_telemetry_is_off(early) == ["onnxruntime.quantization"]
    assert before_its_telemetry_is_off(ast.parse("import onnxruntime\n")) == ["onnxruntime"]
    assert before_its_telemetry_is_off(ast.parse(f"{off}import onnxruntime\n")) == []


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


def blanket(tree: ast.AST) -> list[int]:
    """The lines where any exception whatever is caught."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in {"Exception", "BaseException"})
    ]


def test_no_module_keeps_state_of_its_own() -> None:
    assert found_in(SOURCES, lambda path: kept_globally(tree_of(path))) == {}


def test_no_module_catches_everything() -> None:
    assert found_in(SOURCES, lambda path: blanket(tree_of(path))) == {}


def test_state_of_a_module_and_a_blanket_are_found() -> None:
    assert kept_globally(ast.parse("def f():\n    global n\n    n = 1\n")) == [2]
    caught = "try:\n    f()\nexcept {}:\n    pass\n"
    assert blanket(ast.parse(caught.format("Exception"))) == [3]
    assert blanket(ast.parse(caught.format("OSError"))) == []
    assert blanket(ast.parse("try:\n    f()\nexcept:\n    pass\n")) == [3]


SURFACES = frozenset({"companion.engine", "companion.engine.authoring"})
OUTSIDE_THE_ENGINE = sorted(
    path
    for folder in ("companion", "models", "tools", "calibration", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if not path.is_relative_to(ENGINE) and not path.is_relative_to(ROOT / "tests" / "engine")
)


def beside_the_surface(tree: ast.AST) -> set[str]:
    """The modules of the engine that are imported and no surface of it."""
    names = imported(tree)
    return {name for name in names if name.startswith("companion.engine")} - SURFACES


def test_outside_the_engine_its_surfaces_alone_are_imported() -> None:
    assert found_in(OUTSIDE_THE_ENGINE, lambda path: beside_the_surface(tree_of(path))) == {}


def relative(tree: ast.AST) -> list[str]:
    return sorted(name for name in imported(tree) if name.startswith("."))


def test_no_import_is_relative() -> None:
    everything = sorted({*SOURCES, *TRAINING, *OUTSIDE_THE_ENGINE})
    assert found_in(everything, lambda path: relative(tree_of(path))) == {}


def test_a_relative_import_is_found() -> None:
    assert relative(ast.parse("from . import a\nfrom ..b import c\nimport d")) == [".", "..b"]


def test_an_import_beside_the_surface_is_found() -> None:
    source = "from companion.engine import Position\nfrom companion.engine.play import apply\n"
    assert beside_the_surface(ast.parse(source)) == {"companion.engine.play"}


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


def test_a_file_that_is_put_in_place_is_found() -> None:
    source = 'path.replace(other)\nos.fsync(file)\nname.replace("a", "b")\n'
    assert put_in_place(ast.parse(source)) == [1, 2]


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


def test_a_type_that_is_read_while_it_decodes_is_found() -> None:
    source = "import msgspec\ndef read(text):\n    return msgspec.json.decode(text, type=Row)\n"
    assert unprepared(ast.parse(source)) == ["Row"]
    assert unprepared(ast.parse(f"{source}_ROW = msgspec.json.Decoder(Row)\n")) == []


PHONE_APP = ROOT / "webui" / "src"
MOST_MODULES = 20


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


def test_no_folder_of_python_is_too_full_to_read() -> None:
    packages = (ROOT / name for name in ("companion", "models", "tools", "calibration"))
    folders = {path.parent for package in packages for path in package.rglob("*.py")}
    assert len(folders) > 20
    assert crowded(iter(folders)) == {}


def test_a_crowded_folder_is_found() -> None:
    assert crowded(iter([PHONE_APP / "store" / "turn"]), most=3) == {"webui/src/store/turn": 9}
    assert crowded(iter([PACKAGE / "vision"]), most=3) == {"companion/vision": 8}


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


def test_an_import_upward_in_the_phone_app_is_found() -> None:
    source = 'import { t } from "../../store/words";\nconst a = () => import("../../screens/part");'
    assert upward(PHONE_APP / "ui" / "parts" / "kit.tsx", source) == {"../../screens/part"}
    assert upward(PHONE_APP / "art" / "signs" / "die.tsx", source) == {
        "../../store/words",
        "../../screens/part",
    }
