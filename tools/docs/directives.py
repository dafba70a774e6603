"""Sphinx directives of the site: tables made from the program, so that they cannot grow old."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CATALOGUE = Path(__file__).parents[2] / "webui" / "locales" / "en.json"
FAMILIES = (
    "error.camera.",
    "problem.",
    "tray.",
    "drift.",
    "camera_lost",
    "error.photo.",
    "error.image.",
    "error.usage.",
    "error.file.",
    "error.folder.",
    "error.setup.",
    "error.box.",
    "error.profile.",
    "error.labels.",
    "error.reader.",
    "error.report.",
    "error.archive.",
    "log_notice.",
    "error.names.",
    "error.export.",
    "error.forecast.",
    "error.story.",
    "error.simulate.",
    "error.form.",
    "error.mqtt.",
    "machine.",
    "doctor.",
    "error.",
)
"""Families of refusals and notices; a key belongs to the first one that it begins with."""


def messages(family: str) -> list[tuple[str, str]]:
    """Return keys and English sentences of a family, in the catalogue's order."""
    catalogue = json.loads(CATALOGUE.read_text("utf-8"))
    return [
        (key, words if isinstance(words, str) else words["other"])
        for key, words in catalogue.items()
        if next((own for own in FAMILIES if key.startswith(own)), None) == family
    ]


class Messages(SphinxDirective):
    """`{messages} FAMILY`: the sentences of a family with their keys, as a table."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table; an unknown family fails the build."""
        rows = messages(self.arguments[0])
        if not rows:
            raise self.error(f"no message begins with {self.arguments[0]}")
        self.env.note_dependency(str(CATALOGUE))
        return [_table(("what is shown", "key"), rows)]


def _table(heads: tuple[str, str], rows: list[tuple[str, str]]) -> nodes.table:
    columns = [nodes.colspec(colwidth=width) for width in (75, 25)]
    head = nodes.thead("", _row(*(nodes.paragraph("", text) for text in heads)))
    body = nodes.tbody(
        "",
        *(
            _row(nodes.paragraph("", text), nodes.paragraph("", "", nodes.literal("", key)))
            for key, text in rows
        ),
    )
    return nodes.table("", nodes.tgroup("", *columns, head, body, cols=2))


def _row(*cells: nodes.paragraph) -> nodes.row:
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def _list_experiments(_: Sphinx, page: str, source: list[str]) -> None:
    """Give the page of experiments its list of pages, which a checkout's reader does not need."""
    if page == "models/experiments/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this module adds."""
    app.add_directive("messages", Messages)
    app.connect("source-read", _list_experiments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
