"""The verbs: one union holds them all, and each applies (a misspelt field would not)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from companion.engine import (
    RULESETS,
    AnyEffect,
    CardId,
    Effect,
    ExtraTurn,
    Face,
    Game,
    How,
    Position,
    Seat,
    Token,
    UnitKind,
)
from companion.engine import effects as verbs
from companion.engine.authoring import with_in_play, with_monster
from tests.engine.tables import NEW_YORK, SHOPS, TOKYO, Scene

ME, OTHER, FALLEN = Seat(0), Seat(1), Seat(3)


def kinds() -> Iterator[type[Effect]]:
    """Every concrete effect of the engine; other tests may define more."""
    waiting = Effect.__subclasses__()
    while waiting:
        kind = waiting.pop()
        if kind.__module__.startswith("companion."):
            yield kind
        waiting += kind.__subclasses__()


KINDS = sorted(set(kinds()), key=lambda kind: kind.__name__)


def test_the_union_lists_every_effect_once() -> None:
    listed = get_args(AnyEffect)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(KINDS)


def test_every_effect_is_exported() -> None:
    assert {kind.__name__ for kind in KINDS} <= set(verbs.__all__)


def everything() -> Game:
    """Something of everything: cards in front, for sale and discarded, tokens, tiles, Units, dice,
    an extra turn, a fallen Monster."""
    table = Scene(
        NEW_YORK,
        players=4,
        at=("brooklyn", "lower_2_4", "queens", "bronx"),
        health={0: 5, 2: 4},
        stars={0: 5},
        energy={0: 5, 1: 5},
        cards={0: ("carapace", "chameleon"), 1: ("diva",)},
        counters={"carapace": 3},
        tokens={0: {Token.WEB: 1}},
        under={0: "subway"},
        tops={"brooklyn": ("skyscraper_1",)},
        units={"brooklyn": (UnitKind.JET,)},
    ).begin()
    table.roll("EEAHHC", final=False)
    game = with_in_play(table.game, shop=(None, *table.game.in_play.shop[1:]))
    dropped = SHOPS[NEW_YORK][0]
    fallen = with_monster(game, FALLEN, health=0, fallen=True, place="bronx")
    return replace(fallen, discards=(dropped,), extra=(ExtraTurn(ME),))


GAME = everything()
CARD = next(card for card in GAME.in_play.cards if card.name == "carapace")
THEIRS = next(card for card in GAME.in_play.cards if card.name == "diva")
FOR_SALE = next(card for card in GAME.in_play.shop if card is not None)
STATUE = next(card for card in GAME.in_play.cards if card.name == "statue_of_liberty")
BROOKLYN = next(borough for borough in GAME.boroughs if borough.area == "brooklyn")
NEW_CARD = CardId(GAME.next_id)

CHANGES: tuple[AnyEffect, ...] = (
    verbs.AddCounters(ME, 2, CARD.id, CARD.name),
    verbs.AddSymbols(ME, 2, Face.ATTACK),
    verbs.BeginTurn(ME, "subway"),
    verbs.BuyCard(ME, FOR_SALE.id, FOR_SALE.name),
    verbs.CardRevealed(ME, 0, NEW_CARD, GAME.deck[0]),
    verbs.ChooseGroup(ME, Face.ATTACK),
    verbs.Claim(ME),
    verbs.Convert(ME, 1, Face.HEAL, Face.ATTACK),
    verbs.CopyCard(ME, CARD.id, THEIRS.id, THEIRS.name),
    verbs.Damage(ME, 2, OTHER),
    verbs.DeckEmpty(ME),
    verbs.DestroyUnit(ME, BROOKLYN.units[0].id, BROOKLYN.units[0].kind),
    verbs.DiceCounted(ME),
    verbs.DiceKept(ME),
    verbs.DiceThrown(ME, (Face.HEAL,) * 6, True),
    verbs.DieChanged(ME, 0, Face.OUCH, CARD.id),
    verbs.DieSpent(ME, 0),
    verbs.DrawCard(ME, NEW_CARD, GAME.deck[0]),
    verbs.DropCard(ME, CARD.id, CARD.name),
    verbs.Eliminate(FALLEN),
    verbs.EndGame(ME, "stars", (ME,)),
    verbs.GainEnergy(ME, 1),
    verbs.GainStars(ME, 1),
    verbs.GiveTokens(OTHER, 1, Token.CURSE),
    verbs.HandOver(ME, 2, OTHER),
    verbs.Heal(ME, 1),
    verbs.KeepTrophy(ME, UnitKind.JET),
    verbs.LaySouvenir(ME, "brooklyn"),
    verbs.LoseEnergy(ME, 1),
    verbs.LoseHealth(ME, 1),
    verbs.LoseStars(ME, 1),
    verbs.MoreRolls(ME, 1),
    verbs.MoveTo(ME, "bronx", How.MOVE),
    verbs.NextTurn(ME),
    verbs.NoLonger(ME, "subway"),
    verbs.Noted(ME, "card.3/ride"),
    verbs.PutOffShop(ME),
    verbs.ReachedZero(FALLEN),
    verbs.RemoveTokens(ME, 1, Token.WEB),
    verbs.RollPhase(ME),
    verbs.SalvageCard(ME, NEW_CARD, GAME.discards[0]),
    verbs.SendUnit(ME, BROOKLYN.units[0].id, BROOKLYN.units[0].kind, "queens"),
    verbs.SmashBuilding(ME, BROOKLYN.stacks[0].id, "skyscraper_1"),
    verbs.SpendCounters(ME, 1, CARD.id, CARD.name),
    verbs.SpendEnergy(ME, 1),
    verbs.StackGone(ME, BROOKLYN.stacks[1].id),
    verbs.StartAgain(FALLEN),
    verbs.SweepShop(ME),
    verbs.TakeBackEnergy(ME, 1),
    verbs.TakeCard(ME, THEIRS.id, THEIRS.name),
    verbs.TakeGoal(ME, STATUE.id, STATUE.name),
    verbs.TileRevealed(ME, BROOKLYN.stacks[1].id, "hospital_2"),
    verbs.Under(ME, "subway", 9),
    verbs.WinExtraTurn(ME),
)
"""One of each that changes the position, fit for `GAME`."""

MAY_CHANGE_NOTHING = {verbs.OpenShop: verbs.OpenShop(ME), verbs.TrimHealth: verbs.TrimHealth(ME)}
"""Needs a position of its own; see below."""


@pytest.mark.parametrize("effect", CHANGES, ids=lambda effect: type(effect).__name__)
def test_it_applies_and_changes_the_position(effect: AnyEffect) -> None:
    now = Position.of(GAME)
    fallen = type(effect) is verbs.ReachedZero
    if fallen:
        now = Position.of(with_monster(GAME, FALLEN, fallen=False))
    after = effect.fitted(now).apply(now)
    assert after != now.game
    assert msgspec.json.decode(msgspec.json.encode(after), type=Game) == after


def test_putting_off_ends_when_the_shop_opens() -> None:
    put_off = replace(GAME, put_off=True)
    now = Position.of(put_off)
    assert not verbs.OpenShop(ME).apply(now).put_off


def test_trimming_leaves_the_maximum() -> None:
    now = Position.of(with_monster(GAME, OTHER, health=12))
    trim = verbs.TrimHealth(OTHER).fitted(now)
    assert trim.apply(now).monsters[OTHER].health == 10


def test_each_effect_that_changes_anything_is_tried() -> None:
    tried = {type(effect) for effect in CHANGES} | set(MAY_CHANGE_NOTHING)
    changing = {kind for kind in KINDS if kind.apply is not Effect.apply}
    assert changing == tried


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_says_what_it_is_in_json(kind: type[Effect]) -> None:
    assert kind.__struct_config__.tag == kind.__name__
    assert kind.__struct_config__.frozen
    assert kind.__struct_config__.forbid_unknown_fields
    assert ("amount" in kind.__struct_fields__) >= kind.counted


def test_each_ability_of_a_card_has_a_name_of_its_own_even_when_copied() -> None:
    """A position names an ability by its carrier and name: two of one name would be one."""
    for rules in RULESETS.values():
        for card in rules.cards.values():
            names = [ability.name for ability in card.abilities]
            assert len(names) == len(set(names)), card.name
        own = [ability.name for ability in rules.abilities]
        assert len(own) == len(set(own))


def test_a_mimic_and_what_it_copies_never_share_a_name() -> None:
    rules = RULESETS[TOKYO]
    mine = {ability.name for ability in rules.cards["mimic"].abilities}
    for card in rules.cards.values():
        if card.name != "mimic":
            assert not mine & {ability.name for ability in card.abilities}, card.name
