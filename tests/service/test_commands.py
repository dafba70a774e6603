"""Commands: applied once, all or nothing, and refused with the present state."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from flask import Flask

from companion.engine import RULESETS
from companion.service.views.view import MONSTERS
from companion.service.wire import QuestionKind
from tests.service.phone import (
    START,
    Json,
    Phone,
    Start,
    app_state_of,
    corrected,
    key_of,
    play_until,
    read_dice,
    table_set,
)

_, TOKYO = RULESETS


def test_the_same_command_again_is_applied_once_and_answered_alike(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    body = {
        "command_id": "again-and-again",
        "base_rev": (rev := host.view().rev),
        "events": [corrected(0, "energy", 5)],
    }
    phones = [host.at(app) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: phones[n % 8].post("/api/commands", body), range(64)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    assert host.view().rev == rev + 1


def test_a_command_sent_again_is_known_although_its_sender_may_not_say_it_any_more(
    start: Start, game: str
) -> None:
    """The turn has gone on, a game has begun since or the service was started again."""
    app = start()
    host, phone = Phone(app).join(), Phone(app).join()
    table = table_set("P0", "P1", game=game)
    host.say(table)
    phone.sit(1)
    sent = []
    for sender, event in ((host, {**START, "first": 1}), (phone, corrected(1, "energy", 3))):
        rev = host.view().rev
        body: Json = {"command_id": f"sent-again-{rev}", "base_rev": rev, "events": [event]}
        answer = sender.post("/api/commands", body)
        assert answer.status_code == 200, answer.text
        sent.append((body, answer.data))
    nobody = [{"player": "", "monster": seat["monster"]} for seat in table["seats"]]
    host.say({**table, "seats": nobody})
    assert host.view().lobby is not None
    for _ in range(2):
        rev = host.view().rev
        for sender, (body, answered) in zip((host, phone), sent, strict=True):
            assert sender.post("/api/commands", body).data == answered
            other = {**body, "command_id": "another-one"}
            assert sender.post("/api/commands", other).status_code in {400, 403, 409}
        assert host.view().rev == rev
        app = start()
        host, phone = host.at(app), phone.at(app)


def test_corrections_of_numbers_nobody_touched_are_rebased_but_not_over_an_undo(
    host: Phone, game: str
) -> None:
    host.set_up(game)
    rev = host.view().rev
    assert host.command(corrected(0, "energy", 1), base_rev=rev).status_code == 200
    assert host.command(corrected(1, "health", 9), base_rev=rev).status_code == 200
    assert host.command(corrected(0, "energy", 2), base_rev=rev).status_code == 409
    seats = host.game().seats
    assert (seats[0].energy, seats[1].health) == (1, 9)
    rev = host.say(corrected(0, "stars", 3))
    host.say({"type": "Undone", "seq": rev})
    assert host.command(corrected(1, "stars", 3), base_rev=rev).status_code == 409


def test_a_command_is_all_or_nothing(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game)
    before = app_state_of(app).table.snapshot()
    answer = host.command(corrected(0, "energy", 4), corrected(0, "energy", 100))
    assert answer.status_code == 409
    assert key_of(answer) == "error.out_of_range"
    assert app_state_of(app).table.snapshot() == before


def test_an_outdated_proposal_is_refused(app: Flask, host: Phone, game: str) -> None:
    assert read_dice(app, ()).proposal is None
    host.set_up(game)
    assert read_dice(app, ()).proposal is None, "no roll is awaited yet"
    play_until(host, QuestionKind.ROLL, random.Random(4))
    faces = tuple([host.game().faces[0]] * host.dice())
    old, new = read_dice(app, faces).proposal, read_dice(app, faces).proposal
    assert old is not None
    assert new is not None
    assert (old.roll, new.roll) == (1, 1), "the same roll, read again"
    roll = {"type": "DiceRolled", "faces": faces, "final": True}
    late = host.command(roll, proposal_id=old.id)
    assert (late.status_code, key_of(late)) == (409, "error.outdated_proposal")
    host.say(corrected(0, "energy", 3))
    assert host.view().tray.proposal is not None, "its question is still open"
    assert host.command(roll, proposal_id=new.id).status_code == 200
    assert host.view().tray.proposal is None
    assert host.command(roll, proposal_id=new.id).status_code == 409


def test_undo_and_redo_keep_every_line(host: Phone, game: str) -> None:
    host.set_up(game)
    host.say(corrected(0, "energy", 1), corrected(0, "energy", 2))
    last = host.say(corrected(0, "energy", 3))
    view = host.view()
    assert view.undo is not None
    assert view.undo.seq == last
    assert view.undo.words.key == "did.corrected.energy"
    host.say({"type": "Undone", "seq": view.undo.seq})
    assert host.game().seats[0].energy == 2
    undo = host.view().undo
    assert undo is not None
    assert undo.seq == last - 2, "one command is one step"
    host.say({"type": "Undone", "seq": undo.seq})
    assert host.game().seats[0].energy == 0
    assert [row.undone for row in host.view().log] == [False, False, True, True, True, False, False]
    redo = host.view().redo
    assert redo is not None
    host.say({"type": "Redone", "seq": redo.seq})
    assert host.game().seats[0].energy == 2
    redo = host.view().redo
    assert redo is not None
    host.say({"type": "Redone", "seq": redo.seq})
    assert host.game().seats[0].energy == 3
    assert host.view().redo is None


def test_an_apply_is_known_by_its_roll(host: Phone) -> None:
    host.set_up(TOKYO)
    host.say({"type": "PutOff"})
    faces = ["energy"] * 3 + ["heal"] * 3
    order = {"type": "OrderChosen", "seat": 0, "faces": ["energy", "heal"]}
    host.say(order, {"type": "DiceRolled", "faces": faces, "final": True})
    undo = host.view().undo
    assert undo is not None
    assert undo.words.key == "did.rolled.2"


def test_a_table_that_cannot_be_is_refused(host: Phone, game: str) -> None:
    seven = [str(n) for n in range(7)]
    assert key_of(host.command(table_set("A", "B", game="chess"))) == "error.unknown_game"
    assert key_of(host.command(table_set("A", game=game, edition="x"))) == "error.unknown_edition"
    assert key_of(host.command(table_set(*seven, game=game))) == "error.too_many_seats"
    for names in (("Ana", "ANA "), ("straße", "STRASSE")):
        assert key_of(host.command(table_set(*names, game=game))) == "error.name_taken"
    for blank in ("\u200b\x01", "\u200d\u200d"):
        assert key_of(host.command(table_set("Ana", blank, game=game))) == "error.name_blank"
    twice = table_set("Ana", "Ben", game=game)
    twice["seats"][1]["monster"] = MONSTERS[0]
    assert key_of(host.command(twice)) == "error.monster_taken"
    twice["seats"][1]["monster"] = "<svg>"
    assert key_of(host.command(twice)) == "error.unknown_monster"
    assert key_of(host.command(START)) == "error.cannot_start"
    alone = host.command(table_set("Ana", game=game), START)
    assert key_of(alone) == "error.too_few_seats"
    start = {"type": "GameStarted", "first": 2}
    assert key_of(host.command(table_set("A", "B", game=game), start)) == "error.no_such_seat"
    assert host.view().rev == 0


def test_names_are_cleaned_before_they_are_written(host: Phone, game: str) -> None:
    rude = "\u202e<svg/onload=alert()>\u0000\n x" + "y" * 40
    host.say(table_set(rude, "  Þór   dís\t", game=game))
    lobby = host.view().lobby
    assert lobby is not None
    assert lobby.seats[0].player == ("<svg/onload=alert()> x" + "y" * 40)[:24]
    assert lobby.seats[1].player == "Þór dís"


def test_editions_and_house_rules_are_chosen_before_the_game(host: Phone, game: str) -> None:
    lobby = host.view().lobby
    assert lobby is not None
    box = next(each for each in lobby.boxes if each.game == game)
    edition, house = box.editions[-1], box.house[0]
    chosen = table_set("Ana", "Ben", "Cem", game=game, edition=edition) | {"house": [house]}
    host.say(chosen)
    lobby = host.view().lobby
    assert lobby is not None
    assert (lobby.edition, lobby.house) == (edition, (house,))
    unknown = table_set("Ana", "Ben", game=game) | {"house": ["no_dice"]}
    assert key_of(host.command(unknown)) == "error.unknown_house_rule"
    host.say(START)
    view = host.view().game
    assert view is not None
    assert (view.edition, view.house) == (edition, (house,))


def test_a_preview_changes_nothing_and_refuses_foreign_faces(host: Phone, game: str) -> None:
    assert key_of(host.post("/api/preview", {"faces": []})) == "error.not_started"
    host.set_up(game)
    play_until(host, QuestionKind.ROLL, random.Random(5))
    rev = host.view().rev
    answer = host.post("/api/preview", {"faces": ["energy", "energy"]}).json or {}
    (row,) = answer["rows"]
    assert (row["face"], row["count"], row["key"]) == ("energy", 2, "preview.energy")
    active = host.game().active
    (change,) = row["changes"]
    assert change["seat"] == active
    assert change["after"] - change["before"] == 2
    foreign = sorted({"ouch", "three"} - {face.value for face in host.game().faces})
    assert key_of(host.post("/api/preview", {"faces": foreign})) == "error.wrong_face"
    assert host.view().rev == rev
