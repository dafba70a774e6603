"""Every sentence that the service may send is in the catalogue, with its arguments."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from companion import engine
from companion.engine import (
    RULESETS,
    Ahead,
    AnyEvent,
    CardId,
    CardInPlay,
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
from companion.engine.authoring import EndPhase, TurnOver, run
from companion.service import wire
from companion.service.views.view import MONSTERS, Views, game_view
from companion.service.views.words import SUBJECT_ALONE
from companion.table import AheadSaid, Redone, SeatSetup, State, TableSet, Undone
from companion.virtual import random_event
from tests.catalogue_keys import BARRED, CHOICES, REVEALS, ROLLS, WARNINGS
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
    seats = tuple(SeatSetup(name, MONSTERS[n]) for n, name in enumerate("ABCD"))
    outcome = engine.new_game(Setup(game=game, players=4, first=Seat(0)))
    rules = RULESETS[game]
    able = [card.name for card in rules.cards.values() if card.abilities and card.cost]
    chance.shuffle(able)
    position = outcome.game
    cards = tuple(
        CardInPlay(CardId(position.next_id + n), name, Seat(n % 4)) for n, name in enumerate(able)
    )
    deck = list(position.deck)
    for card in cards:
        deck.remove(card.name)
    position = replace(
        position,
        deck=tuple(deck),
        next_id=position.next_id + len(cards),
        in_play=replace(position.in_play, cards=(*position.in_play.cards, *cards)),
        monsters=tuple(replace(monster, energy=12) for monster in position.monsters),
    )
    return State(TableSet(game, rules.editions[0], seats), position, question_id="1")


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
    game = RULESETS["tokyo"]
    outcome = engine.new_game(Setup(game.name, 2))
    names, start = ("metamorph", "jets"), outcome.game
    cards = tuple(
        CardInPlay(CardId(start.next_id + n), name, Seat(0)) for n, name in enumerate(names)
    )
    start = replace(
        start,
        deck=tuple(name for name in start.deck if name not in names),
        next_id=start.next_id + len(cards),
        in_play=replace(start.in_play, cards=cards),
        agenda=(TurnOver(Seat(0)), EndPhase(Seat(0))),
    )
    seats = tuple(SeatSetup(name, MONSTERS[n]) for n, name in enumerate("AB"))
    position = run(Position.of(start)).game
    state = State(TableSet(game.name, game.edition, seats), position, question_id="1")
    view = game_view(state, ())
    assert view is not None
    assert view.question is not None
    warned = {option.key: [note.key for note in option.notes] for option in view.question.options}
    assert warned[f"sell_{cards[0].id}"] == [f"warning.{what}" for what in WARNINGS]
    assert warned[f"sell_{cards[1].id}"] == warned["pass"] == []
    assert [note.args for note in view.question.options[0].notes] == [{"card": "metamorph"}]
