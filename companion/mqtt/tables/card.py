"""The card of a table: its board and whether somebody should come, made of the newest view."""

from __future__ import annotations

from collections.abc import Collection

from companion.mqtt.home.state import may_be_named
from companion.mqtt.tables.forms import SeatCard, TableCard
from companion.mqtt.tables.rows import PublishedRows
from companion.service import wire
from companion.vision.states import CameraState


def table_card(
    view: wire.View, rows: PublishedRows, *, title: str, address: str, names: Collection[str]
) -> TableCard | None:
    """Return the card of this view; None where its rows are not known yet or any more, since
    another view follows. `names`: who may be named.
    """
    tip = rows.tip(view.table, view.rev)
    if tip is None:
        return None
    game = view.game
    question = None if game is None else game.question
    ended = None if game is None else game.ended
    return TableCard(
        title=title,
        address=address,
        log=view.table,
        rows=view.rev,
        tip=tip,
        at=view.log[-1].at if view.log else "",
        game=None if game is None else game.game,
        edition=None if game is None else game.edition,
        turn=0 if game is None else game.turn,
        active=None if game is None or ended is not None else game.active,
        seats=() if game is None else tuple(_seat(seat, names) for seat in game.seats),
        asked=None if question is None else question.key,
        reason=None if ended is None else ended.reason,
        winners=() if ended is None else ended.winners,
        camera=view.tray.camera,
        help=_help(view),
        origin=rows.origin,
    )


def _seat(seat: wire.SeatView, names: Collection[str]) -> SeatCard:
    return SeatCard(
        player=seat.player if may_be_named(seat.player, names) else "",
        monster=seat.monster,
        health=seat.health,
        stars=seat.stars,
        energy=seat.energy,
        alive=seat.alive,
        place=seat.place,
    )


def _help(view: wire.View) -> tuple[str, ...]:
    """Return why somebody should come to the table."""
    tray = view.tray
    found = {
        "camera": tray.camera is CameraState.LOST,
        "tray": tray.camera is CameraState.OK and (tray.problem or tray.drift) is not None,
        "unsaved": not view.saved,
        "notices": bool(view.notices),
    }
    return tuple(key for key, is_so in found.items() if is_so)
