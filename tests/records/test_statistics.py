"""Tallies, fairness, ratings, and stories of games."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.engine import (
    RULESETS,
    Corrected,
    Correction,
    DiceRolled,
    Face,
    Number,
    Position,
    Seat,
)
from companion.records import (
    FEWEST_DICE,
    FEWEST_OF_GAME,
    GameResult,
    GameTally,
    PlayerResult,
    SeatTally,
    Story,
    last_place,
    statistics,
    story_of,
    tally_of,
    turn_positions,
)
from companion.records.statistics import fair_p_value, share
from companion.records.story import SURE, fair_range, luck_of
from companion.table import Entry, RefusedError, Submission, Table, Undone, replay_all
from companion.table.database import FILE_NAME, saved_rows
from companion.table.database import FILE_NAME as LOG
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.service.test_archive import begin_named, win
from tests.table.test_table import play, say, started


def replayed(folder: Path, table: str = "g1") -> GameTally | None:
    return tally_of(table, replay_all(saved_rows(folder / FILE_NAME, table)))


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_a_tally_is_the_same_after_replay(tmp_path: Path, game: str) -> None:
    table = started(tmp_path, game, 3)
    play(table, 12)
    live = tally_of("g1", table.snapshot().entries)
    assert live is not None
    assert replayed(tmp_path) == live
    assert sum(seat.turns for seat in live.seats) == live.result.turns
    position = table.snapshot().state.game
    assert position is not None
    for seat, monster in zip(live.seats, position.monsters, strict=True):
        assert monster.stars <= seat.stars
        assert seat.healed <= seat.taken


def test_what_was_undone_counts_for_nothing(tmp_path: Path) -> None:
    table = started(tmp_path, "tokyo", 2)
    play(table, 3)
    before, rev = tally_of("g1", table.snapshot().entries), table.snapshot().rev
    play(table, 5)
    assert tally_of("g1", table.snapshot().entries) != before
    say(table, Undone(rev + 1))
    assert tally_of("g1", table.snapshot().entries) == before


def throw(table: Table, faces: str, *again: int, final: bool = False) -> None:
    names = {"a": Face.ATTACK, "e": Face.ENERGY, "h": Face.HEAL, "1": Face.ONE, "2": Face.TWO}
    say(table, DiceRolled(tuple(names[one] for one in faces), rethrown=again, final=final))


def rolling(folder: Path) -> Table:
    """A game of Tokyo in which the first turn's dice are awaited."""
    table = started(folder, "tokyo", 2)
    for _ in range(9):
        state = table.snapshot().state
        assert state.game is not None
        if state.question is not None and state.question.window == "roll":
            return table
        say(table, Position.of(state.game).legal_events()[0])
    raise AssertionError("no roll is asked for")


def thrown(table: Table) -> tuple[dict[Face, int], dict[Face, int]]:
    found = tally_of("g1", table.snapshot().entries)
    assert found is not None
    return found.seats[0].thrown, found.seats[0].kept


def test_only_throws_that_had_to_be_entered_tell_of_fairness(tmp_path: Path) -> None:
    table = rolling(tmp_path)
    throw(table, "aaeeh1")
    throw(table, "aa22h1", 2, 3)
    assert thrown(table) == ({}, {})
    throw(table, "aaaaaa", 2, 3, 4, 5, final=True)
    assert thrown(table) == ({Face.ATTACK: 4}, {Face.ATTACK: 6})


@pytest.mark.parametrize("throws", [0, 1])
def test_a_throw_that_may_have_been_kept_for_what_it_shows_does_not(
    tmp_path: Path, throws: int
) -> None:
    table = rolling(tmp_path)
    for _ in range(throws):
        throw(table, "aaeeh1")
    throw(table, "aaaaaa", *range(2, 6 if throws else 2), final=True)
    assert thrown(table) == ({}, {Face.ATTACK: 6})


def game_of(*players: tuple[str, bool], ended: bool = True, **seat: object) -> GameTally:
    results = tuple(
        PlayerResult(
            seat=n, player=name, monster=f"m{n}", rank=1 if won else 2, won=won, first=n == 0,
            health=5, stars=20 if won else 6, energy=0,
        )
        for n, (name, won) in enumerate(players)
    )  # fmt: skip
    result = GameResult(
        table="g1", game="tokyo", edition="first", house=(), turns=9, players=results,
        reason="stars" if ended else None,
    )  # fmt: skip
    seats = [SeatTally(seat=n) for n in range(len(players))]
    if seat:
        seats[0] = SeatTally(seat=0, **seat)  # type: ignore[arg-type]
    return GameTally(result, tuple(seats))


def test_players_keep_their_name_across_evenings_however_it_is_spelt() -> None:
    found = statistics(
        [
            game_of(("Ana", True), ("Ben", False)),
            game_of(("ben", False), ("ANA", True)),
            game_of(("Ana", False), ("", True)),
            game_of(("Ana", True), ("Ben", False), ended=False),
        ]
    )
    assert found.games == 3
    ana, ben = found.players
    assert (ana.name, ana.won.right, ana.won.count, ana.stars) == ("Ana", 2, 3, 15.3)
    assert (ben.name, ben.won.right, ben.won.count) == ("ben", 0, 2)


def test_a_demo_game_counts_for_nothing() -> None:
    faces = dict.fromkeys(RULESETS["tokyo"].faces, 9)
    demo = game_of(("", True), ("", False), thrown=faces)
    assert demo.result.is_demo
    assert statistics([demo]) == statistics([])
    assert statistics([demo, game_of(("Ana", True), ("", False))]).games == 1


def test_a_record_counts_the_games_in_which_a_named_player_reached_it() -> None:
    whole = game_of(("Ana", True), ("Ben", False), best_hit=4)
    unnamed = game_of(("", True), ("Ben", False), best_hit=4)
    twice = game_of(("Ana", True), ("ANA", False), best_hit=4)
    twice = replace(twice, seats=(twice.seats[0], SeatTally(seat=1, best_hit=4)))

    def held(*games: GameTally) -> tuple[tuple[str, ...], int]:
        (feat,) = statistics(games).feats
        return feat.names, feat.times

    assert held(whole, whole) == (("Ana",), 2)
    assert held(whole, unnamed) == (("Ana",), 1)
    assert held(whole, twice) == (("ANA",), 2)
    assert held(unnamed)[0] == ()


def test_ratings_follow_the_ranks_and_sharpen_with_games() -> None:
    once = statistics([game_of(("Ana", True), ("Ben", False), ("Cleo", False))])
    often = statistics([game_of(("Ana", True), ("Ben", False), ("Cleo", False))] * 9)
    for found in (once, often):
        ana, ben, cleo = (line.rating for line in found.players)
        assert ana is not None
        assert ben is not None
        assert cleo is not None
        assert ana.low < ana.skill < ana.high
        assert ana.skill > 25 > ben.skill
        assert ben == cleo
    first, last = once.players[0].rating, often.players[0].rating
    assert first is not None
    assert last is not None
    assert last.high - last.low < first.high - first.low
    assert last.skill > first.skill


def test_p_values_and_intervals_are_those_of_tables() -> None:
    assert fair_p_value([50] * 6) == 1
    mean = 100.0
    for statistic, p_value in ((1.1455, 0.95), (11.0705, 0.05), (15.0863, 0.01)):
        away = (statistic * mean / 2) ** 0.5
        counts = [mean + away, mean - away, *[mean] * 4]
        assert fair_p_value(counts) == pytest.approx(p_value, abs=1e-4)
    assert (share(0, 10).low, share(0, 10).high) == (0, 0.2775)
    assert (share(5, 10).low, share(5, 10).high) == (0.2366, 0.7634)


def test_few_dice_say_nothing_of_fairness() -> None:
    few = dict.fromkeys(RULESETS["tokyo"].faces, FEWEST_DICE // 6)
    many = {**few, Face.ONE: FEWEST_DICE // 6 + 30}
    few[Face.ONE] -= 1
    (line,) = statistics([game_of(("Ana", True), ("Ben", False), thrown=few)]).dice
    assert (line.p_value, line.detectable, line.count) == (None, None, FEWEST_DICE - 1)
    (line,) = statistics([game_of(("Ana", True), ("Ben", False), thrown=many)]).dice
    assert line.p_value is not None
    assert line.p_value < 0.05
    assert line.detectable == pytest.approx(0.073, abs=0.001)


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
    assert set(rows) <= set(entries[-1].after.active)
    ends = [one for _, one in turn_positions(entries) if one.game.ended is not None]
    assert [one.game.ended.winners for one in ends if one.game.ended] == [(1,)]


def test_few_dice_of_a_game_say_nothing_and_many_say_how_far_fair_ones_go() -> None:
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
