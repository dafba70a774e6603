"""The story of a game is a fold over the rows of its log that count."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.engine import RULESETS, Corrected, Correction, Face, Number, Position, Seat
from companion.records import (
    FEWEST_OF_GAME,
    Story,
    last_place,
    story_of,
    tally_of,
    turn_positions,
)
from companion.records.story import SURE, fair_range, luck_of
from companion.table import Entry, RefusedError, Submission, Table, Undone, replay_all
from companion.table.database import FILE_NAME as LOG
from companion.table.database import saved_rows
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.service.test_archive import begin_named, win
from tests.table.test_table import play, say


def story_from(entries: Sequence[Entry]) -> Story:
    tally = tally_of("g1", entries)
    assert tally is not None
    return story_of(tally, entries)


def played(folder: Path, game: str, seed: int = 3) -> Table:
    """A game of three to its end, at random."""
    table, chance = Table(EventLog(folder)), random.Random(seed)
    begin_named(table, "Ana", "Ben", "Cleo", game=game)
    for n in range(4000):
        position = table.snapshot().state.position
        assert position is not None
        if position.game.ended is not None:
            return table
        event = random_event(position, chance, 0.1)
        try:
            table.submit(Submission(f"play-{seed}-{n}", table.snapshot().rev, (event,)))
        except RefusedError:
            say(table, Position.of(position.game).legal_events()[0])
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", RULESETS)
def test_a_replay_gives_the_same_story(tmp_path: Path, game: str) -> None:
    table = played(tmp_path, game)
    found = story_from(table.snapshot().entries)
    assert found == story_from(replay_all(saved_rows(tmp_path / LOG, "g1")))
    assert sum(one.dice for one in found.luck[:-1]) == found.luck[-1].dice
    numbers = [one.turn for one in found.turns]
    assert numbers == sorted(set(numbers))
    state = table.snapshot().state
    assert state.game is not None
    gone = {seat for seat, one in enumerate(state.game.monsters) if not one.alive}
    assert {fall.seat for fall in found.falls} == gone
    for fall in found.falls:
        assert state.game.monsters[fall.seat].died_turn == fall.turn


@pytest.mark.parametrize("game", RULESETS)
def test_the_best_turn_is_that_of_most_stars_and_damage(tmp_path: Path, game: str) -> None:
    table = played(tmp_path, game)
    entries = table.snapshot().entries
    found, tally = story_from(entries), tally_of("g1", entries)
    assert tally is not None
    for deed in found.best:
        others = [one for one in found.turns if one.seat == deed.seat]
        assert all(one.stars + one.dealt <= deed.stars + deed.dealt for one in others)
        assert max(one.stars for one in others) == tally.seats[deed.seat].best_turn


def test_a_story_of_an_end_that_was_undone_has_the_second_end_alone(tmp_path: Path) -> None:
    table = Table(EventLog(tmp_path))
    win(table, "Ana", "Ben", winner=0)
    say(table, Undone(table.snapshot().rev))
    for seat, stars in ((0, 3), (1, 20)):
        say(table, Corrected(numbers=(Correction(Seat(seat), Number.STARS, stars),)))
    play(table, 9)
    entries = table.snapshot().entries
    rows = [row for row, _ in turn_positions(entries)]
    assert set(rows) <= set(entries[-1].after.line)
    ends = [one for _, one in turn_positions(entries) if one.game.ended is not None]
    assert [one.game.ended.winners for one in ends if one.game.ended] == [(1,)]


def test_few_dice_say_nothing_and_many_say_how_far_fair_ones_go() -> None:
    faces = dict.fromkeys(RULESETS["tokyo"].faces, 0)
    few = luck_of(Seat(0), {**faces, Face.HEAL: FEWEST_OF_GAME - 1})
    assert (few.low, few.high, few.odd) == (0, 0, None)
    crooked = luck_of(None, {**faces, Face.HEAL: 20, Face.ATTACK: 10})
    assert crooked.odd is Face.HEAL
    even = luck_of(None, dict.fromkeys(faces, 10))
    assert even.odd is None
    assert even.low <= 10 <= even.high


@given(st.integers(FEWEST_OF_GAME, 400))
def test_fair_dice_stay_within_the_range_as_often_as_it_says(dice: int) -> None:
    low, high = fair_range(dice, 6)
    chance = random.Random(dice)
    rolls = [[chance.randrange(6) for _ in range(dice)] for _ in range(60)]
    inside = sum(all(low <= roll.count(face) <= high for face in range(6)) for roll in rolls)
    assert inside / len(rolls) > SURE - 0.13
    assert low < dice / 6 < high


@pytest.mark.parametrize(("stars", "last"), [((20, 5, 4), 2), ((20, 4, 5), 1), ((20, 4, 4), None)])
def test_who_came_last_is_one_seat_or_nobody(
    tmp_path: Path, stars: tuple[int, ...], last: int | None
) -> None:
    table = Table(EventLog(tmp_path))
    win(table, "Ana", "Ben", "Cleo")
    game = table.snapshot().state.game
    assert game is not None
    pairs = zip(game.monsters, stars, strict=True)
    monsters = tuple(replace(one, stars=count) for one, count in pairs)
    assert last_place(replace(game, monsters=monsters)) == last
    if last is not None:
        early = replace(monsters[1], health=0, alive=False, died_turn=1)
        assert last_place(replace(game, monsters=(monsters[0], early, monsters[2]))) == 1
