"""Every sentence that the service may send is in the catalogue, with its arguments."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from companion import engine
from companion.engine import (
    RULESETS,
    Ahead,
    AnyEvent,
    Choice,
    Corrected,
    Correction,
    Number,
    Position,
    Reveal,
    Roll,
    Seat,
    Setup,
)
from companion.service import wire
from companion.service.views.view import Views, game_view
from companion.service.views.words import SUBJECT_ALONE
from companion.table import AheadSaid, Redone, State, Undone
from companion.virtual import deal_keep_cards, random_event
from tests.catalogue_keys import BARRED, CHOICES, REVEALS, ROLLS, WARNINGS
from tests.engine.tables import TOKYO, Scene
from tests.sentences.play import Evening
from tests.table.test_table import say, started
from tests.test_locales import catalogue, gaps

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


def words_of(value: object) -> Iterator[wire.Words]:
    """Yield all sentences anywhere in a view."""
    if isinstance(value, wire.Words):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from words_of(getattr(value, name))
    elif isinstance(value, tuple):
        for part in value:
            yield from words_of(part)


def full_of_cards(game: str, chance: random.Random) -> State:
    """A game of four in which everybody starts with energy and cards of all kinds."""
    start = engine.new_game(Setup(game, 4)).game
    return Evening.at(deal_keep_cards(start, 12, chance)).state


def next_event(state: State, chance: random.Random) -> AnyEvent | None:
    assert state.game is not None
    match state.question:
        case Roll():
            return random_event(Position.of(state.game), chance, 0.0)
        case Choice() | Reveal():
            return chance.choice(Position.of(state.game).legal_events())
        case None:
            return None


@pytest.mark.parametrize("game", sorted(RULESETS))
@pytest.mark.parametrize("seed", range(6))
def test_whatever_a_game_brings_up_has_a_sentence_and_its_gaps(game: str, seed: int) -> None:
    chance = random.Random(seed)
    state = full_of_cards(game, chance)
    for step in range(250):
        event = next_event(state, chance)
        if event is None or state.game is None:
            break
        if isinstance(state.question, Choice):
            kinds = {option.word or SUBJECT_ALONE for option in state.question.options}
            assert kinds <= set(CHOICES[state.question.key])
        outcome = Position.of(state.game).apply(event)
        state = State(state.setup, outcome.game, outcome.position, str(step))
        for words in words_of(game_view(state, ())):
            check(words)


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_every_row_of_a_log_has_a_sentence_and_its_gaps(tmp_path: Path, game: str) -> None:
    chance, table = random.Random(1), started(tmp_path, game, 3)
    say(table, AheadSaid(Seat(1), Ahead(stay_above=4)))
    say(table, Corrected(numbers=(Correction(Seat(0), Number.ENERGY, 30),)))
    while table.snapshot().rev < 250:
        event = next_event(table.snapshot().state, chance)
        if event is None:
            break
        say(table, event)
    say(table, Undone(table.snapshot().rev))
    say(table, Redone(table.snapshot().rev))
    sent = Views(game).rows.all(table.snapshot())
    for words in words_of(sent):
        check(words)
    kinds = {words.key.rpartition(".")[2] for words in words_of(sent)}
    assert {"card_shown", "energy", "undone", "redone", "game_started"} <= kinds
    assert ("tile_shown" in kinds) == (game == "new-york")


def check(words: wire.Words) -> None:
    """Check that the sentence exists, and that it has a value for every gap."""
    known = catalogue("en")
    assert words.key in known
    for variant in (words.key, f"{words.key}.you"):
        found = gaps(known.get(variant, ""))
        alike = {f"dice{name[5:]}" for name in words.args if name.startswith("count")}
        assert found <= set(words.args) | alike, (words, found)


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
