"""What the documents' site takes from the program: tables of messages and routes, and schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from companion.service.app import ROUTES
from companion.service.wire import Role
from tools import schemas

CATALOGUE = Path(__file__).parents[1] / "webui" / "locales" / "en.json"
SHOWN = re.compile(r"error\.|problem\.|log_notice\.|tray\.|drift\.|camera_lost|machine\.|doctor\.")
"""How the keys of errors and warnings begin."""
ROLES = {Role.STRANGER: "anybody", Role.SPECTATOR: "joined", Role.PLAYER: "seated"}
MARKS = re.compile(r"([\\`*_\[\]<|])")


def messages() -> str:
    """Return a table of errors and warnings with their keys, in the catalogue's order."""
    rows = (
        (words if isinstance(words, str) else words["other"], f"`{key}`")
        for key, words in json.loads(CATALOGUE.read_text("utf-8")).items()
        if SHOWN.match(key)
    )
    return _table(
        "what is shown", "key", rows=((MARKS.sub(r"\\\1", said), key) for said, key in rows)
    )


def routes() -> str:
    """Return a table of all routes: who may ask, the body's fields, what each does."""
    said = schemas.descriptions()
    rows = []
    for route in ROUTES:
        body = ", ".join(getattr(route.form, "__struct_fields__", ()))
        does = said.get((route.method, route.path), "Stream the newest view after every change.")
        who = ROLES.get(route.least, "host")
        path = re.sub(r"<\w+:", "<", route.path)
        rows.append((f"`{route.method} {path}`", who, f"`{body}`" if body else "", does))
    return _table("route", "who", "body", "what it does", rows=rows)


def forms() -> str:
    """Return a list of the schemas, with links to the files that the build writes."""
    return "\n".join(
        f'- <a href="schema/{name}.json">{name}.json</a>: {says}'
        for name, (says, _) in schemas.FORMS.items()
    )


def _table(*heads: str, rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


class Made(SphinxDirective):
    """`{messages}`, `{routes}`, `{forms}`: what the function of that name returns."""

    def run(self) -> list[nodes.Node]:
        """Return the part."""
        part: list[nodes.Node] = self.parse_text_to_nodes(MADE[self.name]())
        return part


MADE = {"messages": messages, "routes": routes, "forms": forms}


def _write_schemas(app: Sphinx, failed: Exception | None) -> None:
    if failed is None:
        schemas.write(Path(app.outdir) / "docs" / "schema")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what this module adds."""
    for name in MADE:
        app.add_directive(name, Made)
    app.connect("build-finished", _write_schemas)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
