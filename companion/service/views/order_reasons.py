"""Why the groups of a roll are resolved in an order: what another order leads to, in numbers."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from companion.engine import Change, Face, Number, Position, PreviewRow, Seat
from companion.service.requests import OrderReason, PreviewAnswer


def with_reasons(
    answer: PreviewAnswer,
    position: Position,
    faces: tuple[Face, ...],
    order: tuple[Face, ...],
    rethrown: tuple[int, ...],
) -> PreviewAnswer:
    """Add what of the order matters: of an order that was asked for, all of it beside the suggested
    one; of the suggested one, each two neighbours that lead elsewhere the other way round.
    """

    def leads_to(other: tuple[Face, ...]) -> dict[tuple[Seat, Number], Change]:
        return _totals(position.preview(faces, other, rethrown).rows)

    here = _totals(answer.rows)
    if order:
        found = [_reason(None, None, here, leads_to(()))]
    else:
        found = [
            _reason(first, then, here, leads_to(_swapped(answer.order, first, then)))
            for first, then in pairwise(answer.order)
        ]
    return replace(answer, reasons=tuple(one for one in found if one is not None))


def _swapped(order: tuple[Face, ...], first: Face, then: Face) -> tuple[Face, ...]:
    change = {first: then, then: first}
    return tuple(change.get(face, face) for face in order)


def _totals(rows: tuple[PreviewRow, ...]) -> dict[tuple[Seat, Number], Change]:
    """Return each number that the groups change together, from before the first to after the
    last.
    """
    found: dict[tuple[Seat, Number], Change] = {}
    for row in rows:
        for change in row.changes:
            key = (change.seat, change.what)
            before = found[key].before if key in found else change.before
            found[key] = Change(change.seat, change.what, before, change.after)
    return found


def _reason(
    first: Face | None,
    then: Face | None,
    here: dict[tuple[Seat, Number], Change],
    there: dict[tuple[Seat, Number], Change],
) -> OrderReason | None:
    """Return the numbers in which the two differ; None where there are none."""
    keys = [
        key
        for key in sorted({*here, *there}, key=lambda key: (key[0], key[1].value))
        if _end(here, there, key) != _end(there, here, key)
    ]
    if not keys:
        return None
    return OrderReason(
        first=first,
        then=then,
        changes=tuple(_end(here, there, key) for key in keys),
        instead=tuple(_end(there, here, key) for key in keys),
    )


def _end(
    one: dict[tuple[Seat, Number], Change],
    other: dict[tuple[Seat, Number], Change],
    key: tuple[Seat, Number],
) -> Change:
    """Return the change, which is none where only the other order changes the number."""
    found = one.get(key)
    if found is not None:
        return found
    unchanged = other[key]
    return Change(unchanged.seat, unchanged.what, unchanged.before, unchanged.before)
