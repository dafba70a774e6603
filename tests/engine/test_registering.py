"""A game is registered whole or not at all; each fault is one sentence that names the field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from lantern_fair import LANTERN_FAIR
from lantern_fair.cards import hidden
from msgspec import structs

from companion.engine import (
    EDITIONS,
    RULESETS,
    CardKind,
    CardShown,
    Choice,
    Chosen,
    Corrected,
    Correction,
    Effect,
    GainEnergy,
    IllegalEvent,
    Number,
    Reveal,
    Ruleset,
    Seat,
    Setup,
    TileReward,
    check,
    new_game,
    rules_for,
)
from companion.engine.authoring import (
    MOVING,
    NUMBERS,
    TURN,
    Answer,
    BeginTurn,
    EndPhase,
    EnterPhase,
    Limit,
    My,
    Place,
    RulesetError,
    Tile,
    register,
    registered,
    whenever,
)
from companion.engine.registering import faults

NAME = LANTERN_FAIR.name
FIRST = Seat(0)
KNOWN = tuple(EDITIONS)
Fields = dict[str, Any]


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    assert tuple(EDITIONS) == KNOWN
    assert tuple(RULESETS) == tuple(dict.fromkeys(name for name, _ in KNOWN))


def changed(**fields: Any) -> Ruleset:
    return replace(LANTERN_FAIR, **fields)


def place(**fields: Any) -> Fields:
    stage = replace(LANTERN_FAIR.places["stage"], **fields)
    return {"places": {**LANTERN_FAIR.places, "stage": stage}}


def card(**fields: Any) -> Fields:
    drum = replace(LANTERN_FAIR.cards["big_drum"], **fields)
    return {"cards": {**LANTERN_FAIR.cards, "big_drum": drum}}


class Sneeze(Effect, frozen=True):
    """No effect of the engine."""


@whenever(Sneeze)
def bless(my: My, sneeze: Sneeze) -> Answer:
    return None


def without_phases(rules: Ruleset) -> Ruleset:
    return replace(rules, phases=())


FACES = LANTERN_FAIR.faces
BUILDING = Tile("hut", 1, TileReward(stars=1), None, 1)

FAULTY: dict[str, tuple[Fields, str]] = {
    "name": ({"name": "Lantern Fair"}, "name 'Lantern Fair' is no id"),
    "long name": ({"name": "l" * 49}, "is no id"),
    "prefix": ({"prefix": "L.*", "clauses": {}}, "prefix 'L.*' is none"),
    "clause": ({"clauses": {"buy": "TK-1.1"}}, "clauses: buy is TK-1.1, which is no clause of LF"),
    "place id": ({"places": {**LANTERN_FAIR.places, "a b": Place("a b", "x", 1)}}, "place 'a b'"),
    "house id": ({"house": {"No!": without_phases}}, "house rule 'No!' is no id"),
    "two names": ({"cards": {"drum": LANTERN_FAIR.cards["big_drum"]}}, "cards: drum is called big"),
    "players": ({"players_max": 7}, "players_max is 7; it may be 2 to 6"),
    "few players": ({"players_min": 6}, "players_min is 6; it may be 2 to 5"),
    "dice": ({"dice": 9}, "dice is 9; it may be 1 to 7"),
    "health": ({"health": 0}, "health is 0; it may be 1 to 99"),
    "five faces": ({"faces": FACES[:5]}, "a die has 6 different ones"),
    "twice a face": ({"faces": (*FACES[:5], FACES[0])}, "a die has 6 different ones"),
    "sensible": ({"sensible": FACES[:3]}, "sensible is not every face once"),
    "scoring": ({"scoring": {}}, "scoring says nothing of energy"),
    "phases": ({"phases": ()}, "phases does not begin with RollPhase"),
    "phase twice": (
        {"phases": (*LANTERN_FAIR.phases, EndPhase)},
        "phases has EndPhase more than once",
    ),
    "entering": (
        {"phases": tuple(p for p in LANTERN_FAIR.phases if p is not EnterPhase)},
        "entering is EnterPhase, which is no phase of the turn",
    ),
    "no start": ({"start_places": ()}, "start_places has 0 places"),
    "strange start": ({"start_places": ("moon",)}, "start_places has moon, which is no place"),
    "start inside": ({"start_places": ("stage",)}, "not everybody may stand"),
    "little room": ({"start_places": ("bridge",)}, "room for 3; 5 may play"),
    "place of none": (place(room=0), "place stage: room is at least 1"),
    "onward": (place(onward="moon"), "place stage: onward is moon, which is no place"),
    "entry": (place(inside=False), "place stage: entry leads into the city"),
    "cost": (card(cost=-1), "card big_drum: cost and tokens are at least 0"),
    "goal": (card(kind=CardKind.GOAL), "card big_drum: goals has it"),
    "lost goal": ({"goals": ("crown",)}, "goals has crown, which is no card"),
    "district": (card(district=("moon",)), "card big_drum: district has moon"),
    "tiles": ({"tiles": {"hut": BUILDING}}, "tiles has 1 buildings; the stacks take 0"),
    "back": (
        {"tiles": {"hut": BUILDING}, "areas": ("a",), "stacks_per_area": 1, "tiles_per_stack": 1},
        "tile hut: its back must be a Unit",
    ),
    "token": ({"tokens": {"glue": ()}}, "tokens has glue"),
    "alike": (card(abilities=(hidden, hidden)), "card big_drum: two abilities are called hidden"),
    "no effect": (card(abilities=(bless,)), "bless answers Sneeze, which is no effect"),
    "shared name": ({"conditions": {"odd": (TURN[1],)}}, "has an ability income too"),
    "nothing to place": (
        {"abilities": (*LANTERN_FAIR.abilities[:1], *TURN)},
        "nothing answers ChooseStart; MOVING has what does",
    ),
    "no turn": ({"abilities": MOVING}, "nothing answers BeginTurn; TURN has what does"),
    "house": ({"house": {"odd": without_phases}}, "of 2 by odd cannot begin: phases does not"),
    "house of errors": ({"house": {"odd": lambda rules: rules.odd}}, "by odd cannot begin: Attrib"),
    "house of none": (
        {"house": {"odd": lambda rules: None}},
        "by odd cannot begin: the house rule makes a NoneType of it",
    ),
}


@pytest.mark.parametrize("what", FAULTY)
def test_a_faulty_game_is_refused_in_one_sentence_and_changes_nothing(what: str) -> None:
    fields, sentence = FAULTY[what]
    with pytest.raises(RulesetError) as refusal:
        register(changed(**fields))
    message = str(refusal.value)
    assert sentence in message
    assert len(message.splitlines()) == 1
    assert message.startswith(str(fields.get("name", NAME)))


def test_a_game_of_a_name_or_prefix_that_is_taken_is_refused() -> None:
    for taken in RULESETS.values():
        with pytest.raises(RulesetError, match="a game of this name already"):
            register(changed(name=taken.name))
        with pytest.raises(RulesetError, match=f"prefix {taken.prefix} is that of {taken.name}"):
            register(changed(prefix=taken.prefix, clauses={}))
    with registered(LANTERN_FAIR), pytest.raises(RulesetError, match="this name already"):
        register(changed())


def test_nothing_and_what_is_no_ruleset_are_refused() -> None:
    with pytest.raises(RulesetError, match="no ruleset is given"):
        register()
    with pytest.raises(RulesetError, match="this is a str"):
        register("lantern-fair")  # type: ignore[arg-type]


def test_the_same_value_once_more_changes_nothing() -> None:
    with registered(LANTERN_FAIR):
        register(LANTERN_FAIR)
        assert RULESETS[NAME] is LANTERN_FAIR
        assert tuple(RULESETS)[-1] == NAME
    with pytest.raises(IllegalEvent, match="unknown_game"):
        rules_for(NAME, "first", ())


def test_a_game_says_which_numbers_its_monsters_have_and_how_far_they_go() -> None:
    few = {**NUMBERS, Number.ENERGY: Limit(lambda position, seat: 3)}
    with registered(changed(numbers=few)):
        position = new_game(Setup(NAME, 2)).position
        full = Corrected((Correction(FIRST, Number.ENERGY, 3),))
        assert position.apply(full).position.game.monsters[0].energy == 3
        with pytest.raises(IllegalEvent) as refused:
            position.apply(Corrected((Correction(FIRST, Number.ENERGY, 4),)))
        assert (refused.value.key, refused.value.params) == ("out_of_range", {"most": 3})
    none = {number: NUMBERS[number] for number in (Number.HEALTH, Number.STARS)}
    with registered(changed(numbers=none)):
        position = new_game(Setup(NAME, 2)).position
        with pytest.raises(IllegalEvent, match="out_of_range"):
            position.apply(Corrected((Correction(FIRST, Number.ENERGY, 1),)))


def test_rules_may_ask_which_monster_sits_where() -> None:
    @whenever(BeginTurn)
    def the_fox_is_greedy(my: My, begun: BeginTurn) -> Answer:
        greedy = my.position.monster_name(begun.seat) == "fox"
        return GainEnergy(begun.seat, 1) if greedy else None

    wild = changed(monsters=("fox", "owl"), abilities=(the_fox_is_greedy, *LANTERN_FAIR.abilities))
    with registered(wild):
        setup = Setup(NAME, 3, monsters=("owl", "a_picture_alone", "fox"))
        position = new_game(setup).position
        names = [position.monster_name(monster.seat) for monster in position.game.monsters]
        assert names == ["owl", "", "fox"]
        assert check(position.game) == ()
        for first, energy in ((Seat(0), 0), (Seat(1), 0), (Seat(2), 1)):
            begun = new_game(structs.replace(setup, first=first)).position
            while isinstance(asked := begun.question, Choice):
                begun = begun.apply(Chosen(asked.seat, asked.options[0].key)).position
            for _ in range(3):
                if isinstance(begun.question, Reveal):
                    begun = begun.apply(CardShown(begun.game.deck[0])).position
            assert begun.game.monsters[first].energy == energy
    with registered(changed()):
        nobody = new_game(setup).position
        assert nobody.game == new_game(structs.replace(setup, monsters=())).position.game
        named = structs.replace(
            nobody.game, monsters=(structs.replace(nobody.game.monsters[0], name="fox"),)
        )
        assert any("name is fox" in line for line in check(named))


def test_all_editions_are_given_together_the_usual_one_first() -> None:
    both = ("first", "2030")
    usual = changed(editions=both)
    later = changed(editions=both, edition="2030", health=5)
    with registered(usual, later):
        assert RULESETS[NAME] is usual
        assert new_game(Setup(NAME, 2, edition="2030")).game.monsters[0].health == 5
    for given, sentence in {
        (usual,): "given are first",
        (later, usual): "given are 2030, first",
        (usual, replace(later, prefix="LL", clauses={})): "differ in name, prefix or editions",
        (changed(edition="old", editions=("old",)),): "call it first",
        (usual, replace(later, dice=9)): "edition 2030: dice is 9",
    }.items():
        with pytest.raises(RulesetError, match=sentence):
            register(*given)


@pytest.mark.parametrize("edition", KNOWN)
def test_the_games_that_come_along_have_no_fault(edition: tuple[str, str]) -> None:
    assert list(faults(EDITIONS[edition])) == []
