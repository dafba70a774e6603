"""The documents are complete: every command, target and clause stands where it is looked for."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from itertools import chain, pairwise
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.engine import RULESETS
from companion.table.backup import back_up
from companion.table.database import FILE_NAME as LOG
from tests.table.test_table import started
from tools.clauses import clauses_with_a_test, clauses_written

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
COMMANDS = (DOCS / "commands.md").read_text("utf-8")
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING")),
    *sorted(DOCS.glob("*.md")),
]


def leaves(command: click.Command, path: str = "companion") -> dict[str, click.Command]:
    """Return every command that does something, by its words."""
    if not isinstance(command, click.Group):
        return {path: command}
    found: dict[str, click.Command] = {}
    for name, child in command.commands.items():
        found |= leaves(child, f"{path} {name}")
    return found


def targets() -> list[str]:
    return re.findall(r"^([a-z-]+):(?!=)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("typed", leaves(main))
def test_a_command_has_help_and_is_documented_with_its_options(typed: str) -> None:
    command = leaves(main)[typed]
    assert command.help, "no help"
    assert f"`{typed}" in COMMANDS
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.help, f"{parameter.opts[-1]} has no help"
            assert parameter.opts[-1] in COMMANDS, f"{parameter.opts[-1]} is not documented"


GIVEN = {
    "DIR": "data",
    "EVENTS.jsonl": "events.jsonl",
    "F": "password.txt",
    "FILE": "evening.db",
    "G": "tokyo",
    "IMAGE…": "tray.jpg",
    "LABELS.jsonl": "labels.jsonl",
    "LOG": "data",
    "M": "2",
    "N": "3",
    "P": "profile.json",
    "POSITION.json": "position.json",
    "PROFILE": "profile.json",
    "REPORT.zip": "misread.zip",
    "S": "1",
    "SOURCE": "clip.mp4",
}
"""What a reader of the documents puts for a word in capitals."""
LEFT_OUT = "…"
"""Stands for arguments that a sentence does not repeat."""
RUN = ("cards", "simulate", "play", "replay", "audit", "log check", "backup", "restore")
"""Commands that need no camera, no network and no end."""


def typed_in_docs() -> list[str]:
    """Return every `companion …` line of the documents, in a block or within a sentence."""
    found: dict[str, None] = {}
    for page in PAGES:
        blocks = re.split(r"^```.*$", page.read_text("utf-8"), flags=re.MULTILINE)
        for block in blocks[1::2]:
            found |= dict.fromkeys(re.findall(r"^\S*\bcompanion .*$", block, re.MULTILINE))
        for prose in blocks[::2]:
            found |= dict.fromkeys(re.findall(r"`(companion [^`]+)`", prose))
    return [line[line.index("companion ") :] for line in found]


def words_of(line: str) -> list[str]:
    """What follows `companion`, with something in place of each word in capitals."""
    words = shlex.split(line, comments=True)[1:]
    return [GIVEN.get(word, word) for word in words]


def command_of(words: list[str]) -> tuple[click.Command, str, list[str]]:
    """Return the command that is meant, its name, and the remaining words."""
    command: click.Command = main
    name = ""
    while isinstance(command, click.Group):
        assert words, f"{name} needs a command"
        assert words[0] in command.commands, f"there is no {words[0]}"
        name = f"{name} {words[0]}".strip()
        command, words = command.commands[words[0]], words[1:]
    return command, name, words


def typed_in_help() -> list[str]:
    """Return the example of every command."""
    examples = (command.epilog or "" for command in leaves(main).values())
    return [example[example.index("companion ") :] for example in examples]


@pytest.mark.parametrize("line", [*typed_in_docs(), *typed_in_help()])
def test_a_command_line_in_the_documents_is_one(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command, name, rest = command_of(words_of(line))
    Path("data").mkdir()
    for file in (word for word in rest if re.fullmatch(r"[\w-]+\.\w+", word)):
        Path(file).touch()
    if LEFT_OUT in rest:
        known = {option for parameter in command.params for option in parameter.opts}
        assert known >= {word for word in rest if word.startswith("--")}
    elif rest:  # else the command is only named
        command.make_context(name, rest, click.Context(main, **main.context_settings))


@pytest.mark.parametrize("line", [x for x in typed_in_docs() if command_of(words_of(x))[1] in RUN])
def test_a_command_line_in_the_documents_works(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, name, rest = command_of(words_of(line))
    if LEFT_OUT in rest or (not rest and name != "cards"):
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for folder in ("data", "monster-table"):
        table = started(tmp_path / folder, min(RULESETS))
        position = msgspec.json.encode(table.snapshot().state.game)
        table.close()
    back_up(tmp_path / "data" / LOG, tmp_path / "evening.db")
    (tmp_path / "position.json").write_bytes(position)
    (tmp_path / "events.jsonl").write_bytes(b"")
    few = ["2" if before == "--games" else word for before, word in pairwise(["", *rest])]
    result = CliRunner().invoke(main, [*name.split(), *few])
    assert result.exit_code == 0, result.output


def test_the_lines_are_found() -> None:
    found = typed_in_docs()
    assert len(found) > 20
    for command in RUN:
        assert any(line.startswith(f"companion {command}") for line in found)


def test_make_help_names_every_target() -> None:
    printed = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[0] for line in printed.splitlines()] == targets()
    assert all(len(line.split()) > 2 for line in printed.splitlines())


@pytest.mark.parametrize("target", ["run", "test"])
def test_the_readme_shows_the_two_targets_that_do_everything(target: str) -> None:
    assert f"make {target}" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_inside_the_documents_leads_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", text) + re.findall(r'src="([^"]+)"', text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_dependency_that_is_shipped_stands_with_its_licence() -> None:
    page = (DOCS / "licences.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    phone = json.loads((ROOT / "webui" / "package.json").read_text("utf-8"))
    python = {dependency.partition(">=")[0] for dependency in project["dependencies"]}
    assert {
        name for name in python | phone["dependencies"].keys() if f"| {name} " not in page
    } == set()


def test_every_tool_stands_with_its_licence_too() -> None:
    page = (DOCS / "licences.md").read_text("utf-8").partition("\n## Installed with an extra")[2]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    phone = json.loads((ROOT / "webui" / "package.json").read_text("utf-8"))
    alone = re.findall(r"pip .*install -q ([a-z]+)==", (ROOT / "Makefile").read_text("utf-8"))
    extras, groups = project["project"]["optional-dependencies"], project["dependency-groups"]
    listed = chain(*extras.values(), *groups.values())
    tools = {tool.partition(">=")[0] for tool in listed if isinstance(tool, str)}
    assert len(alone) == 2
    assert {
        name
        for name in tools | phone["devDependencies"].keys() | set(alone)
        if not re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w/-])", page)
    } == set()


def test_a_test_names_only_clauses_that_the_rulebooks_have() -> None:
    """Worked examples (NY-EX1) are no clauses: the test itself tells them."""
    known = {*clauses_written(), *(f"{book}-EX{n}" for book in ("NY", "TK") for n in range(1, 10))}
    assert {name: at for name, at in clauses_with_a_test().items() if name not in known} == {}


def test_a_folder_that_architecture_names_exists() -> None:
    page = (DOCS / "architecture.md").read_text("utf-8")
    places = [ROOT, ROOT / "companion", ROOT / "webui" / "src", ROOT / "tests"]
    folders = set(re.findall(r"`([\w/]+)/`", page))
    assert len(folders) > 10
    assert {one for one in folders if not any((place / one).is_dir() for place in places)} == set()
