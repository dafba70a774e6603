"""What a phone asks for when somebody looks it up: old rows of the log, a clause of the rules."""

from __future__ import annotations

import random

import msgspec

from companion.engine import Number
from companion.service import requests
from companion.service.views.view import NEWEST_ROWS
from companion.service.wire import QuestionKind
from companion.service.words.clauses import clauses
from tests.service.phone import Phone, play_until


def corrected(seat: int, value: int) -> dict[str, object]:
    number = {"seat": seat, "what": Number.ENERGY.value, "value": value}
    return {"type": "Corrected", "numbers": [number]}


def test_the_whole_log_can_be_read_and_a_view_carries_its_end(host: Phone, game: str) -> None:
    host.set_up(game, first=1)
    play_until(host, QuestionKind.ROLL, random.Random(1))
    for n in range(NEWEST_ROWS):
        host.say(corrected(0, n % 3))
    view = host.view()
    rows = msgspec.json.decode(host.get("/api/log").data, type=requests.LogAnswer).rows
    assert [row.seq for row in rows] == list(range(1, view.rev + 1))
    assert rows[-NEWEST_ROWS:] == view.log
    # A correction is of the first Monster's energy, and of the second one's turn.
    assert {(row.seat, row.active) for row in rows[-NEWEST_ROWS:]} == {(0, 1)}


def test_a_clause_is_sent_in_the_rulebooks_words(host: Phone, game: str) -> None:
    host.set_up(game)
    clause = next(iter(clauses().values()))
    answer = msgspec.json.decode(
        host.get(f"/api/clause/{clause.id}").data, type=requests.ClauseAnswer
    )
    assert (answer.id, answer.text, answer.status) == (clause.id, clause.text, clause.status)
    assert host.get("/api/clause/NY-0.0").status_code == 404
    assert host.get("/api/clause/..%2f..%2fetc").status_code == 404
