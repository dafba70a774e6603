"""What waits for the hub, within its bounds."""

from __future__ import annotations

from companion.mqtt.hub.inbox import (
    LONGEST_NEWEST,
    MOST_BYTES,
    MOST_NEWEST,
    MOST_WAITING,
    Inbox,
)
from companion.mqtt.tables.forms import LONGEST


def test_cards_come_first_the_newest_of_each_table_and_once() -> None:
    inbox = Inbox()
    for kind, payload in (("rows", b"1"), ("card", b"2"), ("card", b"3"), ("games", b"4")):
        inbox.put("window", kind, payload)
    assert len(inbox) == 3
    assert inbox.take() == [
        ("window", "card", b"3"),
        ("window", "rows", b"1"),
        ("window", "games", b"4"),
    ]
    assert (len(inbox), inbox.take()) == (0, [])


def test_of_long_pages_the_newest_wait_up_to_a_number_of_bytes() -> None:
    inbox = Inbox()
    for number in range(2 * MOST_BYTES // LONGEST):
        inbox.put(str(number), "rows", bytes(LONGEST))
    waiting = inbox.take()
    assert sum(len(payload) for *_, payload in waiting) == MOST_BYTES
    assert waiting[-1][0] == str(number)
    inbox.put("again", "rows", bytes(LONGEST))
    assert len(inbox) == 1


def test_of_short_pages_the_newest_wait_up_to_a_number() -> None:
    inbox = Inbox()
    for number in range(MOST_WAITING + 1):
        inbox.put(str(number), "rows", b"")
    waiting = inbox.take()
    assert (len(waiting), waiting[0][0]) == (MOST_WAITING, "1")


def test_cards_of_so_many_tables_wait_and_a_newer_one_still_replaces() -> None:
    inbox = Inbox()
    for number in range(MOST_NEWEST + 1):
        inbox.put(str(number), "card", b"1")
    inbox.put("0", "card", b"2")
    waiting = inbox.take()
    assert (len(waiting), waiting[0]) == (MOST_NEWEST, ("0", "card", b"2"))


def test_a_message_that_is_too_long_is_dropped() -> None:
    inbox = Inbox()
    inbox.put("window", "card", bytes(LONGEST_NEWEST + 1))
    inbox.put("window", "rows", bytes(LONGEST + 1))
    assert len(inbox) == 0
    inbox.put("window", "card", bytes(LONGEST_NEWEST))
    inbox.put("window", "rows", bytes(LONGEST))
    assert len(inbox) == 2
