"""Photos that wait: each gets its answer, and none ends one process after the other."""

from __future__ import annotations

import pytest

from companion.vision.errors import PhotoError, ReaderError, SourceError
from companion.vision.pending import Pending
from companion.vision.readings import DiceReading
from tests.waiting import WITHIN_S

STALLED = SourceError("error.camera.stalled")
DIED = ReaderError("error.camera.reader_died")
READ = DiceReading(game="x", dice=(), problems=(), sure=True, frame=0, at_s=0.0, size=(640, 360))


def test_an_answer_reaches_who_waits_for_it_and_nobody_else() -> None:
    pending = Pending()
    (first, one), (second, other) = pending.take(b"1", WITHIN_S), pending.take(b"2", WITHIN_S)
    pending.answer(second.number, READ)
    assert other.result(0) is READ
    assert not one.done()
    pending.answer(first.number, PhotoError("error.photo.heic"))
    assert isinstance(one.exception(0), PhotoError)
    assert pending.commands() == []


def test_a_photo_that_was_still_to_be_read_is_sent_once_more_and_then_given_up() -> None:
    pending = Pending()
    command, answer = pending.take(b"1", WITHIN_S)
    pending.lost(STALLED)
    assert pending.commands() == [command]
    assert not answer.done()
    pending.lost(STALLED)
    assert pending.commands() == []
    given_up = answer.exception(0)
    assert isinstance(given_up, PhotoError)
    assert given_up.key == "error.photo.too_slow"


def test_a_photo_that_ends_its_process_is_given_up_at_once_and_no_other() -> None:
    pending = Pending()
    (first, one), (second, other) = pending.take(b"1", WITHIN_S), pending.take(b"2", WITHIN_S)
    pending.begin(first.number)
    pending.lost(DIED)
    assert one.exception(0) is DIED
    assert pending.commands() == [second]
    pending.begin(second.number)
    pending.answer(second.number, READ)
    assert other.result(0) is READ


def test_a_process_that_dies_after_a_photo_was_read_takes_none_with_it() -> None:
    pending = Pending()
    first, _ = pending.take(b"1", WITHIN_S)
    pending.begin(first.number)
    pending.answer(first.number, READ)
    second, answer = pending.take(b"2", WITHIN_S)
    pending.lost(DIED)
    assert pending.commands() == [second]
    pending.lost(DIED)
    assert answer.exception(0) is DIED


def test_a_photo_that_is_read_for_too_long_is_given_up_with_a_word_of_its_own() -> None:
    pending = Pending()
    pending.overdue()
    first, one = pending.take(b"1", WITHIN_S)
    second, _ = pending.take(b"2", WITHIN_S)
    pending.overdue()
    assert not one.done(), "nobody has begun it"
    pending.begin(first.number)
    pending.overdue()
    given_up = one.exception(0)
    assert isinstance(given_up, PhotoError)
    assert given_up.key == "error.photo.too_slow"
    assert pending.commands() == [second]


@pytest.mark.parametrize("losses", [0, 1])
def test_at_the_end_nobody_waits(losses: int) -> None:
    pending = Pending()
    _, answer = pending.take(b"1", WITHIN_S)
    for _ in range(losses):
        pending.lost(STALLED)
    pending.close()
    assert isinstance(answer.exception(0), ReaderError)
    assert pending.commands() == []
