"""Contrast of every text, edge, fill and picture, computed from the colour tokens; drawings: all
that is named has one, and they are well formed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.engine import Face, Token, UnitKind
from companion.engine.authoring import NEW_YORK as NEW_YORK_RULES
from companion.service.views import logbook, view
from companion.service.views.tasks import DIALS

WEBUI = Path(__file__).resolve().parents[1] / "webui" / "src"
TOKENS = "".join(
    (WEBUI / "styles" / name).read_text(encoding="utf-8") for name in ("shared.css", "phone.css")
)
MONSTERS = (WEBUI / "art" / "monsters.tsx").read_text(encoding="utf-8")
PALETTE = (WEBUI / "art" / "signs.tsx").read_text(encoding="utf-8")
NEW_YORK = (WEBUI / "art" / "maps.tsx").read_text(encoding="utf-8")

TEXTS = ("text", "muted", "energy", "damage", "health", "stars", "info")
GROUNDS = ("ground", "panel", "raised")
FILLS = ("fill-go", "fill-go-pressed", "fill-damage", "fill-health", "fill-stars", "fill-info")
THEMES = {
    "night": '[data-theme="night"]',
    "paper": '[data-theme="paper"]',
    "black": '[data-theme="black"]',
    "automatic paper": ':root[data-theme="auto"]',
}
READABLE = 4.5
VISIBLE = 3.0
POSTER_PATTERN = 0.14
"""How strong the ink pattern of a poster head is: what text may stand on."""

Colour = tuple[float, float, float]


def blocks() -> list[tuple[str, dict[str, str]]]:
    """Selector and custom properties of every rule, in order."""
    bare = re.sub(r"/\*.*?\*/", "", TOKENS, flags=re.DOTALL)
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", bare)
    return [(head, dict(re.findall(r"--([\w-]+):\s*([^;]+);", body))) for head, body in rules]


def tokens(selector: str) -> dict[str, str]:
    """The custom properties of the first rule for that selector."""
    return next(found for head, found in blocks() if selector in head)


def colour(text: str) -> Colour:
    """#rrggbb as three shares of one."""
    assert re.fullmatch(r"#[0-9a-f]{6}", text), text
    red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return (red, green, blue)


def luminance(shade: Colour) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """The ratio of WCAG 2, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def under(ink: Colour, field: Colour, share: float) -> Colour:
    """The field with a share of ink over it."""
    red, green, blue = (i * share + f * (1 - share) for i, f in zip(ink, field, strict=True))
    return (red, green, blue)


def palette(name: str) -> Colour:
    """A named colour of pictures."""
    found = re.search(rf'export const {name} = "(#\w+)"', PALETTE)
    assert found is not None, name
    return colour(found[1])


def monsters() -> list[tuple[str, str]]:
    """Art id and field."""
    return re.findall(r'id: "(\w+)",\s+field: "(#\w+)"', MONSTERS)


INK = palette("INK")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_is_readable_in_every_theme(theme: str, text: str, ground: str) -> None:
    theme_tokens = tokens(THEMES[theme])
    assert contrast(colour(theme_tokens[text]), colour(theme_tokens[ground])) >= READABLE


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_edges_are_visible_in_every_theme(theme: str, ground: str) -> None:
    theme_tokens = tokens(THEMES[theme])
    assert contrast(colour(theme_tokens["edge"]), colour(theme_tokens[ground])) >= VISIBLE


def test_the_automatic_light_theme_is_the_paper_theme() -> None:
    assert tokens(THEMES["automatic paper"]) == tokens(THEMES["paper"])


def test_all_themes_have_the_same_tokens() -> None:
    assert {frozenset(tokens(selector)) for selector in THEMES.values()} == {
        frozenset((*TEXTS, *GROUNDS, "edge"))
    }


@pytest.mark.parametrize("fill", [*FILLS])
def test_ink_is_readable_on_every_fill(fill: str) -> None:
    shared = next(found for _, found in blocks() if "ink" in found)
    assert contrast(colour(shared["ink"]), colour(shared[fill])) >= READABLE


def test_there_are_twelve_monsters_of_different_colours() -> None:
    assert len(monsters()) == 12
    assert len({field for _, field in monsters()}) == 12


@pytest.mark.parametrize(("monster", "field"), monsters())
def test_a_monster_is_readable_with_its_pattern(monster: str, field: str) -> None:
    assert contrast(INK, colour(field)) >= READABLE
    assert contrast(INK, under(INK, colour(field), POSTER_PATTERN)) >= READABLE


def test_the_grey_of_what_is_over_carries_ink() -> None:
    assert contrast(INK, under(INK, palette("GREY"), POSTER_PATTERN)) >= READABLE


def test_words_on_the_map_are_readable() -> None:
    assert contrast(palette("PAPER"), INK) >= READABLE
    assert contrast(INK, palette("GOLD")) >= READABLE
    zones = re.findall(r'\["\w+", "(#\w+)"\]', NEW_YORK)
    assert len(zones) == 3
    for zone in zones:
        assert contrast(INK, colour(zone)) >= READABLE


# -- drawings --

GOALS = ("superstar", "statue_of_liberty")
CURVES = re.compile(r"(?:[MlhvqcZ]|-?(?:\d+\.\d+|\d+|\.\d+)| )+")


def signs() -> dict[str, str]:
    """Path data by the sign's name."""
    source = (WEBUI / "art" / "signs.tsx").read_text(encoding="utf-8")
    return dict(re.findall(r'^  (\w+):\s+"(M[^"]+)",$', source, flags=re.MULTILINE))


def silhouettes() -> dict[str, tuple[str, str]]:
    """Silhouette and marks by art id."""
    entry = r'id: "(\w+)",.*?body:\s+"([^"]+)",\s+marks:\s+"([^"]+)"'
    return {name: (body, marks) for name, body, marks in re.findall(entry, MONSTERS, re.DOTALL)}


def test_every_face_token_unit_and_goal_has_a_sign() -> None:
    assert {*Face, *Token, *UnitKind, *GOALS} <= set(signs())


def test_every_tile_has_the_sign_of_its_kind() -> None:
    assert NEW_YORK_RULES.tiles
    assert {re.sub(r"_\d+$", "", tile) for tile in NEW_YORK_RULES.tiles} <= set(signs())


def test_every_sign_the_service_sends_is_drawn() -> None:
    assert {*DIALS.values(), *logbook.SIGNS.values()} <= set(signs())


def test_the_service_and_the_page_know_the_same_silhouettes() -> None:
    assert set(view.MONSTERS) == set(silhouettes())


@pytest.mark.parametrize("name", sorted(signs()))
def test_a_sign_is_closed_curves(name: str) -> None:
    path = signs()[name]
    assert path.endswith("Z")
    assert CURVES.fullmatch(path)


@pytest.mark.parametrize("name", sorted(silhouettes()))
def test_a_monster_is_closed_curves_of_its_own(name: str) -> None:
    body, marks = silhouettes()[name]
    for path in (body, marks):
        assert path.endswith("Z")
        assert CURVES.fullmatch(path)
    assert [other for other, drawn in silhouettes().items() if drawn[0] == body] == [name]
