"""Openings that tests of single cards share: three Monsters of King of New York; seat 0 in
Brooklyn, about to roll; seat 1 in Queens, so that its turn begins without income; seat 2 in
Manhattan."""

from __future__ import annotations

from companion.engine.effects.numbers import Damage
from companion.engine.game import Together
from companion.engine.values import Seat
from tests.engine.tables import Scene, Table, after

AT = ("brooklyn", "queens", "lower_2_4")
DEAR = ("holland_tunnel", "yankee_stadium", "drink_the_hudson")
"""For sale, and out of reach."""

FOUND = "extra_head"
"""The card that turns up where a bought one lay."""


def holding(*cards: tuple[int, str], **more: object) -> Table:
    """The opening with cards in front of Monsters (seat, name), oldest first."""
    owned: dict[int, tuple[str, ...]] = {}
    for seat, name in cards:
        owned[seat] = (*owned.get(seat, ()), name)
    return Scene(cards=owned, **{"at": AT, "shop": DEAR, **more}).begin()  # type: ignore[arg-type]


def resolve(table: Table, letters: str) -> Table:
    """Six dice in this order of groups; missing ones are hearts, resolved last."""
    table.order("".join(dict.fromkeys(letters + "H")))
    return table.roll(letters + "H" * (table.game.turn.dice - len(letters)))


def shopping(*wares: str, **more: object) -> Table:
    """Seat 0 rolled hearts, stays where it is, and is asked what it buys."""
    shop = (*wares, "towering_titan", "yankee_stadium", "long_neck")[:3]
    scene = Scene(shop=shop, **{"at": AT, **more})  # type: ignore[arg-type]
    return stays(scene.begin().roll("HHHHHH"))


def stays(table: Table) -> Table:
    """Who may move does not; what happened before is looked at."""
    if table.asked.startswith("move@"):
        table.choose("stay")
    return looked(table)


def looked(table: Table) -> Table:
    """What happened before is looked at."""
    table.since()
    return table


def card_hurts(table: Table, *blows: tuple[int, int], by: int = -1) -> Table:
    """Damage at once that is no attack: (seat, amount), on top of what is asked."""
    packet = Together(tuple(Damage(Seat(seat), amount, Seat(by)) for seat, amount in blows))
    return after(table.game, packet)


def next_roll(table: Table, seat: int = 1) -> Table:
    """Nothing is left over: the turn ends and the next Monster's first roll is asked for."""
    assert table.end_turn().asked == f"roll@{seat}"
    return table
