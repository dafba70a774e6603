"""A number that two phones set at once: the second gets both sides, and nothing is applied."""

from __future__ import annotations

import msgspec
from flask import Flask

from companion.service import requests
from companion.service.wire_pages import Conflict
from tests.service.phone import Json, Phone
from tests.service.test_commands import corrected


def refused(host: Phone, base_rev: int, *events: Json) -> requests.ErrorAnswer:
    answer = host.command(*events, base_rev=base_rev, table=host.view().table)
    assert answer.status_code == 409
    found = msgspec.json.decode(answer.data, type=requests.ErrorAnswer)
    assert found.update is not None
    assert found.update.view.rev == host.view().rev
    return found


def conflict(host: Phone, base_rev: int, *events: Json) -> Conflict:
    found = refused(host, base_rev, *events).conflict
    assert found is not None
    return found


def test_both_sides_and_both_results_are_said(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "health", 7))
    theirs = host.say(corrected(0, "health", 6))
    found = conflict(host, rev, corrected(0, "health", 6))
    assert (found.seat, found.what, found.knew, found.mine, found.step) == (0, "health", 7, 6, -1)
    assert (found.same, found.both) == (6, 5)
    (one,) = found.theirs
    assert (one.change.before, one.change.after) == (7, 6)
    assert one.words.key == "did.corrected"
    assert 0 <= one.ago_s < 60
    assert (host.game().seats[0].health, host.view().rev) == (6, theirs)


def test_the_result_of_both_stays_within_the_limits(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "health", 2))
    host.say(corrected(0, "health", 1))
    assert conflict(host, rev, corrected(0, "health", 0)).both == 0
    rev = host.say(corrected(0, "health", 8))
    host.say(corrected(0, "health", 9))
    found = conflict(host, rev, corrected(0, "health", 10))
    assert (found.step, found.both, found.most) == (2, 10, 10)


def test_changes_back_and_forth_that_came_to_nothing_are_no_conflict(
    host: Phone, game: str
) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    host.say(corrected(0, "energy", 4))
    host.say(corrected(0, "energy", 3))
    assert host.command(corrected(0, "energy", 2), base_rev=rev).status_code == 200


def test_the_newest_of_many_changes_and_what_else_is_new_are_named(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    for value in (4, 5, 6):
        host.say(corrected(0, "energy", value))
    host.say(corrected(1, "stars", 2))
    found = conflict(host, rev, corrected(0, "energy", 2))
    assert [one.change.after for one in found.theirs] == [5, 6]
    assert [words.args["seat"] for words in found.also] == [1]
    assert found.both == 5


def test_an_undo_is_such_a_change_too(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    host.say({"type": "Undone", "seq": rev})
    found = conflict(host, rev, corrected(0, "energy", 4))
    assert (found.knew, found.same, found.both) == (3, 0, 1)
    assert [(one.change.before, one.change.after) for one in found.theirs] == [(3, 0)]


def test_other_commands_and_other_tables_get_no_conflict(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    host.say(corrected(0, "energy", 4))
    two = corrected(0, "energy", 5), corrected(1, "energy", 5)
    assert refused(host, rev, *two).conflict is None
    assert refused(host, 0, corrected(0, "energy", 5)).conflict is None
    body = {
        "command_id": "of-another-table",
        "base_rev": rev,
        "events": [corrected(0, "energy", 5)],
        "table": "another",
    }
    answer = host.post("/api/commands", body)
    assert answer.status_code == 409
    assert msgspec.json.decode(answer.data, type=requests.ErrorAnswer).conflict is None


def test_what_was_asked_before_more_changed_is_a_conflict_again(host: Phone, game: str) -> None:
    host.set_up(game)
    rev = host.say(corrected(0, "energy", 3))
    seen = host.say(corrected(0, "energy", 4))
    assert conflict(host, rev, corrected(0, "energy", 2)).both == 3
    host.say(corrected(0, "energy", 9))
    found = conflict(host, seen, corrected(0, "energy", 3))
    assert (found.knew, found.same, found.both) == (4, 9, 8)
