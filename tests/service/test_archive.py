"""Finished games for phones: statistics, names across evenings, files to keep, stories."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import RULESETS, Corrected, Correction, Number, Position, Seat
from companion.records import (
    Feat,
    FeatKind,
    Names,
    Statistics,
    named,
    read_names,
    statistics,
    tally_of,
)
from companion.records.names import KEY as NAMES_KEY
from companion.records.names import MOST_MERGES, Merge
from companion.service import requests, wire_pages
from companion.service.people.names import CardNames
from companion.service.records import stories, tallies
from companion.service.records.statistics import statistics_view
from companion.service.records.stories import KEY
from companion.service.records.tallies import Counted, TallyBook
from companion.service.views.words import measured_words
from companion.table import (
    GameStarted,
    Input,
    RefusedError,
    SeatSetup,
    Snapshot,
    Submission,
    Table,
    TableSet,
    Undone,
    replay_all,
)
from companion.table.database import FILE_NAME, saved_games, saved_rows, saved_state
from companion.table.log import EventLog
from companion.virtual import random_event
from tests.service.phone import Phone, Start, app_state_of, key_of
from tests.table.test_table import play, say
from tests.waiting import WITHIN_S

ANY = msgspec.json.Decoder()


def win(table: Table, *names: str, winner: int = 0, game: str = "tokyo") -> str:
    """Play a game of these players that this seat wins in the first turn; return its name."""
    begin_named(table, *names, game=game)
    play(table, 1)
    say(table, Corrected(numbers=(Correction(Seat(winner), Number.STARS, 20),)))
    play(table, 9)
    state = table.snapshot().state
    assert state.game is not None
    assert state.game.ended is not None
    assert state.game.ended.winners == (winner,)
    return table.snapshot().game_id


def begin_named(table: Table, *names: str, game: str = "tokyo") -> None:
    monsters = ("puffin_rex", "old_scree", "lampmoth", "inkwell")
    seats = tuple(SeatSetup(*one) for one in zip(names, monsters, strict=False))
    say(table, TableSet(game, "first", seats), GameStarted(0))


def counted(phone: Phone) -> wire_pages.StatisticsView:
    """Return the statistics once all games are counted."""
    settled(app_state_of(phone.app).archive._book)
    found = phone.read("/api/statistics", wire_pages.StatisticsView)
    assert found.counting == 0
    return found


def settled(kept: TallyBook) -> Counted:
    """Return all tallies, once they are counted and written."""
    kept.counted()
    kept._workers.submit(int).result(WITHIN_S)
    found = kept.counted()
    assert found.left == 0
    return found


def players_of(view: wire_pages.StatisticsView) -> dict[str, tuple[int, int]]:
    return {one.line.name: (one.line.won.right, one.line.won.count) for one in view.players}


def afresh(folder: Path, names: Names | None = None) -> wire_pages.StatisticsView:
    """Return the statistics by replaying every row of the log."""
    known = names or Names()
    tables = saved_games(folder / FILE_NAME)
    tallies = (tally_of(one, replay_all(saved_rows(folder / FILE_NAME, one))) for one in tables)
    found = statistics(named(one, known) for one in tallies if one is not None)
    return statistics_view(found, known, 0)


@pytest.fixture
def evenings(app: Flask) -> Flask:
    """Three finished games of the same people, one of them under another name."""
    table = app_state_of(app).table
    win(table, "Ana", "Ben")
    win(table, "Ana", "Benni", "Théo", winner=1)
    win(table, "Ana", "Ben", winner=1)
    return app


def test_a_game_that_the_disk_does_not_give_is_counted_later(tmp_path: Path) -> None:
    table = Table(EventLog(tmp_path))
    win(table, "Ana", "Ben")
    win(table, "Ana", "Ben")
    log = table._log
    book, reader = TallyBook(table, log), log._reader
    assert len([one for one in table.games() if one.ended]) == 2
    log._reader = sqlite3.connect(":memory:", check_same_thread=False)
    book._count()
    log._reader.close()
    log._reader = reader
    book._count()
    assert len(book.counted().tallies) == 2
    book.close()
    table.close()


def test_statistics_are_those_of_a_replay_of_all_rows(
    evenings: Flask, host: Phone, tmp_path: Path
) -> None:
    found = counted(host)
    assert found == afresh(tmp_path)
    assert (found.games, found.evenings, found.by_game["tokyo"]) == (3, 1, 3)
    assert players_of(found) == {"Ana": (1, 3), "Ben": (1, 2), "Benni": (1, 1), "Théo": (0, 1)}


@pytest.mark.parametrize("seed", range(3))
def test_counting_along_is_the_same_as_counting_afresh(tmp_path: Path, seed: int) -> None:
    """Games of both boxes played at random, with acts undone, ends undone and games taken up."""
    chance, table = random.Random(seed), Table(log := EventLog(tmp_path))
    kept = TallyBook(table, log)
    for n in range(400):
        wander(table, chance, log, f"wander-{n}")
        if chance.random() < 0.05:
            compare(kept, tmp_path)
    assert settled(kept).tallies
    compare(kept, tmp_path)
    again = TallyBook(table, log)
    compare(again, tmp_path)
    kept.close()
    again.close()
    table.close()


def compare(kept: TallyBook, folder: Path) -> None:
    assert statistics_view(statistics(settled(kept).tallies), Names(), 0) == afresh(folder)


def wander(table: Table, chance: random.Random, log: EventLog, command: str) -> None:
    """Do something that people may do."""
    now, pick = table.snapshot(), chance.random()
    game, events = now.state.game, tuple[Input, ...]()
    if pick < 0.02 or game is None:
        seats = tuple(SeatSetup(name, f"M{name}") for name in chance.sample("ABCD", 3))
        events = (TableSet(chance.choice(list(RULESETS)), "first", seats), GameStarted(0))
    elif pick < 0.04:
        table.resume(chance.choice(log.games))
    elif pick < 0.10 and now.rev > 3:
        events = (Undone(chance.randrange(3, now.rev + 1)),)
    elif pick < 0.14:
        seat = Seat(chance.randrange(len(game.monsters)))
        events = (Corrected(numbers=(Correction(seat, Number.STARS, 20),)),)
    elif pick < 0.18:
        play(table, game.turn.number + 1)
    elif game.ended is None:
        events = (random_event(Position.of(game), chance, 0.1),)
    if events:
        with suppress(RefusedError):
            table.submit(Submission(command, now.rev, events))


def test_a_request_and_a_command_do_not_wait_for_a_game_that_is_played_over(
    app: Flask, host: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, go_on = app_state_of(app).table, threading.Event()
    look = table.snapshot_of

    def slow(game: str) -> Snapshot:
        assert go_on.wait(WITHIN_S)
        return look(game)

    monkeypatch.setattr(table, "snapshot_of", slow)
    win(table, "Ana", "Ben")
    win(table, "Ana", "Ben")
    asked = host.read("/api/statistics", wire_pages.StatisticsView)
    assert (asked.games, asked.counting) == (0, 2)
    refused = host.get("/api/scores.csv")
    assert (refused.status_code, key_of(refused)) == (400, "error.still_counting")
    refused = host.post("/api/names", {"name": "Ana", "into": "Ben"})
    assert key_of(refused) == "error.still_counting"
    begin_named(table, "Ana", "Ben")
    go_on.set()
    assert counted(host).games == 2


def test_tallies_are_kept_over_a_restart_and_counted_again_where_they_cannot_be_read(
    evenings: Flask, host: Phone, tmp_path: Path
) -> None:
    before = counted(host)
    app_state_of(evenings).close()
    whole = saved_state(tmp_path / FILE_NAME, "tallies", ANY)
    assert isinstance(whole, dict)
    content: object
    for content in (whole, {**whole, "version": "other"}, {**whole, "games": []}, []):
        table = Table(log := EventLog(tmp_path))
        log.put_state("tallies", content)
        kept = TallyBook(table, log)
        assert (kept.counted().left == 0) == (content == whole)
        found = settled(kept)
        assert statistics_view(statistics(found.tallies), Names(), 0) == before
        kept.close()
        table.close()


def test_the_newest_games_stay_counted_when_another_ends(
    evenings: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallies, "MOST_GAMES", 3)
    table, log = app_state_of(evenings).table, app_state_of(evenings).log
    log.put_state("tallies", [])
    kept = TallyBook(table, log)
    settled(kept)
    win(table, "Ana", "Ben")
    kept._count_one(log.games[-1])
    assert kept.counted().left == 0
    kept.close()


def test_names_of_one_person_are_merged_and_taken_apart(
    evenings: Flask, host: Phone, tmp_path: Path
) -> None:
    before = counted(host)
    assert host.post("/api/names", {"name": "benni", "into": "Ben"}).status_code == 200
    found = counted(host)
    assert players_of(found) == {"Ana": (1, 3), "Ben": (2, 3), "Théo": (0, 1)}
    assert [one.aliases for one in found.players if one.aliases] == [("benni",)]
    app_state_of(evenings).table.save()  # the tallies, kept from another thread, may wait again
    assert found == afresh(tmp_path, read_names(tmp_path))
    scores = host.get("/api/scores.csv").text
    assert "Benni" not in scores
    assert host.post("/api/names", {"name": "Benni"}).status_code == 200
    assert counted(host) == before


@pytest.mark.parametrize(
    ("name", "into", "key"),
    [
        ("Ana", "Ben", "error.names.both"),
        ("Ana", "ANA", "error.names.same"),
        ("Zoe", "Ana", "error.names.unknown"),
        ("Ana", "Zoe", "error.names.unknown"),
        ("Ana", None, "error.names.not_merged"),
    ],
)
def test_names_that_cannot_be_one_persons_are_refused(
    evenings: Flask, host: Phone, name: str, into: str | None, key: str
) -> None:
    before = counted(host)
    refused = host.post("/api/names", {"name": name, "into": into})
    assert (refused.status_code, key_of(refused)) == (400, key)
    assert counted(host) == before


def test_a_merge_by_way_of_another_name_is_not_merged_in_a_circle(
    evenings: Flask, host: Phone
) -> None:
    counted(host)
    table = app_state_of(evenings).table
    win(table, "Bennie", "Théo", winner=1)
    counted(host)
    for name, into in (("Bennie", "Benni"), ("Benni", "Ben")):
        assert host.post("/api/names", {"name": name, "into": into}).status_code == 200
    (ben,) = (one for one in counted(host).players if one.line.name == "Ben")
    assert (ben.line.won.count, set(ben.aliases)) == (4, {"Benni", "Bennie"})
    circle = host.post("/api/names", {"name": "Ben", "into": "Bennie"})
    assert key_of(circle) == "error.names.same"


def test_merges_are_bounded_and_those_of_another_form_are_none(tmp_path: Path) -> None:
    many = Names(tuple(Merge(f"a{n}", f"b{n}") for n in range(MOST_MERGES)))
    with pytest.raises(Exception, match="too_many"):
        many.merged("Ana", "Ben")
    assert read_names(tmp_path) == Names()
    for kept, found in ((many, many), ({"merges": [1]}, Names())):
        with closing(EventLog(tmp_path)) as log:
            log.put_state(NAMES_KEY, kept)
        assert read_names(tmp_path) == found


def test_known_names_are_those_who_played_last_with_their_monster(
    evenings: Flask, host: Phone
) -> None:
    counted(host)
    host.post("/api/names", {"name": "Benni", "into": "Ben"})
    watcher = Phone(evenings).join()
    found = watcher.read("/api/names", requests.NamesAnswer)
    assert [(one.name, one.monster) for one in found.names] == [
        ("Ana", "puffin_rex"),
        ("Ben", "old_scree"),
        ("Théo", "lampmoth"),
    ]


def test_a_game_that_goes_on_shows_scores_and_has_neither_files_nor_a_story(
    app: Flask, host: Phone
) -> None:
    table = app_state_of(app).table
    begin_named(table, "Ana", "Ben")
    assert len(host.get("/api/games/g1/scores.csv").text.splitlines()) == 3
    for path in ("log.jsonl", "bgstats", "bgstats.svg", "story"):
        refused = host.get(f"/api/games/g1/{path}")
        key = "error.story.not_ended" if path == "story" else "error.export.not_ended"
        assert (refused.status_code, key_of(refused)) == (400, key)
        assert host.get(f"/api/games/g99/{path}").status_code == 404


def story_on(phone: Phone) -> wire_pages.StoryView:
    return phone.read("/api/games/g1/story", wire_pages.StoryView)


def won(app: Flask) -> Phone:
    """Play a game to its end, and return the host's phone."""
    win(app_state_of(app).table, "Ana", "Ben")
    return Phone(app).join()


def test_a_story_is_kept_and_made_once(start: Start, tmp_path: Path) -> None:
    host = won(start())
    found = story_on(host)
    assert (found.problem, found.chance[-1].ended, found.chance[-1].chances) == (None, True, (1, 0))
    assert found.turning_point is not None
    assert [one.seat for one in found.luck] == [0, 1, None]
    again = start()
    assert saved_state(tmp_path / FILE_NAME, KEY, ANY) is not None
    assert story_on(host.at(again)) == found
    assert app_state_of(again).forecasts.pid is None


def test_without_networks_the_story_says_so_and_has_all_else(start: Start, tmp_path: Path) -> None:
    app = start(networks=tmp_path / "none")
    phone = won(app)
    found = story_on(phone)
    assert found.problem is not None
    assert found.problem.key == "error.forecast.missing"
    assert (found.chance, found.turning_point) == ((), None)
    assert len(found.luck) == 3
    assert phone.view().game is not None
    app_state_of(app).close()
    assert saved_state(tmp_path / FILE_NAME, KEY, ANY) is None


@pytest.mark.parametrize(("pause_s", "is_made"), [(60.0, False), (0.0, True)])
def test_a_story_without_its_chances_is_made_again_only_after_a_while(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pause_s: float, is_made: bool
) -> None:
    monkeypatch.setattr(stories, "TRIED_AGAIN_S", pause_s)
    app = start(networks=tmp_path / "none")
    phone = won(app)
    found = story_on(phone)
    asked = app_state_of(app).forecasts.pid
    assert asked is not None
    os.kill(asked, signal.SIGKILL)
    assert story_on(phone) == found
    assert (app_state_of(app).forecasts.pid != asked) is is_made, "only who is asked starts again"


def test_a_television_gets_the_story_of_the_game_on_the_table(app: Flask, host: Phone) -> None:
    table = app_state_of(app).table
    win(table, "Ana", "Ben")
    screen = Phone(app)
    assert screen.get("/api/tv/story").status_code == 403
    token = app_state_of(app).view_tokens.shown().tv
    assert screen.post("/api/tv/join", {"token": token}).status_code == 200
    assert screen.read("/api/tv/story", wire_pages.StoryView) == story_on(host)


def test_what_was_measured_is_said_and_that_nothing_was() -> None:
    assert measured_words({}).key == "forecast.unmeasured"
    measured = {
        "games": 2000.0, "constant_brier": 0.19, "rule_brier": 0.15, "random_brier": 0.16,
        "random_won": 430.0, "matches": 500.0, "last_brier": 0.1234,
    }  # fmt: skip
    words = measured_words(measured)
    assert words.key == "forecast.measured"
    assert words.args == {"count": 2000, "score": "0.123", "equal": "0.190"}


def test_a_printed_name_tied_to_a_card_is_known_to_all_and_kept(app: Flask, host: Phone) -> None:
    host.set_up("tokyo")
    guest = Phone(app).join()
    tie = {"card": "wings", "name": "  Ailes   d’acier "}
    assert guest.post("/api/card-names", tie).status_code == 403
    assert host.post("/api/card-names", {**tie, "card": "subway"}).status_code == 400
    assert host.post("/api/card-names", tie).json == {"names": {"wings": "Ailes d’acier"}}
    assert guest.get("/api/card-names").json == {"names": {"wings": "Ailes d’acier"}}
    log = app_state_of(app).log
    assert CardNames(log).of("tokyo") == {"wings": "Ailes d’acier"}
    assert CardNames(log).of("new-york") == {}


@pytest.mark.parametrize(
    ("minutes", "value", "unit"), [(11, "11", "minutes"), (60, "1:00", "hours")]
)
def test_the_longest_game_has_minutes_below_an_hour(minutes: int, value: str, unit: str) -> None:
    longest = Statistics(games=1, feats=(Feat(FeatKind.MINUTES, minutes, turns=9),))
    (feat,) = statistics_view(longest, Names(), 0).feats
    assert (feat.value, feat.what.key) == (value, f"statistics.feat.{unit}")
