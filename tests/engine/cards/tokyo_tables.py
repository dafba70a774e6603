"""Openings that tests of King of Tokyo's cards share: Monsters with full health, seat 1 in the
City, seat 0 about to roll."""

from __future__ import annotations

from tests.engine.tables import TOKYO, Scene, Table

OUT, CITY, BAY = "outside", "tokyo_city", "tokyo_bay"
NOBODY_IN = (OUT,) * 6
BOTH_IN = (OUT, CITY, BAY, OUT, OUT, OUT)

NOTHING = "112233"
"""Six dice that are worth nothing."""
FOUND = "complete_destruction"
"""The card that turns up where a bought one lay."""


def scene(*cards: tuple[int, str], **more: object) -> Table:
    """Three (or more) Monsters with cards in front of them (seat, name), oldest first."""
    owned: dict[int, tuple[str, ...]] = {}
    for seat, name in cards:
        owned[seat] = (*owned.get(seat, ()), name)
    setting = {"shop": ("energize", "skyscraper", "vast_storm")} | more
    table = Scene(TOKYO, cards=owned, **setting).begin()  # type: ignore[arg-type]
    table.since()  # the income of starting in Tokyo is no matter of these tests
    return table


def shopping(*wares: str, cards: tuple[tuple[int, str], ...] = (), **more: object) -> Table:
    """Seat 0, outside and with 9 energy, rolled what is worth nothing and is asked what it buys."""
    fillers = tuple(name for name in ("energize", "skyscraper", "vast_storm") if name not in wares)
    shop = (*wares, *fillers)[:3]
    table = scene(*cards, **({"shop": shop, "energy": {0: 9}} | more)).order("123").roll("112233")
    assert table.asked == "buy@0", table.asked
    table.since()
    return table
