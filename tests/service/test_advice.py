"""Odds and coach: for the seat that decides, on its own phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from companion.engine import RULESETS, Choice, Roll
from companion.service import requests
from tests.service.phone import Json, Phone, Start, app_state_of, decoded, key_of
from tests.service.test_archive import begin_named
from tests.table.test_table import say, step

NO_DICE: Json = {"faces": []}


def seated(app: Flask, seat: int) -> Phone:
    phone = Phone(app).join()
    assert phone.sit(seat, take_over=True).status_code == 200
    return phone


def until_roll(app: Flask, game: str) -> None:
    """Begin a game, up to the first roll."""
    table = app_state_of(app).table
    begin_named(table, "Ana", "Ben", "Cleo", game=game)
    while not isinstance(table.snapshot().state.question, Roll):
        event = step(table)
        assert event is not None
        say(table, event)


def coached(phone: Phone, dice: Json) -> requests.CoachAnswer:
    return decoded(phone.post("/api/coach", dice), requests.CoachAnswer)


def test_a_roll_has_keeps_and_advice_for_its_own_seat(app: Flask, host: Phone, game: str) -> None:
    until_roll(app, game)
    ana, before = seated(app, 0), app_state_of(app).table.snapshot().rev
    faces = [RULESETS[game].faces[n] for n in (0, 0, 1, 2, 3, 4)]
    found = decoded(ana.post("/api/keeps", {"faces": faces}), requests.KeepsAnswer)
    assert len(found.columns) == len(RULESETS[game].odds) == 3
    assert 0 < len(found.keeps) <= 3
    for keep in found.keeps:
        assert list(keep.faces) == [faces[die] for die in keep.dice]
        assert len(keep.values) == 3
    advice = coached(ana, {"faces": faces})
    chances = [line.chance for line in advice.lines]
    assert chances == sorted(chances, reverse=True)
    assert advice.compares.key == "coach.dice"
    assert "coach.stop" in {line.words.key for line in advice.lines} or advice.left_out
    assert app_state_of(app).table.snapshot().rev == before


def test_rivals_get_neither_and_no_one_for_faces_that_cannot_be(app: Flask, host: Phone) -> None:
    until_roll(app, "tokyo")
    ana, rival = seated(app, 0), seated(app, 1)
    for faces in (["ouch"] * 6, ["heal"] * 99):
        assert ana.post("/api/keeps", {"faces": faces}).status_code == 400
    for path in ("/api/keeps", "/api/coach"):
        answer = rival.post(path, NO_DICE)
        assert (answer.status_code, key_of(answer)) == (409, "error.coach.not_asked")


def test_the_answers_of_a_question_have_their_own_words(app: Flask, host: Phone) -> None:
    table = app_state_of(app).table
    begin_named(table, "Ana", "Ben", "Cleo", game="new-york")
    asked = table.snapshot().state.question
    assert isinstance(asked, Choice)
    found = coached(seated(app, asked.seat), NO_DICE)
    assert len(found.lines) == len(asked.open())
    assert found.compares.key == "coach.answers"
    assert "coach.other" not in {line.words.key for line in found.lines}


@pytest.mark.parametrize("path", ["/api/keeps", "/api/coach"])
def test_without_networks_odds_go_on(start: Start, tmp_path: Path, path: str) -> None:
    app = start(networks=tmp_path / "none")
    until_roll(app, "tokyo")
    answer = seated(app, 0).post(path, {"faces": ["heal"] * 6})
    if path == "/api/keeps":
        assert answer.status_code == 200
    else:
        assert (answer.status_code, key_of(answer)) == (400, "error.forecast.missing")
