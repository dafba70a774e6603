"""Sphinx directives of the site: what is made from the program, so that it cannot grow old."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import getsource
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.service.app import ROUTES
from companion.service.settings import Settings
from companion.service.wire import Role
from tools import schemas
from tools.openapi import descriptions

CATALOGUE = Path(__file__).parents[2] / "webui" / "locales" / "en.json"
FAMILIES = {
    "The command line": ("error.usage.", "error.file.", "error.folder."),
    "Camera": ("error.camera.", "camera_lost"),
    "Why a reading is not sure": ("problem.", "tray.", "drift."),
    "Photos and reports": ("error.photo.", "error.image.", "error.report."),
    "Setting up camera and dice": (
        "error.setup.",
        "error.box.",
        "error.profile.",
        "error.labels.",
        "error.reader.",
    ),
    "Saved games": (
        "error.backup.",
        "log_notice.",
        "error.names.",
        "error.export.",
        "error.story.",
    ),
    "Random games and win chances": ("error.simulate.", "error.forecast."),
    "Home Assistant": ("error.mqtt.",),
    "The machine": ("machine.", "doctor."),
    "The game and the table": ("error.",),
}
"""Errors and warnings by what they are about; a key belongs to the first beginning that it has."""
ROLES = {Role.STRANGER: "anybody", Role.SPECTATOR: "joined", Role.PLAYER: "seated"}
SCHEMAS = "schema"
"""The folder of the schemas, beside the page that lists them."""


def messages() -> dict[str, list[tuple[str, str]]]:
    """Return the sentences and keys of each family, in the catalogue's order."""
    found: dict[str, list[tuple[str, str]]] = {family: [] for family in FAMILIES}
    begins = {start: family for family, starts in FAMILIES.items() for start in starts}
    for key, words in json.loads(CATALOGUE.read_text("utf-8")).items():
        start = next((start for start in begins if key.startswith(start)), None)
        if start is not None:
            said = words if isinstance(words, str) else words["other"]
            found[begins[start]].append((said, key))
    return found


def routes() -> Iterator[tuple[str, str, str, str]]:
    """Yield method and path, who may ask, the fields of the body, and what a route does."""
    said = descriptions()
    for route in ROUTES:
        path = re.sub(r"<\w+:", "<", route.path)
        names = getattr(route.form, "__struct_fields__", ())
        does = said.get((route.method, route.path), "Stream the newest view after every change.")
        yield f"{route.method} {path}", ROLES.get(route.least, "host"), ", ".join(names), does


def settings(kind: type[Any] = Settings) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Yield a class of settings by name, with name, default and meaning of its fields; then those
    of the classes that are its defaults.
    """
    meanings = dict(
        re.findall(r"^    (\w+): .*\n    \"\"\"((?:.|\n)*?)\"\"\"", getsource(kind), re.M)
    )
    rows, inner = [], []
    for one in fields(kind):
        default = _default(one)
        if is_dataclass(default) and type(default).__name__ != "Profile":
            inner.append(type(default))
        else:
            rows.append((one.name, _shown(default), " ".join(meanings.get(one.name, "").split())))
    yield kind.__name__, rows
    for each in inner:
        yield from settings(each)


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, int | float):
        return f"{default:g}" if isinstance(default, float) else str(default)
    return default if isinstance(default, str) else ""


class Messages(SphinxDirective):
    """`{messages}`: all errors and warnings with their keys, a table for each family."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        self.env.note_dependency(str(CATALOGUE))
        return [
            _section(family, _table(("what is shown", "key"), rows, code=(1,)))
            for family, rows in messages().items()
        ]


class Routes(SphinxDirective):
    """`{routes}`: every route of the service."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        return [_table(("route", "who", "body", "what it does"), routes(), code=(0, 2))]


class SettingsTables(SphinxDirective):
    """`{settings}`: the fields of `Settings` and of what it holds."""

    def run(self) -> list[nodes.Node]:
        """Return a table for each class."""
        heads = ("name", "default", "meaning")
        return [_section(name, _table(heads, rows, code=(0,))) for name, rows in settings()]


class Schemas(SphinxDirective):
    """`{schemas}`: the schemas, which the build writes beside the page."""

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        items = []
        for name, (says, _) in schemas.FORMS.items():
            file = f"{name}.json"
            link = nodes.reference("", file, refuri=f"{SCHEMAS}/{file}")
            items.append(
                nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(f": {says}")))
            )
        return [nodes.bullet_list("", *items)]


def _section(title: str, table: nodes.table) -> nodes.section:
    name = nodes.make_id(title)
    return nodes.section("", nodes.title("", title), table, ids=[name], names=[name])


def _table(
    heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, code: tuple[int, ...]
) -> nodes.table:
    """Return a table; `code`: the columns that are code."""
    columns = [nodes.colspec(colwidth=1) for _ in heads]
    head = nodes.thead("", _row(*(nodes.paragraph("", text) for text in heads)))
    body = nodes.tbody("")
    for row in rows:
        cells = [
            nodes.paragraph(
                "", "", nodes.literal("", text) if at in code and text else nodes.Text(text)
            )
            for at, text in enumerate(row)
        ]
        body += _row(*cells)
    return nodes.table("", nodes.tgroup("", *columns, head, body, cols=len(heads)))


def _row(*cells: nodes.paragraph) -> nodes.row:
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def _list_experiments(_: Sphinx, page: str, source: list[str]) -> None:
    """Give the page of experiments its list of pages, which a checkout's reader does not need."""
    if page == "models/experiments/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def _write_schemas(app: Sphinx, failed: Exception | None) -> None:
    if failed is None:
        schemas.write(Path(app.outdir) / "docs" / SCHEMAS)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this module adds."""
    app.add_directive("messages", Messages)
    app.add_directive("routes", Routes)
    app.add_directive("settings", SettingsTables)
    app.add_directive("schemas", Schemas)
    app.connect("source-read", _list_experiments)
    app.connect("build-finished", _write_schemas)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
