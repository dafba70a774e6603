"""A whole game, played by phones over the API."""

from __future__ import annotations

import random

import pytest
from flask import Flask

from companion import engine
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.service.wire import QuestionKind
from tests.service.phone import Phone, app_state_of, play_until

MOST_EVENTS = 3_000
"""A game by chance takes some hundreds."""


@pytest.mark.parametrize("players", [2, 5])
def test_a_game_played_by_phones_ends_and_replays_to_the_same(
    app: Flask, host: Phone, game: str, players: int
) -> None:
    chance = random.Random(players)
    host.set_up(game, players)
    for _ in range(MOST_EVENTS):
        event = host.next_event(chance)
        if event is None:
            break
        # Where a card makes somebody roll on, the same faces again are refused.
        assert host.command(event).status_code in {200, 409}
    view = host.view()
    assert view.game is not None
    assert view.game.phase == "over"
    app_state = app_state_of(app)
    before = app_state.table.snapshot()
    app_state.close()
    again = create_app(Settings(data=app_state.settings.data))
    after = app_state_of(again).table.snapshot()
    assert after.rev == before.rev
    assert after.state.game == before.state.game
    assert not after.state.pinned
    assert [e.event for e in after.entries] == [e.event for e in before.entries]
    assert before.state.game is not None
    assert engine.check(before.state.game) == ()
    app_state_of(again).close()


def test_every_number_of_a_log_row_is_one_that_changed(host: Phone, game: str) -> None:
    chance = random.Random(1)
    host.set_up(game, 3)
    for _ in range(60):
        before = {s.seat: s for s in host.game().seats}
        event = host.next_event(chance)
        if event is None:
            break
        host.say(event)
        after = {s.seat: s for s in host.game().seats}
        row = host.view().log[-1]
        changes = {(int(c.seat), c.what.value): (c.before, c.after) for c in row.changes}
        for seat, old in before.items():
            for what in ("health", "stars", "energy"):
                pair = (getattr(old, what), getattr(after[seat], what))
                assert changes.get((seat, what), (pair[0], pair[0])) == pair


def test_apply_with_an_order_is_one_command(host: Phone, game: str) -> None:
    host.set_up(game, 2)
    question = play_until(host, QuestionKind.ROLL, random.Random(2))
    faces = list(host.game().faces)[: question.dice]
    rev = host.view().rev
    ordered = faces[::-1]
    host.say(
        {"type": "DiceRolled", "faces": faces, "final": True},
        {"type": "OrderChosen", "seat": host.game().active, "faces": ordered},
    )
    assert host.view().rev == rev + 2
    assert host.game().last_roll == tuple(faces)
