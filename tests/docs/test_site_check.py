"""The check of the built site finds what a page would load from elsewhere, and dead links."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docs.check import problems

WHOLE = '<html><body><h1 id="top-of-it">A</h1><a href="#top-of-it">up</a></body></html>'


def site(folder: Path, **files: str) -> Path:
    """A site of one whole page, and the given files beside it (`__` stands for the dot)."""
    (folder / "index.html").write_text(WHOLE)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_a_whole_site_has_no_problem(tmp_path: Path) -> None:
    page = '<link rel="stylesheet" href="a.css"><a href="index.html#top-of-it">A</a>'
    style = "b { background: url(data:image/svg+xml;base64,AA==) }"
    assert problems(site(tmp_path, b__html=page, a__css=style)) == []


@pytest.mark.parametrize(
    "loads",
    [
        '<script src="https://cdn.example/a.js"></script>',
        '<script src="//cdn.example/a.js"></script>',
        '<img src="http://cdn.example/a.png">',
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<link rel="preconnect" href="https://fonts.example">',
        '<iframe src="https://film.example/"></iframe>',
        '<style>@import "https://fonts.example/css";</style>',
        '<p style="background: url(https://cdn.example/a.png)">A</p>',
        '<svg><use href="https://cdn.example/a.svg#b"></use></svg>',
    ],
)
def test_a_page_that_loads_from_elsewhere_is_found(tmp_path: Path, loads: str) -> None:
    (found,) = problems(site(tmp_path, b__html=loads))
    assert found.startswith("b.html loads ")
    assert ".example" in found


def test_a_style_sheet_that_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    style = "@font-face { src: url('https://fonts.example/a.woff2') }"
    assert problems(site(tmp_path, a__css=style)) == ["a.css loads https://fonts.example/a.woff2"]


def test_a_link_in_a_text_may_lead_anywhere(tmp_path: Path) -> None:
    page = '<a href="https://www.example/">elsewhere</a> <a href="mailto:a@b.example">mail</a>'
    assert problems(site(tmp_path, b__html=page)) == []


@pytest.mark.parametrize("address", ["c.html", "index.html#b", "#b", "a/b.png"])
def test_a_link_to_nothing_is_found(tmp_path: Path, address: str) -> None:
    found = problems(site(tmp_path, b__html=f'<a href="{address}">A</a>'))
    assert found == [f"b.html links to {address}, which is not there"]
