"""Cards that gain energy or take it."""

from __future__ import annotations

from collections.abc import Callable

from companion.engine.base_position import My
from companion.engine.effects.numbers import GainEnergy, HandOver
from companion.engine.effects.sources import Mark
from companion.engine.effects.turn import MarkUsed
from companion.engine.game import Step
from companion.engine.questions import Answer
from companion.engine.shared.cards import bought, discard, gain, keep
from companion.engine.shared.decorators import whenever
from companion.engine.values import Deed, Seat


def _tap(my: My, gainer: Seat) -> Answer:
    mark = Mark("tapped", my.card_id, seat=gainer)
    gained = my.position.tallied(Deed.ENERGY_GAINED, by=gainer)
    if gainer == my.seat or gained < 3 or my.has_used(mark):
        return None
    return (MarkUsed(my.seat, str(mark)), HandOver(gainer, 1, my.seat))


@whenever(GainEnergy)
def tap_power(my: My, gain: GainEnergy) -> Answer:
    """Another Monster that has gained 3 energy in a turn pays you 1, once a turn."""
    return _tap(my, gain.seat)


@whenever(HandOver)
def tap_gifts(my: My, given: HandOver) -> Answer:
    """Energy that another Monster is given counts as gained, too."""
    return _tap(my, given.to)


def everyone_gains_energy(amount: int) -> Callable[[My], tuple[Step, ...]]:
    """Make steps that give this much energy to every living Monster."""
    return lambda my: tuple(
        GainEnergy(s, amount) for s in my.position.clockwise(my.seat) if my.position.is_alive(s)
    )


_MANHATTAN = ("manhattan",)

CARDS = (
    discard(
        "holland_tunnel", 9, bought(gain(stars=6), everyone_gains_energy(3)), district=_MANHATTAN
    ),
    keep("power_tap", 4, tap_power, tap_gifts),
)
