"""The documents are complete: every command, target, route, schema and clause stands where it is
looked for."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from dataclasses import asdict
from pathlib import Path

import click
import pytest

from companion.cli import main
from companion.service import create_app
from companion.service.http.routes import STREAM
from companion.service.settings import Limits, Settings
from tools.clauses import clauses_with_a_test, clauses_written
from tools.schemas import out_of_date

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
COMMANDS = (DOCS / "commands.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def leaves(command: click.Command, path: str = "companion") -> dict[str, click.Command]:
    """Every command that does something, by what one types."""
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


@pytest.mark.parametrize("typed", sorted(set(re.findall(r"`(companion [a-z]+)", COMMANDS))))
def test_a_documented_command_exists(typed: str) -> None:
    assert typed in leaves(main)


def test_every_route_is_documented(tmp_path: Path) -> None:
    said = (DOCS / "api.md").read_text("utf-8")
    app = create_app(Settings(tmp_path))
    app.extensions["desk"].close()
    routes = [re.sub(r"<\w+:", "<", rule.rule) for rule in app.url_map.iter_rules()]
    assert len(routes) > 10
    assert [
        route
        for route in (STREAM, *routes)
        if not re.search(rf"(GET|POST) {re.escape(route)}[`?]", said)
    ] == []


def test_every_limit_is_documented_with_its_default() -> None:
    said = (DOCS / "api.md").read_text("utf-8")
    for name, value in asdict(Limits()).items():
        assert f"| `{name}` | {value:.0f} |" in said


def test_make_help_names_every_target() -> None:
    said = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[0] for line in said.splitlines()] == targets()
    assert all(len(line.split()) > 2 for line in said.splitlines())


@pytest.mark.parametrize("target", ["run", "test"])
def test_the_readme_shows_the_two_targets_that_do_everything(target: str) -> None:
    assert f"make {target}" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_inside_the_documents_leads_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", text) + re.findall(r'src="([^"]+)"', text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_dependency_that_is_shipped_stands_with_its_licence() -> None:
    said = (DOCS / "licences.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    phone = json.loads((ROOT / "webui" / "package.json").read_text("utf-8"))
    python = {dependency.partition(">=")[0] for dependency in project["dependencies"]}
    assert {
        name for name in python | phone["dependencies"].keys() if f"| {name} " not in said
    } == set()


def test_every_tool_stands_with_its_licence_too() -> None:
    said = (DOCS / "licences.md").read_text("utf-8").partition("\n## For building")[2]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    phone = json.loads((ROOT / "webui" / "package.json").read_text("utf-8"))
    alone = re.findall(r"pip .*install -q ([a-z]+)==", (ROOT / "Makefile").read_text("utf-8"))
    tools = {
        tool.partition(">=")[0]
        for extra in extras["optional-dependencies"].values()
        for tool in extra
    }
    assert len(alone) == 1
    assert {
        name
        for name in tools | phone["devDependencies"].keys() | set(alone)
        if not re.search(rf"\b{re.escape(name)}\b", said)
    } == set()


def test_the_schemas_are_those_of_the_code() -> None:
    assert out_of_date() == []


def test_a_test_names_only_clauses_that_the_rulebooks_have() -> None:
    """Worked examples (NY-EX1) are no clauses: the test itself tells them."""
    known = {*clauses_written(), *(f"{book}-EX{n}" for book in ("NY", "TK") for n in range(1, 10))}
    assert {name: at for name, at in clauses_with_a_test().items() if name not in known} == {}
