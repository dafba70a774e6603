"""A game of another package: random games, and the effects of its cards and dice."""

from __future__ import annotations

import json
from random import Random

import pytest
from lantern_fair import LANTERN_FAIR

from companion.engine import (
    CardShown,
    Choice,
    Chosen,
    DiceRolled,
    Face,
    IllegalEvent,
    Number,
    OrderChosen,
    Position,
    PowerUsed,
    Quantity,
    Reveal,
    Roll,
    Setup,
    check,
    happenings,
    read_position,
)
from companion.virtual import SimulationOptions, play_random, random_event

pytestmark = pytest.mark.usefixtures("fair")
GAMES = 15
"""For each number of players, so that there are 60."""
F = Face


def position(**fields: object) -> Position:
    """Read a position; Monsters by their numbers, seat 0 first."""
    written = {"rules": LANTERN_FAIR.name, **fields}
    return Position.of(read_position(json.dumps(written).encode()))


def monster(place: str = "bridge", **numbers: int) -> dict[str, object]:
    return {"place": place, **numbers}


def carried(name: str, seat: int = 0) -> dict[str, object]:
    return {"cards": [{"name": name, "owner": seat}]}


def buying(name: str, *others: dict[str, object]) -> Position:
    """Seat 0 buys the card; the shop is not filled up."""
    now = position(
        monsters=[monster(energy=9), *(others or (monster(),))],
        in_play={"shop": [{"name": name}, None, None]},
        put_off=True,
        turn={"final": True, "faces": ["heal"] * 5, "resolved": ["heal"]},
        agenda=[{"type": one, "seat": 0} for one in ("TurnOver", "EndPhase", "BuyPhase")],
    )
    (buy,) = [one for one in asked(now).open() if one.key.startswith("buy_")]
    return now.apply(Chosen(asked(now).seat, buy.key)).position


def asked(position: Position) -> Choice:
    assert isinstance(position.question, Choice)
    return position.question


def numbers(position: Position, what: Number) -> list[int]:
    return [getattr(one, what) for one in position.game.monsters]


def throw(position: Position, *faces: Face) -> tuple[OrderChosen, DiceRolled]:
    """Resolve these dice in the order given."""
    assert isinstance(position.question, Roll)
    order = tuple(dict.fromkeys(faces))
    return OrderChosen(position.game.turn.active, order), DiceRolled(faces, final=True)


def rolled(position: Position, *faces: Face) -> Position:
    for event in throw(position, *faces):
        position = position.apply(event).position
    return position


@pytest.mark.parametrize("players", range(2, 6))
def test_random_games_end_and_stay_sound(players: int) -> None:
    for seed in range(GAMES):
        setup = Setup(LANTERN_FAIR.name, players, house=("short_fair",) * (seed % 4 > 0))
        options = SimulationOptions(cards=seed % 3, explain=seed == 0)
        played = play_random(setup, Random(seed), options)
        assert played.broken == (), f"seed {seed}, {played.events} events"
        assert played.reason in ("stars", "survival", "all_dead")


def test_a_card_that_searches_the_deck_names_what_may_be_said() -> None:
    now = buying("crystal_ball")
    assert isinstance(now.question, Reveal)
    assert set(now.question.names) == {"crystal_ball", "fireworks", "free_supper", "mirror_ball"}
    assert set(now.question.names) < set(now.game.deck)
    with pytest.raises(IllegalEvent, match="cannot_turn_up"):
        now.apply(CardShown("big_drum"))
    events = {random_event(now, Random(seed), 0.0) for seed in range(40)}
    assert events == {CardShown(name) for name in now.question.names}
    after = now.apply(CardShown("fireworks")).game
    assert [one.health for one in after.monsters] == [6, 4]
    assert Counts.of(after.discards) == {"crystal_ball": 1, "fireworks": 1}


class Counts(dict[str, int]):
    @classmethod
    def of(cls, names: tuple[str, ...]) -> Counts:
        return cls({name: names.count(name) for name in names})


def test_the_dazzled_roll_one_die_less_in_one_turn() -> None:
    now = buying("mirror_ball", monster(), monster())
    assert {option.other for option in asked(now).options} == {1, 2}
    now = now.apply(Chosen(asked(now).seat, "seat_1")).position
    assert check(now.game) == ()
    while not isinstance(now.question, Roll):
        now = now.apply(Chosen(asked(now).seat, "end")).position
    assert (now.game.turn.active, now.question.dice) == (1, 4)
    reasons = now.explain_quantity(now.game.turn.active, Quantity.DICE)
    assert [(one.delta, one.clause) for one in reasons] == [(5, "LF-2.1"), (-1, "LF-4.1")]
    now = rolled(now, F.HEAL, F.HEAL, F.HEAL, F.HEAL)
    assert now.game.in_play.conditions == ()


def test_smoke_hides_until_the_end_of_the_turn() -> None:
    now = position(
        monsters=[monster(), monster("stage", energy=1)], in_play=carried("smoke_pots", 1)
    )
    (offer,) = now.offers()
    now = now.apply(PowerUsed(offer.seat, offer.ref)).position
    assert now.offers() == ()
    now = rolled(now, F.ATTACK, F.ATTACK, F.ATTACK, F.HEAL, F.HEAL)
    assert numbers(now, Number.HEALTH) == [6, 4]
    stay = now.apply(Chosen(asked(now).seat, "stay")).position
    assert stay.game.in_play.conditions == ()


def test_a_shield_is_asked_for_and_halves_what_hurts() -> None:
    now = position(
        monsters=[monster(), monster("stage", energy=2)], in_play=carried("paper_shield", 1)
    )
    now = rolled(now, F.ATTACK, F.ATTACK, F.ATTACK, F.HEAL, F.HEAL)
    assert (asked(now).key, asked(now).clause) == ("fold_the_shield", "LF-5.3")
    use, take = (now.apply(Chosen(asked(now).seat, key)).position for key in ("use", "pass"))
    assert (numbers(use, Number.HEALTH), numbers(use, Number.ENERGY)) == ([6, 5], [0, 0])
    assert (numbers(take, Number.HEALTH), numbers(take, Number.ENERGY)) == ([6, 3], [0, 2])


def test_thieves_take_what_there_is() -> None:
    now = position(monsters=[monster(), monster("stage", energy=2)], in_play=carried("pickpocket"))
    after = rolled(now, F.ATTACK, F.HEAL, F.HEAL, F.HEAL, F.HEAL)
    assert numbers(after, Number.ENERGY) == [1, 1]
    beside = position(monsters=[monster(), monster(energy=2)])
    three = rolled(beside, F.ONE, F.ONE, F.ONE, F.HEAL, F.HEAL)
    assert numbers(three, Number.ENERGY) == [2, 0]


def test_a_roll_is_foreseen_and_explained() -> None:
    start = position(monsters=[monster(energy=1), monster("stage", energy=2)])
    faces = (F.ONE, F.TWO, F.TWO, F.TWO, F.TWO)
    preview = start.preview(faces)
    changes = {(one.seat, one.what): one.after for row in preview.rows for one in row.changes}
    assert changes == {
        (0, Number.STARS): 3,
        (0, Number.ENERGY): 2,
        (1, Number.ENERGY): 1,
    }
    history = list(happenings(start, throw(start, *faces)))
    (reason,) = start.explain(history, start.game.monsters[0].seat, Number.STARS)
    assert (reason.delta, reason.clause, reason.face) == (3, "LF-3.6", F.TWO)
    _, stolen, income = start.explain(history, start.game.monsters[1].seat, Number.ENERGY)
    assert (income.ability, income.clause) == ("income", "LF-2.5")
    assert (stolen.delta, stolen.clause, stolen.other) == (-1, "LF-3.5", 0)
