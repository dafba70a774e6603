"""Checks of the built site: it loads nothing from other hosts, and no link inside it is dead.

Links in a text may lead anywhere: a reader follows them on purpose. What a page loads by itself
(scripts, styles, pictures, fonts, frames) must be part of the site.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("poster", "src"),
}
"""What makes a browser load something, by element."""
HINTS = frozenset({"author", "license", "next", "prev", "search", "index", "canonical", "help"})
"""Relations of a `link` that make no browser load anything."""
CSS_LOADS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """What a page loads, where it links to, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what this element loads or links to."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.loads += [given[name] for name in LOADING.get(tag, ()) if name in given]
        self.loads += style_loads(given.get("style", ""))
        if tag == "link" and not HINTS & set(given.get("rel", "").split()):
            self.loads.append(given.get("href", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self._in_style = tag == "style"

    def handle_data(self, data: str) -> None:
        """Note what a style in the page loads."""
        if self._in_style:
            self.loads += style_loads(data)


def style_loads(text: str) -> list[str]:
    """Return every address that a style sheet loads."""
    return [one or other for one, other in CSS_LOADS.findall(text)]


def is_foreign(address: str) -> bool:
    """Return whether a browser would ask another host for this."""
    return bool(urlsplit(address.strip()).netloc)


def problems(site: Path) -> list[str]:
    """Return a line for each thing that is wrong with a built site."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [
        f"{path.relative_to(site)} loads {address}"
        for path, page in pages.items()
        for address in page.loads
        if is_foreign(address)
    ]
    found += [
        f"{path.relative_to(site)} loads {address}"
        for path in sorted(site.rglob("*.css"))
        for address in style_loads(path.read_text("utf-8"))
        if is_foreign(address)
    ]
    for path, page in pages.items():
        inside = [address for address in (*page.links, *page.loads) if not urlsplit(address).scheme]
        for address in dict.fromkeys(inside):
            if not is_foreign(address) and not _leads_somewhere(path, address, pages):
                found.append(f"{path.relative_to(site)} links to {address}, which is not there")
    return found


def _leads_somewhere(path: Path, address: str, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
    if not target.is_file():
        return False
    page = pages.get(target)
    return (
        not parts.fragment or page is None or unquote(parts.fragment) in page.anchors | {"", "top"}
    )
