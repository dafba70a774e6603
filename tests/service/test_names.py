"""Names: what is stripped, how long they may be, and which are the same."""

from __future__ import annotations

import unicodedata

import pytest

from companion.engine import RULESETS
from companion.service.people.names import LONGEST, clean_name
from companion.service.views.view import MONSTERS
from companion.table.events import LONGEST_NAME
from tests.service.phone import Json, Phone


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Ana \n\u00a0Lind ", "Ana Lind"),
        ("A\u200bna\u202e", "Ana"),
        ("e\u0301", "é"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("x" * 30, "x" * LONGEST),
        ("\x00\n\u200d", ""),
        ("Þórdís", "Þórdís"),
        ("王小明", "王小明"),
    ],
)
def test_names(given: str, kept: str) -> None:
    assert clean_name(given) == kept
    assert clean_name(kept) == kept


def test_a_name_is_cut_before_it_is_normalised(monkeypatch: pytest.MonkeyPatch) -> None:
    normalize, longest = unicodedata.normalize, []

    def noting(form: str, text: str) -> str:
        longest.append(len(text))
        return normalize(form, text)  # type: ignore[arg-type]

    monkeypatch.setattr(unicodedata, "normalize", noting)
    name = clean_name("a" + "\u0301\u0316" * 500_000)
    assert longest == [LONGEST_NAME]
    assert len(name) == LONGEST


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
        (("Anna", "ANNA "), "error.name_taken"),
        (("straße", "STRASSE"), "error.name_taken"),
        (("Anna", "\u200b\x01"), "error.name_blank"),
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
