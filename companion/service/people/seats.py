"""Where seats went when the table was set otherwise before a game: each is known by its Monster."""

from __future__ import annotations


def new_seat(seat: int | None, before: tuple[str, ...], now: tuple[str, ...]) -> int | None:
    """The seat's number after the Monsters `before` became those of `now`; None: it was removed.

    A seat that only got another Monster stays, and so does one that nobody has named yet.
    """
    if seat is None:
        return None
    if seat >= len(before):
        return seat if seat >= len(now) or now[seat] not in before else None
    if before[seat] in now:
        return now.index(before[seat])
    stays = len(now) == len(before) and now[seat] not in before
    return seat if stays else None
