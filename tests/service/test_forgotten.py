"""What did we forget: findings of the log, each mended by the one event that it comes with."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from companion.service import wire_pages
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.service.views import score_audit
from companion.service.wire import QuestionKind
from companion.service.wire_pages import MendKind
from companion.table.log import EventLog
from tests.service.phone import Json, Phone, app_state_of, play_until
from tests.service.test_commands import corrected, key_of

PLAYERS = 3
DULL = ("stay", "end")


def look(phone: Phone) -> wire_pages.ForgottenView:
    return read(phone.get("/api/forgotten"))


def read(answer: TestResponse) -> wire_pages.ForgottenView:
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.data, type=wire_pages.ForgottenView)


def act(phone: Phone, what: str) -> TestResponse:
    return phone.post("/api/forgotten", {"act": what})


@pytest.fixture
def others(app: Flask, host: Phone, game: str) -> list[Phone]:
    """The host at the first seat, and a phone at each other one; somebody's roll is next."""
    found = [host]
    for _ in range(1, PLAYERS):
        phone = Phone(app)
        phone.join(code=app_state_of(app).browsers.invitation.code)
        found.append(phone)
    host.set_up(game, PLAYERS)
    play_until(host, QuestionKind.ROLL, random.Random(1))
    for seat, phone in enumerate(found):
        phone.sit(seat)
    return found


def roll(host: Phone, *faces: str) -> int:
    """Roll these faces for the turn; return whose it was."""
    active = host.game().active
    rolled = [*faces, *["heal"] * (host.dice() - len(faces))]
    host.say({"type": "DiceRolled", "faces": rolled, "final": True})
    while (question := host.game().question) is not None and question.kind != QuestionKind.ROLL:
        event = host.next_event(random.Random(1))
        assert event is not None
        quiet = [option.key for option in question.options if option.key in DULL]
        host.say({**event, "option": quiet[0]} if quiet else event)
    return active


def forget_energy(host: Phone) -> int:
    """Three energy that the dice brought, and the dial was turned back; return the seat."""
    before = host.game().seats[host.game().active].energy
    seat = roll(host, "energy", "energy", "energy")
    assert host.game().seats[seat].energy == before + 3
    host.say(corrected(seat, "energy", before))
    return seat


def keep_hearts(host: Phone) -> int:
    """A hit, and the dial was turned back; return the seat that kept its hearts."""
    before = {seat.seat: seat.health for seat in host.game().seats}
    for _ in range(12):
        roll(host, "attack", "attack")
        hit = [s.seat for s in host.game().seats if s.health < before[s.seat]]
        if hit:
            host.say(corrected(hit[0], "health", before[hit[0]]))
            return hit[0]
    raise AssertionError("nobody was hit")


def test_a_game_by_the_rules_has_no_finding(host: Phone, others: list[Phone]) -> None:
    roll(host, "attack", "energy")
    found = look(host)
    given = [one for one in found.findings if one.mend is not MendKind.NAME]
    assert (given, found.by_hand, found.left, found.cannot) == ([], (), 0, None)
    assert found.since == 0
    assert found.turns == host.game().turn


def test_what_only_gives_is_mended_at_once_and_taken_back_by_name(
    host: Phone, others: list[Phone]
) -> None:
    seat = forget_energy(host)
    before = host.game().seats[seat].energy
    (found,) = [one for one in look(host).findings if one.seat == seat]
    assert found.mend is MendKind.GIVE
    assert (found.turn, found.clause is not None) == (1, True)
    (change,) = found.changes
    assert (change.seat, change.before, change.after) == (seat, before, before + 3)
    host.say(dict(msgspec.to_builtins(found.fix)))
    assert host.game().seats[seat].energy == before + 3
    assert not [one for one in look(host).findings if one.seat == seat]
    undo = host.view().undo
    assert undo is not None
    host.say({"type": "Undone", "seq": undo.seq})
    assert [one.id for one in look(host).findings if one.seat == seat] == [found.id]


def test_what_costs_somebody_is_mended_at_once_too(host: Phone, others: list[Phone]) -> None:
    seat = keep_hearts(host)
    before = host.game().seats[seat].health
    (found,) = [one for one in look(others[seat]).findings if one.seat == seat]
    assert found.mend is MendKind.DO
    others[1].say(dict(msgspec.to_builtins(found.fix)))
    assert not [one for one in look(host).findings if one.seat == seat]
    assert host.game().seats[seat].health == found.changes[0].after < before


def test_what_is_left_is_asked_no_more_until_somebody_wants_it(
    app: Flask, host: Phone, others: list[Phone], tmp_path: Path
) -> None:
    seat = forget_energy(host)
    unnamed = [one.id for one in look(host).findings if one.mend is MendKind.NAME]
    left = read(act(host, "leave"))
    assert ([one.id for one in left.findings], left.left) == (unnamed, 1)
    app_state_of(app).close()
    again = create_app(Settings(data=app_state_of(app).settings.data))
    late = Phone(again)
    cookie = host.client.get_cookie(app_state_of(app).cookie).value
    late.client.set_cookie(app_state_of(again).cookie, cookie)
    assert look(late).left == 1
    asked = read(act(late, "ask"))
    assert asked.left == 0
    assert [one.seat for one in asked.findings if one.id not in unnamed] == [seat]
    app_state_of(again).close()


def test_a_number_without_a_cause_is_shown_and_not_mended(host: Phone, others: list[Phone]) -> None:
    host.say(corrected(1, "stars", 4))
    (one,) = look(host).by_hand
    assert (one.seat, one.mend, one.fix) == (1, MendKind.NONE, None)


@pytest.mark.parametrize(
    ("body", "status", "key"),
    [
        ({"act": "leave", "table": "another"}, 409, "error.stale"),
        ({"act": "maybe"}, 400, "error.form.wrong"),
        ({"act": "leave", "table": "x" * 81}, 400, "error.form.long"),
        ({}, 400, "error.form.missing"),
    ],
)
def test_a_form_that_fits_nothing_is_refused(
    host: Phone, others: list[Phone], body: Json, status: int, key: str
) -> None:
    before = host.view()
    answer = host.post("/api/forgotten", body)
    assert (answer.status_code, key_of(answer)) == (status, key)
    assert host.view().rev == before.rev


def test_before_a_game_nothing_is_compared(host: Phone) -> None:
    assert key_of(host.get("/api/forgotten")) == "error.not_started"


@pytest.mark.parametrize("content", [{}, [{"table": 3, "ids": []}], [{"table": "a"}]])
def test_what_cannot_be_read_means_that_nothing_was_left(tmp_path: Path, content: object) -> None:
    with closing(EventLog(tmp_path)) as log:
        log.put_state(score_audit.KEY, content)
    app = create_app(Settings(data=tmp_path))
    host = Phone(app)
    host.join()
    host.set_up("tokyo", 2)
    assert look(host).left == 0
    assert read(act(host, "leave")).left == 0
    app_state_of(app).close()
