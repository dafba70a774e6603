"""A picture for `docs/simulation.md`: how often the Monster that was dealt a card has won.

`python -m tools.card_strength FOLDER PICTURE.svg` runs the query of that page on the rows in
FOLDER, and draws a row for each card: its share of wins, with the interval.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from companion.catalogues import catalogue

PAGE: Final = Path(__file__).parent.parent / "docs" / "simulation.md"
IN_PAGE: Final = "games/games-*.jsonl"
"""Where the query of the page looks."""
WIDTH, ROW, LEFT, TOP, BOTTOM = 640, 16, 190, 34, 44
SIDE: Final = 16
MOST: Final = 1.0


@dataclass(frozen=True, slots=True)
class Strength:
    """A card with what the query found; `low` to `high` is the interval of `share`."""

    card: str
    games: int
    share: float
    low: float
    high: float


def query() -> str:
    """Return the query of the page."""
    found = re.search(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def strengths(folder: Path) -> list[Strength]:
    """Run the query on the rows in the folder, best card first."""
    rows = duckdb.sql(query().replace(IN_PAGE, f"{folder}/games-*.jsonl")).fetchall()
    return [Strength(*row) for row in rows]


def even_share(folder: Path) -> float:
    """Return the share of wins of all seats: what each card has if none matters."""
    select = f"SELECT unnest(seats) AS s FROM '{folder}/games-*.jsonl'"
    ((share,),) = duckdb.sql(f"SELECT avg(s.won::INT) FROM ({select})").fetchall()
    return float(share)


def picture(rows: list[Strength], even: float, title: str) -> str:
    """Return the plot as SVG, in colours that both light and dark pages bear."""
    names = catalogue("en")
    most = min(MOST, max([row.high for row in rows] + [2 * even]))
    height = TOP + ROW * len(rows) + BOTTOM

    def x(share: float) -> float:
        return round(LEFT + (WIDTH - LEFT - SIDE) * share / most, 1)

    bottom = TOP + ROW * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11" role="img" aria-label="{title}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{SIDE}" y="20" font-size="13" font-weight="bold">{title}</text>',
    ]
    for percent in range(0, int(most * 100) + 1, 10):
        at = x(percent / 100)
        parts.append(f'<path d="M{at} {TOP}V{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{at}" y="{bottom + 16}" text-anchor="middle">{percent} %</text>')
    parts.append(
        f'<path d="M{x(even)} {TOP - 4}V{bottom}" stroke="#555" stroke-dasharray="3 3"/>'
        f'<text x="{x(even)}" y="{bottom + 34}" text-anchor="middle" fill="#555">'
        f"every card alike: {100 * even:.1f} %</text>"
    )
    for number, row in enumerate(rows):
        y = TOP + ROW * number + ROW / 2
        colour = "#b3261e" if row.low > even else "#1f5fae" if row.high < even else "#777"
        name = names.get(f"card.tokyo.{row.card}.name", row.card)
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{name}</text>'
            f'<path d="M{x(row.low)} {y:g}H{x(row.high)}" stroke="{colour}" stroke-width="2"/>'
            f'<circle cx="{x(row.share)}" cy="{y:g}" r="3.5" fill="{colour}"/>'
        )
    return "\n".join([*parts, "</svg>", ""])


def main(arguments: list[str]) -> int:
    """Draw; return the exit status."""
    if len(arguments) != 2:
        print("python -m tools.card_strength FOLDER PICTURE.svg", file=sys.stderr)
        return 2
    folder, target = map(Path, arguments)
    rows = strengths(folder)
    Path(target).write_text(
        picture(rows, even_share(folder), "Games won by who was dealt the card")
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
