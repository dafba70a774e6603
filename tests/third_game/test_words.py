"""The sentences of a game are in its package, beside those of the app."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lantern_fair import LANTERN_FAIR

from companion.catalogues import catalogue, game_catalogue
from companion.engine.authoring import registered
from companion.resources import LANGUAGES
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.service.views.words import clauses, read_clauses
from tests.catalogue_keys import keys
from tests.service.phone import Phone, app_state_of

QUESTIONS = ("choice.dazzle.prompt", "choice.fold_the_shield.prompt", "reveal.crystal.prompt")


def test_all_that_is_asked_for_has_a_sentence(fair: str) -> None:
    asked = {*keys(), *QUESTIONS, f"game.{fair}"}
    asked |= {f"house.{name}" for name in LANTERN_FAIR.house}
    asked |= {f"place.{place.name}" for place in LANTERN_FAIR.places.values()}
    asked |= {f"place.{place.area}" for place in LANTERN_FAIR.places.values()}
    asked |= {f"card.{fair}.{card}.{part}" for card in LANTERN_FAIR.cards for part in CARD}
    for language in LANGUAGES:
        assert asked - catalogue(language).keys() == set()


CARD = ("name", "text")


def test_a_sentence_that_the_app_has_stays_and_the_games_own_stands_beside_it(fair: str) -> None:
    before = catalogue("en")["preview.one"]
    assert before != catalogue("en")[f"{fair}/preview.one"] == "Steal {count} energy"
    assert f"{fair}/preview.two" in catalogue("fr")
    assert f"{fair}/game.{fair}" not in catalogue("en")


def test_without_the_game_nothing_of_it_is_said() -> None:
    with registered(LANTERN_FAIR):
        assert len(catalogue("en")) > 40
        assert "LF-3.5" in clauses()
    assert [key for key in catalogue("en") if "lantern" in key] == []
    assert "LF-3.5" not in clauses()


def test_words_of_no_package_and_words_that_cannot_be_read_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert game_catalogue(replace(LANTERN_FAIR, package=""), "en") == {}
    (tmp_path / "odd_catalogue" / "locales").mkdir(parents=True)
    (tmp_path / "odd_catalogue" / "__init__.py").write_text("")
    (tmp_path / "odd_catalogue" / "locales" / "en.json").write_text("{")
    monkeypatch.syspath_prepend(tmp_path)
    odd = replace(LANTERN_FAIR, package="odd_catalogue", rulebook="")
    with pytest.raises(ValueError, match=r"locales/en\.json is no catalogue"):
        game_catalogue(odd, "is")
    with registered(odd):
        assert [key for key in catalogue("en") if "lantern" in key] == []


def test_the_clauses_of_a_game_are_its_own(fair: str) -> None:
    book = read_clauses(LANTERN_FAIR)
    assert {clause.id.partition("-")[0] for clause in book} == {"LF"}
    assert {*LANTERN_FAIR.clauses.values()} <= {clause.id for clause in book} <= clauses().keys()


def test_phones_get_the_games_sentences(tmp_path: Path, fair: str) -> None:
    app = create_app(Settings(data=tmp_path))
    phone = Phone(app)
    try:
        for language in LANGUAGES:
            response = phone.get(f"/locales/{language}.json")
            assert (response.status_code, response.mimetype) == (200, "application/json")
            assert response.json == dict(catalogue(language))
        answer = phone.client.get(
            "/locales/en.json",
            headers={"If-None-Match": phone.get("/locales/en.json").headers["ETag"]},
        )
        assert (answer.status_code, answer.data) == (304, b"")
    finally:
        app_state_of(app).close()
