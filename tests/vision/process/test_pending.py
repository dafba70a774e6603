"""Waiting photos: each gets its answer, and none ends one process after the other."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from companion.vision.camera import MAX_LOSSES, MAX_REMEMBERED, Pending
from companion.vision.messages import ReadPhoto
from companion.vision.readings import DiceReading, PhotoError, ReaderError, SourceError
from tests.waiting import WITHIN_S

STALLED = SourceError("error.camera.stalled")
DIED = ReaderError("error.camera.reader_died")


def sent(pending: Pending, encoded: bytes) -> tuple[ReadPhoto, Future[DiceReading]]:
    """Add the photo, for a process to read."""
    command, answer = pending.add(encoded, WITHIN_S)
    assert command is not None
    return command, answer


READ = DiceReading(game="x", dice=(), problems=(), sure=True, frame=0, at_s=0.0, size=(640, 360))


def test_an_answer_reaches_who_waits_for_it_and_nobody_else() -> None:
    pending = Pending()
    (first, one), (second, other) = sent(pending, b"1"), sent(pending, b"2")
    pending.answer(second.number, READ)
    assert other.result(0) is READ
    assert not one.done()
    pending.answer(first.number, PhotoError("error.photo.heic"))
    assert isinstance(one.exception(0), PhotoError)
    assert pending.commands() == []


def test_a_photo_that_was_still_to_be_read_is_sent_once_more_and_then_given_up() -> None:
    pending = Pending()
    command, answer = sent(pending, b"1")
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
    (first, one), (second, other) = sent(pending, b"1"), sent(pending, b"2")
    pending.begin(first.number)
    pending.lost(DIED)
    given_up = one.exception(0)
    assert isinstance(given_up, PhotoError)
    assert given_up.key == "error.photo.fatal"
    assert pending.commands() == [second]
    pending.begin(second.number)
    pending.answer(second.number, READ)
    assert other.result(0) is READ


def test_a_process_that_dies_after_a_photo_was_read_takes_none_with_it() -> None:
    pending = Pending()
    first, _ = sent(pending, b"1")
    pending.begin(first.number)
    pending.answer(first.number, READ)
    second, answer = sent(pending, b"2")
    pending.lost(DIED)
    assert pending.commands() == [second]
    pending.lost(DIED)
    assert answer.exception(0) is DIED


def test_a_photo_that_is_read_for_too_long_is_given_up_with_a_word_of_its_own() -> None:
    pending = Pending()
    pending.overdue()
    first, one = sent(pending, b"1")
    second, _ = sent(pending, b"2")
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
    _, answer = sent(pending, b"1")
    for _ in range(losses):
        pending.lost(STALLED)
    pending.close()
    assert isinstance(answer.exception(0), ReaderError)
    assert pending.commands() == []


def test_a_picture_that_ended_its_reader_is_refused_at_once_by_whomever_it_is_sent() -> None:
    pending = Pending()
    first, one = sent(pending, b"bomb")
    _, same = sent(pending, b"bomb")
    _, other = sent(pending, b"photo")
    pending.begin(first.number)
    pending.lost(DIED)
    command, again = pending.add(b"bomb", WITHIN_S)
    assert command is None
    for answer in (one, same, again):
        refusal = answer.exception(0)
        assert isinstance(refusal, PhotoError)
        assert refusal.key == "error.photo.fatal"
    assert not other.done()
    assert len(pending.commands()) == 1


def test_a_picture_that_took_its_reader_too_long_is_refused_at_once_by_that_word() -> None:
    pending = Pending()
    first, _ = sent(pending, b"slow")
    pending.begin(first.number)
    pending.overdue()
    command, again = pending.add(b"slow", WITHIN_S)
    refusal = again.exception(0)
    assert command is None
    assert isinstance(refusal, PhotoError)
    assert refusal.key == "error.photo.too_slow"


def test_a_picture_that_only_waited_while_processes_were_lost_may_be_sent_again() -> None:
    pending = Pending()
    _, answer = sent(pending, b"1")
    for _ in range(MAX_LOSSES):
        pending.lost(DIED)
    assert answer.exception(0) is DIED
    assert sent(pending, b"1")[0]


def test_so_many_pictures_are_remembered_and_no_more() -> None:
    pending = Pending()
    for n in range(MAX_REMEMBERED + 1):
        command, _ = sent(pending, b"%d" % n)
        pending.begin(command.number)
        pending.lost(DIED)
    assert pending.add(b"1", WITHIN_S)[0] is None
    assert pending.add(b"0", WITHIN_S)[0] is not None
