"""Every sentence that the service may send is in the catalogue, with its arguments."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import engine
from companion.engine import (
    RULESETS,
    Ahead,
    Corrected,
    Correction,
    Number,
    Seat,
)
from companion.service.views.view import Views, game_view
from companion.table import AheadSaid, Redone, Undone
from companion.virtual import random_event
from tests.catalogue_keys import BARRED, CHOICES, REVEALS, ROLLS, WARNINGS
from tests.engine.tables import TOKYO, Scene
from tests.sentences.play import Evening, Reader, sentences_of
from tests.table.test_table import say, started
from tests.test_locales import catalogue

PACKAGE = Path(engine.__file__).parent.parent
FAMILIES = (
    "audit|barred|because|choice|did|effect|error|gain|happened|offer|play|preview|reminder|reveal"
    "|roll|serve|tray.problem|camera|why"
)
KEY = re.compile(rf"(?:{FAMILIES})(?:\.[a-z_]+)+")


def literals() -> Iterator[tuple[Path, str]]:
    """Every string in the package that looks like a key."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        made = {
            id(part) for f in ast.walk(tree) if isinstance(f, ast.JoinedStr) for part in f.values
        }
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in made else None
            if isinstance(text, str) and KEY.fullmatch(text):
                yield path, text


def illegal_keys() -> set[str]:
    """Return the keys of the engine's refusals."""
    found = set()
    for path in sorted((PACKAGE / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "IllegalEvent":
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    found.add(f"error.{key.value!s}")
                else:
                    found |= {f"error.barred_{reason}" for reason in BARRED}
    return found


def test_every_key_the_code_can_produce_has_a_sentence() -> None:
    known = catalogue("en")
    assert sorted(key for _, key in literals() if key not in known) == []
    assert sorted(illegal_keys() - known.keys()) == []


def test_every_question_in_the_engine_is_listed() -> None:
    named: dict[str, set[str]] = {"Choice": set(), "Roll": set(), "Reveal": set()}
    for path in sorted((PACKAGE / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Name(kind), [_, ast.Constant(str(key)), *_]) if kind in named:
                    named[kind].add(key)
    assert named["Choice"] == set(CHOICES)
    assert named["Roll"] == set(ROLLS)
    assert named["Reveal"] == set(REVEALS)


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_every_row_of_a_log_has_a_sentence_and_its_gaps(tmp_path: Path, game: str) -> None:
    chance, table = random.Random(1), started(tmp_path, game, 3)
    say(table, AheadSaid(Seat(1), Ahead(stay_above=4)))
    say(table, Corrected(numbers=(Correction(Seat(0), Number.ENERGY, 30),)))
    while table.snapshot().rev < 250:
        position = table.snapshot().state.position
        assert position is not None
        if position.question is None:
            break
        say(table, random_event(position, chance, 0.0))
    say(table, Undone(table.snapshot().rev))
    say(table, Redone(table.snapshot().rev))
    sent = [*sentences_of(Views(game).rows.all(table.snapshot()))]
    reader = Reader("en", game, RULESETS[game].editions[0], ("P0", "P1", "P2"))
    for words, why in sent:
        reader.read(words, why)
    kinds = {words.key.rpartition(".")[2] for words, _ in sent}
    assert {"card_shown", "energy", "undone", "redone", "game_started"} <= kinds
    assert ("tile_shown" in kinds) == (game == "new-york")


def test_an_option_that_warns_does_so_in_words() -> None:
    """And what the engine warns of is what the catalogue has a sentence for."""
    scene = Scene(TOKYO, cards={0: ("metamorph", "jets")}).begin().order("H").roll("HHHHHH")
    view = game_view(Evening.at(scene.game).state, ())
    assert view is not None
    assert view.question is not None
    first, *others = view.question.options
    assert (first.key, [option.key for option in others]) == ("sell_1", ["sell_2", "pass"])
    assert [note.key for note in first.notes] == [f"warning.{what}" for what in WARNINGS]
    assert [note.args for note in first.notes] == [{"card": "metamorph"}]
    assert {option.notes for option in others} == {()}
