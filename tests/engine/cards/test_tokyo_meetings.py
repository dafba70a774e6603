"""King of Tokyo's cards together: several that answer one effect, at one moment (H33, H34), in one
turn, out of turn, or bought after what they reward (H31)."""

from __future__ import annotations

from itertools import permutations

import pytest

from companion.engine import RULESETS
from companion.engine.abilities import Whenever
from companion.engine.effects.numbers import Damage, Eliminate, ReachedZero
from companion.engine.effects.turn import MoveTo
from companion.engine.registry import EDITIONS
from companion.engine.values import Seat, Token
from tests.engine.cards.scenes import card_hurts, next_roll, resolve
from tests.engine.cards.tokyo_tables import (
    BAY,
    BOTH_IN,
    CITY,
    FOUND,
    NOBODY_IN,
    NOTHING,
    OUT,
    scene,
    shopping,
)
from tests.engine.tables import TOKYO, Table


def swept(*cards: tuple[int, str], **more: object) -> Table:
    """Seat 0 has swept the shop; the first of three new cards is asked for."""
    return shopping(cards=cards, **({"energy": {0: 2, 1: 9, 2: 9}} | more)).choose("sweep")


class TestBoughtOutOfTurn:
    @pytest.mark.clause("TK-3.3")
    def test_a_card_that_kills_the_active_monster_ends_its_turn(self) -> None:
        table = swept((2, "opportunist"), health={0: 2})
        table.show("fire_blast").buy("fire_blast")
        assert table.since() == {
            0: {"energy": -2, "health": -2, "alive": False},
            1: {"health": -2},
            2: {"energy": -3},
        }
        for name in (FOUND, "urbavore", "gourmet"):
            table.show(name).choose("pass")
        assert table.asked == "roll@1"


class TestOneHurt:
    def test_wings_are_asked_before_the_last_moment(self) -> None:
        cards = ((1, "rapid_healing"), (1, "wings"))
        table = resolve(scene(*cards, energy={1: 4}, health={1: 2}), "AA")
        assert table.asked == "take_wing@1"
        table.choose("pass")
        assert table.asked == "last_moment@1"
        table.choose("use_1")
        assert table.since() == {1: {"energy": -2, "health": -1}}
        next_roll(table.choose("stay"))


class TestTunnels:
    """Tokyo is City and Bay: whoever takes either falls into the tunnels of both."""

    @pytest.mark.clause("TK-16.24", "H36", "TK-11.4")
    @pytest.mark.parametrize("digger", [1, 2])
    def test_both_yield_and_one_of_them_leaves_a_tunnel(self, digger: int) -> None:
        table = scene((digger, "burrowing"), players=5, at=BOTH_IN)
        resolve(table, "A").choose("flee_outside").choose("flee_outside")
        assert table.since()[0] == {"stars": 1, "health": -1, "place": CITY}
        assert table.game.in_play.conditions == ()
        next_roll(table)

    @pytest.mark.clause("TK-16.24", "H36")
    @pytest.mark.parametrize(("original", "copy"), [(1, 2), (2, 1), (1, 1)])
    def test_the_tunnels_of_the_card_and_its_copy(self, original: int, copy: int) -> None:
        table = copying("burrowing", original, copy, players=5, at=BOTH_IN)
        resolve(table, "A").choose("flee_outside").choose("flee_outside")
        assert table.since()[0] == {"stars": 1, "health": -2, "place": CITY}
        assert table.game.in_play.conditions == ()
        next_roll(table)

    @pytest.mark.clause("H36")
    def test_a_copy_in_another_hand_digs_as_the_card_does(self) -> None:
        tables = (copying("burrowing", *pair, players=5, at=BOTH_IN) for pair in ((1, 2), (2, 1)))
        fled = [resolve(table, "A").choose("flee_outside") for table in tables]
        assert fled[0].game.in_play.conditions == fled[1].game.in_play.conditions != ()

    @pytest.mark.clause("H36", "TK-16.19")
    def test_each_tunnel_is_a_source_of_its_own(self) -> None:
        table = copying("burrowing", 1, 2, (0, "armor_plating"), players=5, at=BOTH_IN)
        resolve(table, "A").choose("flee_outside").choose("flee_outside")
        assert table.since()[0] == {"stars": 1, "place": CITY}

    @pytest.mark.clause("TK-16.24")
    def test_who_takes_the_bay_alone_falls_in(self) -> None:
        table = scene((2, "burrowing"), players=5, at=BOTH_IN)
        resolve(table, "A").choose("stay").choose("flee_outside")
        assert table.since()[0] == {"stars": 1, "health": -1, "place": BAY}


class TestDeaths:
    @pytest.mark.clause("TK-13.2")
    def test_the_eater_that_dies_in_the_same_moment_is_dead(self) -> None:
        table = scene((2, "eater_of_the_dead"), players=4, health={1: 1, 2: 1}, stars={2: 17})
        dead = card_hurts(table, (1, 1), (2, 1))
        assert dead.game.ended is None
        assert [m.alive for m in dead.game.monsters] == [True, False, False, True]


class TestFireAndDeath:
    """Neighbours are those of the moment of the blow (G9)."""

    @pytest.mark.clause("G9", "TK-16.4")
    def test_nobody_steps_in_for_a_neighbour_the_attack_killed(self) -> None:
        table = resolve(scene((0, "fire_breathing"), players=5, health={1: 1}), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1, "alive": False},
            4: {"health": -1},
        }
        next_roll(table, 2)


class TestCopies:
    @pytest.mark.clause("H10", "TK-16.9")
    def test_a_heart_discards_the_copy_of_the_probe_and_not_the_probe(self) -> None:
        cards = ((1, "psychic_probe"), (2, "mimic"))
        table = scene(*cards, copies={"mimic": "psychic_probe"}).order("1AH").roll("111AAA")
        table.choose("go").power("make_it_reroll", 2).choose("die_0").roll("H")
        assert (table.cards(1), table.cards(2)) == (["psychic_probe"], [])
        assert table.game.discards == ("mimic",)

    @pytest.mark.clause("H8", "TK-16.3")
    def test_an_opportunist_twice_over_is_asked_once(self) -> None:
        cards = ((2, "opportunist"), (2, "mimic"))
        table = swept(*cards, copies={"mimic": "opportunist"}).show("gourmet")
        assert table.asked == "buy_at_once@2"
        assert table.choose("pass").asked == "card@0"
        assert table.show("jets").asked == "buy_at_once@2"  # another card is another question
        assert table.choose("pass").asked == "card@0"


class TestTurns:
    def test_dice_are_counted_anew_in_a_short_extra_turn(self) -> None:
        mine = ((0, "freeze_time"), (0, "extra_head"))
        table = scene(*mine, tokens={0: {Token.SHRINK: 2}}, at=NOBODY_IN)
        table.order("1H").roll("111HH")
        table.choose("use")
        if table.asked == "use_on_tokens@0":
            table.choose("use_1")
        assert table.open_roll.dice == 6 + 1 - 1 - 1

    def test_a_probed_die_may_be_stretched_afterwards(self) -> None:
        cards = ((0, "stretchy"), (2, "psychic_probe"))
        table = resolve(scene(*cards, energy={0: 2}, at=NOBODY_IN), "333")
        table.power("make_it_reroll", 2).choose("die_0").roll("1")
        assert table.asked == "last_word@0"
        table.power("stretch", 0).choose("die_0").choose("three")
        assert table.since() == {0: {"energy": -2, "stars": 3}}
        assert table.asked == "roll@1"


def copying(name: str, original: int, copy: int, *more: tuple[int, str], **rest: object) -> Table:
    """A card in front of one Monster, and a Mimic that copies it in front of another."""
    cards = ((original, name), (copy, "mimic"), *more)
    return scene(*cards, copies={"mimic": name}, **rest)


class TestChildrenOfOneMoment:
    """Whoever falls at one moment is asked for what saves it before anything of anybody leaves."""

    @pytest.mark.clause("H34", "TK-13.2")
    @pytest.mark.parametrize(("original", "copy"), [(1, 2), (2, 1)])
    def test_the_card_and_its_copy_both_save(self, original: int, copy: int) -> None:
        table = copying(
            "it_has_a_child",
            original,
            copy,
            players=5,
            at=BOTH_IN,
            health={1: 2, 2: 1},
            stars={1: 4, 2: 6},
            energy={1: 1, 2: 3},
        )
        resolve(table, "AA")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": 8, "stars": -4, "place": OUT},
            2: {"health": 9, "stars": -6, "place": OUT},
        }
        assert (table.cards(1), table.cards(2)) == ([], [])
        assert sorted(table.game.discards) == ["it_has_a_child", "mimic"]
        next_roll(table)

    @pytest.mark.clause("H34")
    @pytest.mark.parametrize("seats", list(permutations((0, 1, 2))))
    def test_who_has_neither_is_out_whoever_sits_where(self, seats: tuple[int, int, int]) -> None:
        original, copy, neither = seats
        health = dict.fromkeys(seats, 1)
        table = copying("it_has_a_child", original, copy, health=health, at=NOBODY_IN, players=4)
        hurt = card_hurts(table, *((seat, 1) for seat in seats))
        alive = {seat: hurt.game.monsters[seat].alive for seat in seats}
        assert alive == {original: True, copy: True, neither: False}
        assert (hurt.health(original), hurt.health(copy)) == (10, 10)

    @pytest.mark.clause("H34", "TK-14.3")
    def test_two_children_are_two_survivors(self) -> None:
        """Nobody is left over as the last one alive while both go on."""
        health = dict.fromkeys(range(3), 3)
        wares = ("high_altitude_bombing",)
        cards = ((1, "it_has_a_child"), (2, "mimic"))
        table = shopping(
            *wares, cards=cards, copies={"mimic": "it_has_a_child"}, health=health, energy={0: 4}
        )
        table.buy("high_altitude_bombing").put_off()
        assert [m.alive for m in table.game.monsters] == [False, True, True]
        assert table.game.ended is None
        assert table.asked == "roll@1"

    @pytest.mark.clause("H34", "G8")
    def test_the_last_two_begin_again_and_play_on(self) -> None:
        table = copying("it_has_a_child", 0, 1, players=2, at=NOBODY_IN, health={0: 1, 1: 1})
        hurt = card_hurts(table, (0, 1), (1, 1))
        assert hurt.since() == {0: {"health": 9}, 1: {"health": 9}}
        next_roll(hurt.order("1H").roll("11HHHH"))

    @pytest.mark.clause("H34", "TK-16.1")
    def test_what_leaves_with_the_cards_is_lost_before_they_begin_again(self) -> None:
        cards = ((1, "even_bigger"), (2, "rapid_healing"))
        table = copying("it_has_a_child", 1, 2, *cards, health={1: 1, 2: 1}, at=NOBODY_IN)
        hurt = card_hurts(table, (1, 1), (2, 1))
        assert (hurt.health(1), hurt.health(2)) == (10, 10)

    @pytest.mark.clause("H34")
    def test_the_fire_comes_later_and_burns_who_began_again(self) -> None:
        table = copying("it_has_a_child", 1, 2, (0, "fire_breathing"), health={1: 1, 2: 1})
        table = card_hurts(table, (1, 1), (2, 1), by=0)
        assert (table.health(1), table.health(2)) == (9, 9)

    @pytest.mark.clause("H34", "TK-16.9")
    def test_a_copy_is_none_when_the_original_left_before(self) -> None:
        table = copying("it_has_a_child", 1, 2, health={1: 1, 2: 1}, at=NOBODY_IN)
        hurt = card_hurts(card_hurts(table, (1, 1)), (2, 1))
        assert [m.alive for m in hurt.game.monsters] == [True, True, False]


class TestOneBlowServesAll:
    """A card that stood when the blow fell answers it, even if it costs somebody that card."""

    @pytest.mark.clause("H34")
    @pytest.mark.parametrize(("original", "copy"), [(0, 1), (1, 0)])
    def test_the_poisoner_marks_whom_it_hurt(self, original: int, copy: int) -> None:
        """Seat 1 dies of the blow; whether it held the card or the copy makes no difference."""
        table = copying("poison_spit", original, copy, players=5, at=BOTH_IN, health={1: 1})
        resolve(table, "A")
        assert not table.game.monsters[1].alive
        assert table.tokens(2) == {"poison": 1}

    @pytest.mark.clause("H34", "TK-9.5")
    def test_whom_pain_made_richer_falls_by_the_same_blow(self) -> None:
        """What it gains comes between the blow and its fall, and makes no second fall of it."""
        table = scene((1, "were_only_making_it_stronger"), (2, "eater_of_the_dead"), health={1: 2})
        resolve(table, "AA")
        assert table.happened(ReachedZero) == [ReachedZero(Seat(1), Seat(0), True, True)]
        assert table.happened(Eliminate) == [Eliminate(Seat(1))]
        assert table.since()[0] == {"stars": 1, "place": CITY}

    @pytest.mark.clause("H34", "TK-16.17", "TK-16.2")
    def test_and_is_not_out_once_it_has_begun_again(self) -> None:
        cards = ((1, "were_only_making_it_stronger"), (1, "it_has_a_child"))
        table = resolve(scene(*cards, (2, "eater_of_the_dead"), health={1: 2}), "AA")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": 8, "energy": 1, "place": OUT},
            2: {"stars": 3},
        }
        assert table.cards(2) == ["eater_of_the_dead"]

    @pytest.mark.clause("H34")
    @pytest.mark.parametrize(("original", "copy"), [(1, 2), (2, 1)])
    def test_what_it_brings_is_as_large_as_the_blow_found_its_cards(
        self, original: int, copy: int
    ) -> None:
        """Seat 2 gains 1 for its pain, and 1 more by a card of which seat 1 has the other."""
        cards = ((2, "were_only_making_it_stronger"),)
        table = copying(
            "friend_of_children", original, copy, *cards, players=5, at=BOTH_IN, health={1: 2}
        )
        resolve(table, "AA")
        assert not table.game.monsters[1].alive
        assert table.energy(2) == 2

    @pytest.mark.clause("H34", "C21", "C22")
    @pytest.mark.parametrize(("original", "copy"), [(1, 2), (2, 1)])
    def test_who_flies_out_of_the_blow_leaves_its_tunnel(self, original: int, copy: int) -> None:
        """Though the same blow kills who has the original: who takes the City falls in."""
        cards = ((1, "jets"),)
        table = copying("burrowing", original, copy, *cards, players=5, at=BOTH_IN, health={2: 1})
        resolve(table, "A").choose("flee_outside")
        assert table.since() == {
            0: {"stars": 1, "place": CITY, "health": -1},
            1: {"place": OUT},
            2: {"health": -1, "alive": False},
        }

    @pytest.mark.clause("H34")
    def test_the_bombs_of_a_poisoner_who_dies_of_them_poison(self) -> None:
        health = {0: 3, 1: 4, 2: 4}
        table = shopping("high_altitude_bombing", cards=((0, "poison_spit"),), health=health)
        table.buy("high_altitude_bombing").put_off()
        assert [m.alive for m in table.game.monsters] == [False, True, True]
        assert (table.tokens(1), table.tokens(2)) == ({"poison": 1}, {"poison": 1})

    @pytest.mark.clause("H34")
    def test_later_its_owner_is_gone_and_marks_nobody(self) -> None:
        table = scene((0, "poison_spit"), at=NOBODY_IN, health={0: 1})
        gone = card_hurts(table, (0, 1))
        assert card_hurts(gone, (1, 1), by=0).tokens(1) == {}

    @pytest.mark.clause("H34")
    @pytest.mark.parametrize("edition", RULESETS[TOKYO].editions)
    def test_every_card_that_answers_a_part_of_a_packet_does_so_at_once(self, edition: str) -> None:
        """Blows, and moves that cards make of them; what follows a part is asked of who is left."""
        later = {
            f"{card.name}.{ability.name}"
            for card in EDITIONS[TOKYO, edition].cards.values()
            for ability in card.abilities
            if isinstance(ability, Whenever) and ability.on in (Damage, MoveTo)
            if not ability.at_once
        }
        assert later == set()


class TestPrices:
    """A price is paid when it is agreed on, though the packet happens later (H34)."""

    @pytest.mark.clause("H34")
    def test_energy_is_not_spent_twice_in_one_packet(self) -> None:
        """Two energy heal 1, and cannot heal another 1 while the packet waits for seat 2."""
        cards = ((1, "rapid_healing"), (2, "camouflage"))
        table = scene(*cards, energy={1: 2}, health={1: 1}, at=NOBODY_IN)
        hurt = card_hurts(table, (1, 2), (2, 1)).choose("use_1")
        assert hurt.asked == "cancel@2"
        assert hurt.energy(1) == 0
        assert hurt.offered(1) == []
        hurt.roll("1")
        assert not hurt.game.monsters[1].alive

    @pytest.mark.clause("H34")
    def test_nor_by_a_card_and_its_copy_in_one_seat(self) -> None:
        cards = ((1, "rapid_healing"), (1, "mimic"))
        table = scene(
            *cards, copies={"mimic": "rapid_healing"}, energy={1: 2}, health={1: 1}, at=NOBODY_IN
        )
        hurt = card_hurts(table, (1, 2)).choose("use_1")
        assert hurt.since() == {1: {"energy": -2, "health": -1, "alive": False}}
        assert hurt.asked == "roll@0"


class TestOneOccasion:
    """One token on each occasion, however many sources of damage it has (H33)."""

    @pytest.mark.clause("H33", "TK-16.4")
    @pytest.mark.parametrize(
        "cards", [("fire_breathing", "poison_spit"), ("poison_spit", "fire_breathing")]
    )
    def test_struck_and_singed_is_marked_once(self, cards: tuple[str, str]) -> None:
        table = scene(*((0, name) for name in cards), players=4)
        resolve(table, "AA")
        assert table.since() == {1: {"health": -3}, 3: {"health": -1}}
        marked = [table.tokens(seat) for seat in range(4)]
        assert marked == [{}, {"poison": 1}, {}, {"poison": 1}]

    @pytest.mark.clause("H33")
    def test_each_card_gives_its_own(self) -> None:
        cards = ((0, "shrink_ray"), (0, "fire_breathing"), (0, "poison_spit"), (0, "mimic"))
        table = scene(*cards, copies={"mimic": "poison_spit"})
        resolve(table, "A")
        assert table.tokens(1) == table.tokens(2) == {"poison": 2, "shrink": 1}

    @pytest.mark.clause("H33")
    def test_two_fires_are_one_occasion(self) -> None:
        cards = ((0, "fire_breathing"), (0, "mimic"), (0, "poison_spit"))
        table = scene(*cards, copies={"mimic": "fire_breathing"})
        resolve(table, "A")
        assert table.since() == {1: {"health": -3}, 2: {"health": -2}}
        assert (table.tokens(1), table.tokens(2)) == ({"poison": 1}, {"poison": 1})

    @pytest.mark.clause("H33", "TK-16.19")
    def test_sources_stay_apart_for_armour(self) -> None:
        cards = ((0, "fire_breathing"), (0, "poison_spit"), (1, "armor_plating"))
        table = scene(*cards)
        resolve(table, "AA")
        assert table.since() == {1: {"health": -2}, 2: {"health": -1}}
        assert (table.tokens(1), table.tokens(2)) == ({"poison": 1}, {"poison": 1})

    @pytest.mark.clause("H33")
    def test_whom_only_the_later_source_hurts_is_marked_by_it(self) -> None:
        cards = ((0, "fire_breathing"), (0, "poison_spit"), (1, "camouflage"))
        table = resolve(scene(*cards, players=5, at=BOTH_IN), "A").roll("H").roll("1")
        assert table.since() == {1: {"health": -1}, 2: {"health": -1}, 4: {"health": -1}}
        marked = [table.tokens(seat) for seat in range(5)]
        assert marked == [{}, {"poison": 1}, {"poison": 1}, {}, {"poison": 1}]

    @pytest.mark.clause("H33")
    def test_quills_and_claws_are_two_occasions(self) -> None:
        table = scene((0, "poison_spit"), (0, "poison_quills"), (0, "fire_breathing"))
        resolve(table, "A222").choose("stay")
        assert (table.health(1), table.health(2)) == (10 - 2 - 3, 10 - 1 - 1)
        assert (table.tokens(1), table.tokens(2)) == ({"poison": 2}, {"poison": 2})

    @pytest.mark.clause("H33")
    def test_so_are_two_purchases(self) -> None:
        wares = ("fire_blast", "gas_refinery")
        table = shopping(*wares, cards=((0, "poison_spit"),))
        table.buy("fire_blast").put_off().buy("gas_refinery")
        assert (table.tokens(1), table.tokens(2)) == ({"poison": 2}, {"poison": 2})

    @pytest.mark.clause("H33")
    def test_the_next_turn_is_another_occasion(self) -> None:
        table = scene((0, "poison_spit"), (0, "fire_breathing"), players=2)
        resolve(table, "A").choose("stay")
        next_roll(table)
        next_roll(resolve(table, "11").end_turn(), 0)
        resolve(table, "A")
        assert table.tokens(1) == {"poison": 2}


def rolled(letters: str, ware: str, *cards: tuple[int, str], **more: object) -> Table:
    """Seat 0 resolved these dice, with energy for a card, and is asked what it buys."""
    shop = (ware, *(n for n in ("energize", "frenzy", "vast_storm") if n != ware))[:3]
    table = resolve(scene(*cards, **({"shop": shop, "energy": {0: 8}} | more)), letters)
    while table.asked.startswith("flee"):
        table.choose("stay")
    assert table.asked == "buy@0", table.asked
    table.since()
    return table


def bought(letters: str, ware: str, *cards: tuple[int, str], **more: object) -> Table:
    """It bought the card, and the shop's slot holds the next one."""
    table = rolled(letters, ware, *cards, **more)
    return table.buy(ware).show(FOUND)


class TestFreezeTime:
    @pytest.mark.clause("H31")
    def test_who_scored_three_ones_before_is_asked_at_the_end(self) -> None:
        table = bought("111", "freeze_time").choose("end")
        assert table.asked == "stop_the_clock@0"
        assert table.choose("use").asked == "roll@0"
        assert table.open_roll.dice == 5

    @pytest.mark.clause("H31")
    def test_or_lets_it_pass(self) -> None:
        table = bought("111", "freeze_time").choose("end")
        assert table.choose("pass").asked == "roll@1"


class TestAcidAttack:
    @pytest.mark.clause("H31", "TK-16.11")
    def test_it_works_the_moment_it_is_bought(self) -> None:
        table = bought(NOTHING, "acid_attack", players=5, at=BOTH_IN)
        assert table.since() == {0: {"energy": -6}, 1: {"health": -1}, 2: {"health": -1}}
        assert [m.place for m in table.game.monsters] == list(BOTH_IN)[:5]
        next_roll(table)

    @pytest.mark.clause("H31", "TK-16.19", "H33")
    def test_it_is_a_source_and_an_occasion_of_its_own(self) -> None:
        table = bought("A", "acid_attack", (0, "poison_spit"), (1, "armor_plating"))
        assert table.since()[0] == {"energy": -6}
        assert table.tokens(1) == {}
        table = bought("A", "acid_attack", (0, "poison_spit"), (0, "fire_breathing"))
        assert table.since() == {0: {"energy": -6}, 1: {"health": -2}, 2: {"health": -1}}
        assert table.tokens(1) == {"poison": 2}

    @pytest.mark.clause("H31")
    @pytest.mark.parametrize("letters", ["A", NOTHING])
    def test_not_if_acid_of_its_owner_has_worked_this_turn(self, letters: str) -> None:
        table = rolled(letters, "mimic", (0, "acid_attack"))
        table.buy("mimic").choose(f"copy_{table.card('acid_attack').id}")
        assert table.since() == {0: {"energy": -8}}


class TestLookingBack:
    @pytest.mark.clause("H31", "H24")
    @pytest.mark.parametrize(("letters", "stars"), [(NOTHING, 1), ("A", 0)])
    def test_the_herbivore_knows_whom_you_hurt_before(self, letters: str, stars: int) -> None:
        assert bought(letters, "herbivore").end_turn().since()[0].get("stars", 0) == stars

    @pytest.mark.clause("H31", "TK-16.6")
    def test_the_sun_shines_on_who_spent_all(self) -> None:
        table = bought(NOTHING, "solar_powered", energy={0: 2})
        assert table.end_turn().energy(0) == 1

    @pytest.mark.clause("H31", "H23")
    def test_the_hoarder_counts_what_is_left(self) -> None:
        table = bought(NOTHING, "energy_hoarder", energy={0: 9})
        assert table.end_turn().since()[0] == {"energy": -3, "stars": 1}


class TestLookingAhead:
    @pytest.mark.clause("H31")
    @pytest.mark.parametrize(
        ("ware", "letters"),
        [
            ("alpha_monster", "A"),
            ("complete_destruction", "123EAH"),
            ("gourmet", "111"),
            ("omnivore", "123"),
            ("poison_quills", "222"),
            ("poison_spit", "A"),
            ("shrink_ray", "A"),
            ("spiked_tail", "A"),
            ("were_only_making_it_stronger", "A"),
        ],
    )
    def test_what_happened_before_brings_nothing(self, ware: str, letters: str) -> None:
        table = rolled(letters, ware, energy={0: 9}).buy(ware).put_off()
        (changed,) = table.since().items()
        assert (changed[0], set(changed[1])) == (0, {"energy"})
        assert table.game.in_play.tokens == ()
        next_roll(table)
