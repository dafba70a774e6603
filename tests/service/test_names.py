"""Names: what is stripped, how long they may be, and which look alike."""

from __future__ import annotations

import unicodedata

import pytest

from companion.engine import RULESETS
from companion.service.people.names import LONGEST, clean_name, is_seen, look_alike
from companion.service.views.view import MONSTERS
from companion.table.history import LONGEST_NAME
from tests.service.phone import Json, Phone


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Ana  ", "Ana"),
        ("A\u200bna\u202e", "Ana"),
        ("e\u0301", "é"),
        ("👩‍👩‍👧" * 30, "👩‍👩‍👧" * 24),
        ("🇮🇸" * 25, "🇮🇸" * 24),
        ("\x00\n", ""),
        ("\u3164\u2800", ""),
        ("Þórdís", "Þórdís"),
        ("王小明", "王小明"),
        ("a" + "\u0301" * 500, "á" + "\u0301" * 11),
    ],
)
def test_names(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_a_name_is_cut_before_it_is_normalised(monkeypatch: pytest.MonkeyPatch) -> None:
    normalize, longest = unicodedata.normalize, []

    def noting(form: str, text: str) -> str:
        longest.append(len(text))
        return normalize(form, text)  # type: ignore[arg-type]

    monkeypatch.setattr(unicodedata, "normalize", noting)
    name = clean_name("a" + "\u0301\u0316" * 500_000)
    assert longest == [LONGEST_NAME]
    assert len(name) <= 12


def test_the_longest_clean_name_may_be_written_and_sent_again() -> None:
    name = clean_name("e\u0301\u0316\u0317\u0318\u0319\u031c\u031d\u031e\u031f\u0320\u0323" * 40)
    assert len(name) <= LONGEST_NAME
    assert clean_name(name) == name
    assert LONGEST * 12 <= LONGEST_NAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "anna"),
        ("Anna", "A\u200dn\u200dna"),
        ("Anna", "Anna\ufe0f"),
        ("Anna", "Аnnа"),  # noqa: RUF001
        ("Otto", "0tto"),
        ("Al", "AI"),
        ("Nikos", "Νikοs"),  # noqa: RUF001
        ("Anna", "Anna"),
        ("straße", "STRASSE"),
        ("P1", "Pl"),
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "Ánna"),
        ("Jón", "Jon"),
        ("P0", "P1"),
        ("王小明", "王小红"),
        ("Анна", "Инна"),
        ("👩", "👨"),
    ],
)
def test_names_that_people_tell_apart(one: str, other: str) -> None:
    assert not look_alike(one, other)


@pytest.mark.parametrize("name", ["", " ", "\u200d", "\ufe0f", "\u3164", "\u2800 \u00a0"])
def test_names_that_show_nothing(name: str) -> None:
    assert not is_seen(name)


def table_set(*players: str) -> Json:
    seats = [{"player": player, "monster": MONSTERS[n]} for n, player in enumerate(players)]
    return {
        "type": "TableSet",
        "game": next(iter(RULESETS)),
        "edition": "first",
        "seats": seats,
    }


START = {"type": "GameStarted", "first": 0}


@pytest.mark.parametrize(
    ("players", "key"),
    [
        (("Anna", "A\u200dnn\ufe0fa"), "error.name_taken"),
        (("Anna", "ANNA "), "error.name_taken"),
        (("Anna", "\u2800\u3164"), "error.name_blank"),
        (("Anna", "\u200d\u200d"), "error.name_blank"),
    ],
)
def test_a_table_with_such_names_is_refused(
    host: Phone, players: tuple[str, ...], key: str
) -> None:
    answer = host.command(table_set(*players))
    assert answer.status_code == 400
    assert (answer.json or {})["error"]["key"] == key
    assert host.view().rev == 0


def test_a_seat_without_a_name_is_a_draft_and_starts_no_game(host: Phone) -> None:
    host.say(table_set("Anna", "", " "))
    for events in ([START], [table_set("Anna", ""), START]):
        answer = host.command(*events)
        assert answer.status_code == 400
        assert (answer.json or {})["error"]["key"] == "error.name_blank"
    host.say(table_set("Anna", "Ben"), START)
