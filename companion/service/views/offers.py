"""Powers that their owners may use now."""

from __future__ import annotations

from companion.engine import Game, Position, PowerUsed
from companion.service import wire
from companion.service.wire import Args, Words


def offer_views(position: Position) -> tuple[wire.Offer, ...]:
    """Return every open offer, with what using it does."""
    return tuple(
        wire.Offer(
            ref=offer.ref,
            seat=offer.seat,
            label=_label(offer.name, offer.seat, offer.card),
            card=offer.card or None,
            consequence=position.consequences(PowerUsed(offer.seat, offer.ref)),
        )
        for offer in position.offers()
    )


def power_label(game: Game | None, ref: str) -> Words:
    """Return the name of the power: its ability, with the card that carries it."""
    if game is None:
        return Words(key="offer.unknown")
    now = Position.of(game)
    entry = now.index.by_ref.get(ref)
    if entry is None:
        return Words(key="offer.unknown")
    card = now.card(entry.card) if entry.card is not None else None
    return _label(entry.ability.name, entry.seat, card.name if card is not None else "")


def _label(name: str, seat: int, card: str) -> Words:
    args: Args = {"seat": seat, "card": card} if card else {"seat": seat}
    return Words(key=f"offer.{name}", args=args)
