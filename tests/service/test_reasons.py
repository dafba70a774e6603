"""Reasons for numbers, requested by a phone: their deltas add up to the number in the view."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from companion.engine import RULESETS, Number, Setup, new_game
from companion.service.requests import WhyAnswer
from companion.service.views.reasons import why
from companion.service.views.view import Views
from companion.service.wire import QuestionKind
from companion.table import (
    Entries,
    Snapshot,
    Undone,
    undoable,
)
from companion.table.database import StoredRow
from companion.table.history import replay_all
from companion.table.log import EventLog
from companion.virtual import deal_keep_cards, random_event
from tests.sentences.play import Evening
from tests.service.phone import Phone, play_until
from tests.table.test_log import unknown
from tests.table.test_table import begin, play, say, started


def explained(host: Phone, seat: int, what: str) -> WhyAnswer:
    return host.read(f"/api/explain/{seat}/{what}", WhyAnswer)


def full_evening(game: str, seed: int, most: int = 400) -> Evening:
    """A game with cards of all kinds, row by row."""
    chance = random.Random(seed)
    evening = Evening.at(deal_keep_cards(new_game(Setup(game, 4)).game, 12, chance))
    position = evening.state.position
    while position is not None and position.question is not None and len(evening.entries) < most:
        evening.say(random_event(position, chance, 0.3))
        position = evening.state.position
    return evening


@pytest.mark.parametrize("seed", range(6))
def test_every_reason_has_words_and_a_clause(game: str, seed: int) -> None:
    evening = full_evening(game, seed)
    snapshot, reader = evening.snapshot(), evening.reader()
    assert snapshot.state.game is not None
    seen = 0
    for monster in snapshot.state.game.monsters:
        for number in Number:
            answer = why(snapshot, monster.seat, number)
            assert answer.value == getattr(monster, number)
            for row in answer.rows:
                for words in (row.words, *row.notes):
                    reader.read(words)
                assert row.words.key != "why.rule", "a reason without words of its own"
                assert row.clause or row.words.key == "why.corrected", row
                seen += 1
    assert seen > 60


def test_where_the_rules_of_today_disagree_with_the_log_the_log_is_explained(game: str) -> None:
    """A pinned position holds what rows of older rules led to."""
    snapshot = full_evening(game, 1, 40).snapshot()
    last = snapshot.entries[-1]
    assert last.after.game is not None
    first, *others = last.after.game.monsters
    monsters = (structs.replace(first, stars=9), *others)
    position = structs.replace(last.after.game, monsters=monsters)
    pinned = replace(last.after, game=position, kept=None, pinned=True)
    entry = replace(last, after=pinned, performed=())
    table = Snapshot("g1", last.seq, pinned, (*snapshot.entries[:-1], entry), True)
    answer = why(table, 0, "stars")
    assert answer.value == 9
    assert sum(row.delta for row in answer.rows) == 9
    assert answer.rows[-1].words.key == "why.corrected"


def evening_with_undoing(folder: Path, game: str) -> tuple[StoredRow, ...]:
    """The rows of a game set up twice and started twice, with turns that were taken back."""
    table = started(folder, game, 2)
    say(table, Undone(2))
    begin(table, game, 3)
    play(table, 3)
    for _ in range(3):
        act = undoable(table.snapshot())
        assert act is not None
        say(table, Undone(act.seq))
    play(table, 3)
    rows = tuple(EventLog(folder).read("g1"))
    table.close()
    return rows


def test_whichever_rows_are_unknown_every_number_is_explained_and_every_view_made(
    tmp_path: Path, game: str
) -> None:
    rows = evening_with_undoing(tmp_path, game)
    for lost in ({n, m} for n in range(len(rows)) for m in (n, 1)):
        left = [unknown(r) if n in lost else r for n, r in enumerate(rows)]
        entries = replay_all(left)
        state = entries[-1].after
        snapshot = Snapshot("g1", len(left), state, Entries(entries), True)
        shown = Views(game).of(snapshot, {})
        assert shown.undo is not None
        assert state.game is not None
        for monster in state.game.monsters:
            for number in Number:
                answer = why(snapshot, monster.seat, number)
                assert answer.value == getattr(monster, number), (lost, monster.seat, number)
                assert sum(row.delta for row in answer.rows) == answer.value


def test_what_has_no_such_number_is_refused(host: Phone, game: str) -> None:
    assert host.get("/api/explain/0/health").status_code == 409
    host.set_up(game)
    assert explained(host, 1, "health").rows[0].words.key == "why.start"
    for path in ("9/health", "0/luck", "0/price", "0/price?card=nonsense"):
        assert host.get(f"/api/explain/{path}").status_code == 400
    assert host.get("/api/explain/-1/health").status_code == 404


def test_what_takes_somebody_out_or_ends_the_game_is_known_before_it_is_set(
    host: Phone, game: str
) -> None:
    host.set_up(game, 2)
    play_until(host, QuestionKind.ROLL, random.Random(3))
    (deadly,) = explained(host, 1, "health").drastic
    assert (deadly.value, [one.key for one in deadly.outcomes]) == (0, ["outcome.falls"])
    (winning,) = explained(host, 1, "stars").drastic
    assert winning.value == RULESETS[game].goal_stars
    assert [one.key for one in winning.outcomes] == ["outcome.reaches"]
    assert explained(host, 1, "energy").drastic == explained(host, 1, "dice").drastic == ()
