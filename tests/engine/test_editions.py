"""What the 2016 edition of King of Tokyo changed (TK-17), and house rules that may be switched on.

Every difference is shown against the first edition in the same scene.
"""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from companion.engine import IllegalEvent, Setup, check, new_game, rules_for, rules_of
from companion.engine.effects.cards import DropCard
from companion.engine.position import full_deck
from companion.engine.registry import EDITIONS, RULESETS
from companion.engine.values import Seat, UnitKind
from companion.resources import resource_dir
from tests.engine.cards.scenes import card_hurts, next_roll, resolve
from tests.engine.cards.tokyo_tables import BAY, CITY, NOBODY_IN, NOTHING, OUT, scene, shopping
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table, after

FIRST, SECOND = "first", "2016"


def words(key: str) -> str:
    found: str = json.loads((resource_dir("locales") / "en.json").read_bytes())[key]
    return found


# -- entering -------------------------------------------------------------------------------------


@pytest.mark.clause("TK-17.1", "TK-9.2")
@pytest.mark.parametrize(("edition", "enters"), [(FIRST, False), (SECOND, True)])
def test_an_empty_city_must_be_entered_without_a_claw(edition: str, enters: bool) -> None:
    table = resolve(scene(at=NOBODY_IN, edition=edition), NOTHING)
    assert table.since() == ({0: {"stars": 1, "place": CITY}} if enters else {})
    next_roll(table)


@pytest.mark.clause("TK-17.1", "TK-11.5")
@pytest.mark.parametrize(("edition", "enters"), [(FIRST, False), (SECOND, True)])
def test_with_five_a_free_bay_must_be_entered_too(edition: str, enters: bool) -> None:
    table = resolve(scene(players=5, energy={0: 2}, edition=edition), NOTHING)
    assert table.since() == ({0: {"stars": 1, "place": BAY}} if enters else {})
    next_roll(table)


@pytest.mark.clause("TK-17.1")
def test_hearts_heal_before_the_city_is_entered() -> None:
    table = resolve(scene(at=NOBODY_IN, health={0: 5}, edition=SECOND), "1122")
    assert table.since() == {0: {"health": 2, "stars": 1, "place": CITY}}


@pytest.mark.clause("TK-17.2", "TK-7.2")
@pytest.mark.parametrize("letters", ["AAAA12", NOTHING])
def test_who_begins_enters_on_turn_one_and_hurts_nobody(letters: str) -> None:
    game = new_game(Setup(TOKYO, 4, Seat(2), SECOND)).game
    table = Table(game).put_off()
    assert table.asked == "roll@2"
    assert table.game.turn.number == 1
    table.order("A12").roll(letters)
    assert table.since() == {2: {"stars": 1, "place": CITY}}
    assert table.end_turn().asked == "roll@3"


# -- the Bay closes -------------------------------------------------------------------------------


@pytest.mark.clause("TK-17.3", "TK-11.7")
@pytest.mark.parametrize(("edition", "place"), [(FIRST, OUT), (SECOND, CITY)])
def test_when_the_bay_closes_its_monster_takes_a_city_that_is_free(
    edition: str, place: str
) -> None:
    at = (OUT, OUT, BAY, OUT, OUT)
    table = card_hurts(scene(players=5, at=at, health={4: 1}, edition=edition), (4, 1))
    assert table.since() == {4: {"health": -1, "alive": False}, 2: {"place": place}}


# -- cards ----------------------------------------------------------------------------------------

RENAMED = {
    "alien_metabolism": "Alien Origin",
    "dedicated_news_team": "Media Friendly",
    "drop_from_high_altitude": "Death From Above",
    "fire_blast": "Flame Thrower",
    "monster_batteries": "Battery Monster",
    "omnivore": "Detritivore",
    "tanks": "Tank",
    "telepath": "Energy Drink",
}


@pytest.mark.clause("TK-17.4")
@pytest.mark.parametrize(("card", "name"), RENAMED.items())
def test_eight_cards_are_called_otherwise(card: str, name: str) -> None:
    assert f"{card}.name" in EDITIONS[TOKYO, SECOND].reworded
    assert words(f"card.{TOKYO}.{SECOND}.{card}.name") == name
    assert words(f"card.{TOKYO}.{card}.name") != name


@pytest.mark.clause("TK-17.4", "TK-17.5", "TK-17.9")
def test_they_are_the_same_cards_at_the_same_price_but_for_one() -> None:
    first, second = EDITIONS[TOKYO, FIRST], EDITIONS[TOKYO, SECOND]
    assert full_deck(first) == full_deck(second)
    other = {n for n, card in second.cards.items() if card.cost != first.cards[n].cost}
    assert other == {"monster_batteries"}
    assert all(card.kind is first.cards[n].kind for n, card in second.cards.items())
    changed = {n for n, card in second.cards.items() if card != first.cards[n]}
    assert {f"{n}.text" for n in changed} == {n for n in second.reworded if n.endswith(".text")}
    assert first.reworded == frozenset()


@pytest.mark.clause("TK-17.5")
def test_battery_monster_costs_three_and_holds_six_from_the_bank() -> None:
    table = shopping("monster_batteries", edition=SECOND).buy("monster_batteries").put_off()
    assert table.since() == {0: {"energy": -3}}
    assert table.card("monster_batteries").counters == 6
    next_roll(table)


@pytest.mark.clause("TK-17.5")
def test_it_gives_two_a_turn_and_goes_with_the_last() -> None:
    setting = {"counters": {"monster_batteries": 6}, "edition": SECOND}
    table = scene((0, "monster_batteries"), **setting)
    assert (table.energy(0), table.card("monster_batteries").counters) == (2, 4)
    table = scene((0, "monster_batteries"), **setting | {"counters": {"monster_batteries": 2}})
    assert (table.energy(0), table.cards(0)) == (2, [])


@pytest.mark.clause("TK-17.6", "H18")
@pytest.mark.parametrize("older", ["acid_attack", "complete_destruction"])
@pytest.mark.parametrize(("edition", "stars"), [(FIRST, 0), (SECOND, 9)])
def test_its_claw_completes_the_six_faces(edition: str, stars: int, older: str) -> None:
    cards = sorted(("acid_attack", "complete_destruction"), key=lambda name: name != older)
    table = scene(*((0, name) for name in cards), edition=edition)
    resolve(table, "123EEH")
    assert table.stars(0) == stars


@pytest.mark.clause("TK-17.6")
@pytest.mark.parametrize("cards", [("spiked_tail", "acid_attack"), ("acid_attack", "spiked_tail")])
def test_spiked_tail_adds_to_an_added_claw_whichever_is_older(cards: tuple[str, str]) -> None:
    table = resolve(scene(*((0, card) for card in cards), edition=SECOND), NOTHING)
    assert table.since() == {1: {"health": -2}}


@pytest.mark.clause("TK-17.6")
def test_burrowing_adds_a_claw_in_tokyo_rolled_or_not() -> None:
    table = resolve(scene((0, "burrowing"), at=(CITY, OUT, OUT), edition=SECOND), NOTHING)
    assert table.since() == {1: {"health": -1}, 2: {"health": -1}}
    outside = resolve(scene((0, "burrowing"), edition=SECOND), "A")
    assert outside.since() == {1: {"health": -1}}


@pytest.mark.clause("TK-17.6")
@pytest.mark.parametrize(
    ("at", "letters", "hurt"),
    [((CITY, OUT, OUT), "A", 2), ((CITY, OUT, OUT), NOTHING, 0), ((OUT, CITY, OUT), "A", 1)],
)
def test_urbavore_adds_a_claw_to_claws_in_tokyo(
    at: tuple[str, ...], letters: str, hurt: int
) -> None:
    table = resolve(scene((0, "urbavore"), at=at, edition=SECOND), letters)
    assert table.since().get(1, {}) == ({"health": -hurt} if hurt else {})


@pytest.mark.clause("TK-17.6")
@pytest.mark.parametrize(
    ("letters", "hurt"), [("222", 2), ("2222", 2), ("222A", 3), ("22", 0), ("22A", 1)]
)
def test_poison_quills_add_two_claws_to_a_triple_of_two(letters: str, hurt: int) -> None:
    table = resolve(scene((0, "poison_quills"), energy={0: 2}, edition=SECOND), letters)
    assert table.since().get(1, {}) == ({"health": -hurt} if hurt else {})
    assert table.asked == ("flee@1" if hurt else "buy@0")


@pytest.mark.clause("TK-17.6")
def test_quills_strike_however_the_groups_are_ordered() -> None:
    table = scene((0, "poison_quills"), edition=SECOND).order("AH2").roll("222A12")
    assert table.since()[1] == {"health": -3}


@pytest.mark.clause("TK-17.7", "TK-16.1")
@pytest.mark.parametrize(
    ("edition", "before", "after_it"),
    [(FIRST, 12, 10), (FIRST, 7, 5), (SECOND, 12, 10), (SECOND, 11, 10), (SECOND, 7, 7)],
)
def test_losing_even_bigger_lowers_the_maximum_only(
    edition: str, before: int, after_it: int
) -> None:
    table = scene((0, "even_bigger"), health={0: before}, edition=edition)
    card = table.card("even_bigger")
    assert after(table.game, DropCard(Seat(0), card.id, card.name)).health(0) == after_it


TOKENS = [("poison_spit", "poison"), ("shrink_ray", "shrink")]


@pytest.mark.clause("TK-17.8")
@pytest.mark.parametrize(("card", "token"), TOKENS)
@pytest.mark.parametrize(("edition", "given"), [(FIRST, 1), (SECOND, 0)])
def test_only_dice_give_tokens(card: str, token: str, edition: str, given: int) -> None:
    """A card bought that hurts everybody marks them in the first edition alone."""
    table = shopping("fire_blast", cards=((0, card),), edition=edition).buy("fire_blast")
    assert [table.tokens(seat).get(token, 0) for seat in range(3)] == [0, given, given]


@pytest.mark.clause("TK-17.8")
@pytest.mark.parametrize(("card", "token"), TOKENS)
def test_claws_give_tokens_to_those_they_struck(card: str, token: str) -> None:
    table = resolve(scene((0, card), edition=SECOND), "AA")
    assert [table.tokens(seat) for seat in range(3)] == [{}, {token: 1}, {}]


# -- what editions and house rules are ------------------------------------------------------------


def test_every_edition_a_box_names_is_there() -> None:
    for name, rules in RULESETS.items():
        assert rules.edition == rules.editions[0]
        for edition in rules.editions:
            found = rules_for(name, edition)
            assert (found.name, found.edition, found.editions) == (name, edition, rules.editions)
            assert found is rules_for(name, edition)
            assert found.house.keys() == rules.house.keys()
    assert len(EDITIONS) == sum(len(rules.editions) for rules in RULESETS.values())


def test_a_position_holds_its_edition_and_house_rules() -> None:
    game = new_game(Setup(TOKYO, 5, Seat(0), SECOND, ("no_bay", "no_bay"))).game
    assert (game.edition, game.house) == (SECOND, ("no_bay",))
    assert rules_of(game) is rules_for(TOKYO, SECOND, ("no_bay",))
    assert check(game) == ()
    strange = check(replace(game, house=("no_dice",)))
    assert strange == (f"rules: no {TOKYO}, edition {SECOND}, house rules no_dice",)


@pytest.mark.parametrize(
    ("setup", "key"),
    [
        (Setup(TOKYO, 3, edition="1812"), "unknown_edition"),
        (Setup(NEW_YORK, 3, edition=SECOND), "unknown_edition"),
        (Setup(TOKYO, 3, house=("no_trophies",)), "unknown_house_rule"),
        (Setup(NEW_YORK, 3, house=("no_bay",)), "unknown_house_rule"),
    ],
)
def test_what_the_box_does_not_have_is_refused(setup: Setup, key: str) -> None:
    with pytest.raises(IllegalEvent) as refused:
        new_game(setup)
    assert refused.value.key == key


@pytest.mark.clause("TK-2.2")
@pytest.mark.parametrize("edition", [FIRST, SECOND])
def test_a_first_game_may_leave_the_bay_out(edition: str) -> None:
    setting = {"energy": {0: 2}, "house": ("no_bay",)}
    table = resolve(scene(players=5, edition=edition, **setting), "A").choose("stay")
    assert table.since() == {1: {"health": -1}}
    assert table.place(0) == OUT
    assert BAY not in rules_of(table.game).places
    next_roll(table)


def new_york(house: tuple[str, ...] = ()) -> Table:
    """Five DESTRUCTION in Brooklyn: enough for an Infantry, and then for a Jet."""
    units = {"brooklyn": (UnitKind.INFANTRY, UnitKind.JET)}
    tops = {"brooklyn": ("hospital_3",) * 3}
    table = Scene(NEW_YORK, health={0: 5}, units=units, tops=tops, house=house).begin()
    return table.order("DE").roll("DDDDDE").smash(UnitKind.INFANTRY).smash(UnitKind.JET)


@pytest.mark.clause("NY-10.6")
def test_a_destroyed_unit_is_a_trophy_and_does_nothing() -> None:
    table = new_york()
    assert table.units("brooklyn") == []
    assert table.game.monsters[0].trophies == (UnitKind.INFANTRY, UnitKind.JET)
    changes = table.since()
    assert changes == {0: {"health": 1, "energy": 2 + 1}}


@pytest.mark.clause("NY-10.6")
def test_by_house_rule_it_goes_back_into_the_box() -> None:
    table = new_york(("no_trophies",))
    assert table.units("brooklyn") == []
    assert table.game.monsters[0].trophies == ()
    assert table.since() == {0: {"health": 1, "energy": 2 + 1}}


@pytest.mark.clause("NY-16.2")
def test_the_dead_keep_no_trophies() -> None:
    table = new_york()
    assert card_hurts(table, (0, 10)).game.monsters[0].trophies == ()
