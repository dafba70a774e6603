"""New numbers of seats after the table was changed before a game: seats are matched by Monster."""

from __future__ import annotations


def new_seat(seat: int | None, before: tuple[str, ...], now: tuple[str, ...]) -> int | None:
    """Return the seat's number among the Monsters `now`; None where it was removed.

    A seat that only got another Monster keeps its number, and so does one without a Monster yet.
    """
    if seat is None:
        return None
    if seat >= len(before):
        return seat if seat >= len(now) or now[seat] not in before else None
    if before[seat] in now:
        return now.index(before[seat])
    stays = len(now) == len(before) and now[seat] not in before
    return seat if stays else None
