"""Previews come true, and previewing changes nothing."""

from __future__ import annotations

from itertools import chain

import pytest
from msgspec.structs import replace

from companion.engine import (
    Change,
    Chosen,
    DiceRolled,
    Face,
    Game,
    How,
    IllegalEvent,
    Monster,
    MoveTo,
    Number,
    OrderChosen,
    Outcome,
    Position,
    Roll,
    Seat,
    SpendEnergy,
    UnitKind,
    changed,
)
from companion.engine.authoring import ChooseGroup
from tests.engine.tables import TOKYO, Scene, dice
from tests.properties.games import Step, steps_of

ROLLED = DiceRolled(dice("HHHHHH"), final=True)

SOME_GAMES = [
    pytest.param(game, players, cards, seed, id=f"{game}-{players}-{cards}-{seed}")
    for seed in (11,)
    for game, players, cards in [
        ("new-york", 2, 0),
        ("new-york", 5, 0),
        ("new-york", 4, 4),
        ("tokyo", 3, 0),
        ("tokyo", 6, 0),
        ("tokyo", 4, 4),
    ]
]
EVERY = pytest.mark.parametrize(("game", "players", "cards", "seed"), SOME_GAMES)


def last_throws(steps: tuple[Step, ...]) -> list[tuple[Game, DiceRolled]]:
    """Yield positions at a turn's roll, each with the throw that ended the rolling."""
    found = []
    for step in steps:
        asked, event = Position.of(step.game).question, step.event
        if isinstance(asked, Roll) and asked.main and isinstance(event, DiceRolled):
            ends = DiceRolled(event.faces, event.rethrown, final=True)
            if not asked.owed:
                found.append((step.game, ends))
    return found


def resolved(game: Game, event: DiceRolled, order: tuple[Face, ...]) -> Outcome[Position] | None:
    """Return the outcome of Apply up to the first question: the throw, its groups in that order."""
    try:
        ordered = Position.of(game).apply(OrderChosen(game.turn.active, order)).game
        return Position.of(ordered).apply(event)
    except IllegalEvent:
        return None


PHASES = ("EnterPhase", "MovePhase", "TurnOver")


def groups(game: Game, outcome: Outcome[Position]) -> list[tuple[Face, tuple[Change, ...]]]:
    """Return face and changed numbers of each group that Apply resolved to its end.

    A group's numbers reach from the end of the one before it; the first's from the position.
    """
    found: list[tuple[Face, tuple[Change, ...]]] = []
    monsters, face = game.monsters, None
    for effect, before in zip(outcome.performed, outcome.before, strict=True):
        if isinstance(effect, ChooseGroup) or type(effect).__name__ in PHASES:
            if face is not None:
                found.append((face, numbers(game, monsters, before)))
                monsters, face = before, None
            if not isinstance(effect, ChooseGroup):
                return found
            face = effect.face
    if face is not None:
        found.append((face, numbers(game, monsters, outcome.game.monsters)))
    return found


def numbers(
    game: Game, before: tuple[Monster, ...], after: tuple[Monster, ...]
) -> tuple[Change, ...]:
    return changed(replace(game, monsters=before), replace(game, monsters=after))


@EVERY
def test_certain_rows_are_what_apply_does(game: str, players: int, cards: int, seed: int) -> None:
    seen = 0
    for position, event in last_throws(steps_of(game, players, seed, cards)):
        before = Position.of(position).digest()
        preview = Position.of(position).preview(event.faces)
        assert Position.of(position).digest() == before
        outcome = resolved(position, event, preview.order)
        if outcome is None or any(isinstance(e, SpendEnergy) for e in outcome.performed[:1]):
            continue  # a reroll that costs: its price is no part of what the dice do
        certain = []
        for row in preview.rows:
            if row.provisional:
                break
            certain.append((row.face, row.changes))
        real = groups(position, outcome)
        while len(certain) > len(real) and not outcome.game.monsters[position.turn.active].alive:
            assert certain.pop()[1] == ()  # it died: what was left of its turn is void
        assert real[: len(certain)] == certain
        seen += len(certain)
        ends = outcome.game.ended is not None
        assert preview.merges == (ends or outcome.game.turn.number > position.turn.number)
    assert seen > 10


def rows(scene: Scene, letters: str) -> list[tuple[str, int, bool]]:
    """Return key, symbols and whether provisional, of each row."""
    preview = Position.of(scene.begin().game).preview(dice(letters))
    return [(row.key, row.count, row.provisional) for row in preview.rows]


def test_symbols_that_cards_add_are_foretold() -> None:
    table = Scene(cards={0: ("towering_titan",)}, shop=("stomp", "fury", "diva")).begin()
    preview = Position.of(table.game).preview(dice("HHHHHH"))
    faces = {row.face.value: row.count for row in preview.rows}
    real = Position.of(
        Position.of(table.game).apply(OrderChosen(Seat(0), preview.order)).game
    ).apply(ROLLED)
    added = real.game.turn.added
    assert added
    assert faces == {"heal": 6} | {face.value: added.count(face) for face in added}


def test_before_a_last_word_everything_is_provisional() -> None:
    assert rows(Scene(TOKYO, cards={2: ("psychic_probe",)}), "111EEE") == [
        ("one", 3, True),
        ("energy", 3, True),
    ]
    assert rows(Scene(TOKYO, cards={0: ("psychic_probe",)}), "111EEE") == [
        ("one", 3, False),
        ("energy", 3, False),
    ]


def test_behind_a_choice_rows_are_provisional() -> None:
    assert rows(Scene(TOKYO), "111AEE") == [
        ("one", 3, False),
        ("energy", 2, False),
        ("attack", 1, True),
    ]


def test_fewer_dice_than_expected_tell_so_far() -> None:
    assert rows(Scene(TOKYO), "33") == [("three.nothing", 2, False)]
    assert rows(Scene(TOKYO), "") == []


def test_a_group_that_does_nothing_says_so() -> None:
    assert rows(Scene(), "HHHHCC") == [
        ("celebrity.nothing", 2, False),
        ("heal.nothing", 4, False),
    ]


def test_the_roller_who_would_die_gets_nothing_more() -> None:
    scene = Scene(health={0: 1}, units={"brooklyn": (UnitKind.TANK,)})
    preview = Position.of(scene.begin().game).preview(dice("OEECCC"), dice("OEC"))
    assert [(row.key, row.changes) for row in preview.rows] == [
        ("ouch", (Change(Seat(0), Number.HEALTH, 1, 0),)),
        ("energy.nothing", ()),
        ("celebrity.nothing", ()),
    ]


@pytest.mark.parametrize(
    ("scene", "letters", "merges"),
    [
        (Scene(), "HHHHHH", False),  # it may move
        (Scene(at=("lower_2_4", "bronx", "queens")), "HHHHHH", True),
        (Scene(at=("lower_2_4", "bronx", "queens")), "EHHHHH", False),  # 2 energy: a sweep
        (Scene(at=("lower_2_4", "bronx", "queens")), "DHHHHH", False),  # tiles to name
        (Scene(TOKYO), "HHHHHH", True),
        (Scene(TOKYO), "AHHHHH", False),  # stay or flee
        (Scene(TOKYO, cards={2: ("psychic_probe",)}), "HHHHHH", False),
        (Scene(TOKYO, stars={0: 19}), "111HHH", True),  # it ends the game
        (Scene(TOKYO), "HHHHH", False),  # a die is missing
    ],
)
def test_whether_apply_ends_the_turn(scene: Scene, letters: str, merges: bool) -> None:
    assert Position.of(scene.begin().game).preview(dice(letters)).merges is merges


STAR = (Change(Seat(0), Number.STARS, 0, 1),)
NOBODY_IN = ("outside",) * 5


@pytest.mark.clause("NY-13.2", "TK-9.1", "TK-17.1")
@pytest.mark.parametrize(
    ("scene", "letters", "entering"),
    [
        (Scene(TOKYO, at=NOBODY_IN), "AHHHHH", STAR),
        (Scene(TOKYO, at=NOBODY_IN), "HHHHHH", ()),
        (Scene(TOKYO, at=NOBODY_IN, edition="2016"), "HHHHHH", STAR),
        (Scene(TOKYO), "AHHHHH", ()),  # who is in it may stay
        (Scene(TOKYO, health={1: 1}), "AHHHHH", STAR),  # it dies
        (Scene(TOKYO, players=5), "AHHHHH", ()),  # City or Bay: that one decides
        (Scene(TOKYO, at=("tokyo_city", "outside", "outside")), "AHHHHH", ()),
        (Scene(at=("brooklyn", "bronx", "queens")), "HHHHHH", STAR),
        (Scene(), "HHHHHH", ()),  # a move of choice
        (Scene(at=("lower_2_4", "bronx", "queens")), "HHHHHH", ()),  # climbing brings nothing
        (
            Scene(at=("brooklyn", "bronx", "queens"), cards={0: ("chinatown_regular",)}),
            "EEEEEE",
            STAR,
        ),
    ],
)
def test_the_star_for_entering_is_foretold(
    scene: Scene, letters: str, entering: tuple[Change, ...]
) -> None:
    table = scene.begin()
    stars = table.stars(0)
    preview = Position.of(table.game).preview(dice(letters)).entering
    assert preview == tuple(replace(c, before=stars, after=stars + 1) for c in entering)


@pytest.mark.parametrize(
    ("game", "players", "seeds"), [("new-york", 4, range(3)), ("tokyo", 5, range(5))]
)
def test_who_is_told_to_enter_does(game: str, players: int, seeds: range) -> None:
    seen = 0
    played = (steps_of(game, players, seed) for seed in seeds)
    for position, event in chain.from_iterable(map(last_throws, played)):
        preview = Position.of(position).preview(event.faces)
        if not preview.entering or any(row.provisional for row in preview.rows):
            continue
        outcome = resolved(position, event, preview.order)
        assert outcome is not None
        moves = [e for e in outcome.performed if isinstance(e, MoveTo) and e.how is How.ENTER]
        assert [move.seat for move in moves] == [position.turn.active]
        seen += 1
    assert seen


# -- consequences ---------------------------------------------------------------------------------


def test_consequences_of_staying_and_fleeing() -> None:
    table = Scene().begin().order("AH").roll("AHHHHH")
    assert Position.of(table.game).consequences(Chosen(Seat(1), "stay")) == ()
    assert Position.of(table.game).consequences(Chosen(Seat(1), "flee_bronx")) == (
        Change(Seat(0), Number.STARS, 0, 1),  # the attacker must enter
    )


def test_consequences_of_destroying_and_buying() -> None:
    tops = {"brooklyn": ("skyscraper_1", "power_plant_2", "hospital_2")}
    table = Scene(health={0: 5}, energy={0: 9}, tops=tops, shop=("stomp", "fury", "long_neck"))
    game = table.begin().order("D").roll("DDDDDD")
    assert Position.of(game.game).consequences(Chosen(Seat(0), "stack_9")) == (
        Change(Seat(0), Number.STARS, 0, 1),
    )
    assert Position.of(game.game).consequences(Chosen(Seat(0), "stack_10")) == (
        Change(Seat(0), Number.ENERGY, 9, 11),
    )
    assert Position.of(game.game).consequences(Chosen(Seat(0), "stack_11")) == (
        Change(Seat(0), Number.HEALTH, 5, 7),
    )
    shopping = table.begin().roll("HHHHHH").choose("stay")
    buy = Chosen(Seat(0), f"buy_{shopping.card('long_neck').id}")
    assert Position.of(shopping.game).consequences(buy) == (Change(Seat(0), Number.ENERGY, 9, 6),)
    assert Position.of(shopping.game).consequences(Chosen(Seat(0), "sweep")) == (
        Change(Seat(0), Number.ENERGY, 9, 7),
    )
    assert (
        Position.of(shopping.game).consequences(Chosen(Seat(0), "end")) == ()
    )  # the turn goes on by itself


def test_what_is_not_allowed_has_no_consequences() -> None:
    game = Scene().begin().game
    assert Position.of(game).consequences(Chosen(Seat(0), "end")) == ()
    assert Position.of(game).consequences(Chosen(Seat(9), "stay")) == ()
