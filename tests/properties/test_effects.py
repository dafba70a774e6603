"""Effects: one union has them all, and each can be applied (a misspelt field could not)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from companion import engine
from companion.engine import (
    RULESETS,
    AddCounters,
    AnyEffect,
    BuyCard,
    CardId,
    CardRevealed,
    CopyCard,
    Damage,
    DestroyUnit,
    DropCard,
    Effect,
    Eliminate,
    EndGame,
    ExtraTurn,
    Face,
    GainEnergy,
    GainStars,
    Game,
    GiveTokens,
    Heal,
    How,
    LoseHealth,
    LoseStars,
    MoveTo,
    Position,
    RemoveTokens,
    Seat,
    SmashBuilding,
    SpendEnergy,
    StartAgain,
    SweepShop,
    TakeGoal,
    TileRevealed,
    Token,
    TrimHealth,
    UnitKind,
    authoring,
)
from companion.engine.authoring import (
    AddCondition,
    AddSymbols,
    BeginTurn,
    ChooseGroup,
    Claim,
    Convert,
    DeckEmpty,
    DiceCounted,
    DiceKept,
    DiceThrown,
    DieChanged,
    DieSpent,
    DrawCard,
    EndCondition,
    HandOver,
    KeepTrophy,
    LoseEnergy,
    MarkUsed,
    MoreRolls,
    MoveUnit,
    NextTurn,
    OpenShop,
    PutMarker,
    PutOffShop,
    ReachedZero,
    RollPhase,
    SpendCounters,
    StackGone,
    TakeBackEnergy,
    TakeCard,
    TakeFromDiscards,
    WinExtraTurn,
    with_in_play,
    with_monster,
)
from companion.engine.effects.numbers import Gain, Loss
from tests.engine.tables import NEW_YORK, SHOPS, TOKYO, Scene

ME, OTHER, FALLEN = Seat(0), Seat(1), Seat(3)


def kinds() -> Iterator[type[Effect]]:
    """Return every concrete effect of the engine; other tests may define more."""
    waiting = Effect.__subclasses__()
    while waiting:
        kind = waiting.pop()
        if kind.__module__.startswith("companion.") and kind not in (Gain, Loss):
            yield kind
        waiting += kind.__subclasses__()


KINDS = sorted(set(kinds()), key=lambda kind: kind.__name__)
TAGS: dict[type[Effect], str] = {
    AddCondition: "Under",
    EndCondition: "NoLonger",
    MarkUsed: "Noted",
    MoveUnit: "SendUnit",
    PutMarker: "LaySouvenir",
    TakeFromDiscards: "SalvageCard",
}
"""What logs call an effect whose class has got a plainer name."""


def test_the_union_lists_every_effect_once() -> None:
    listed = get_args(AnyEffect)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(KINDS)


def test_every_effect_is_exported() -> None:
    assert {kind.__name__ for kind in KINDS} <= {*vars(engine), *vars(authoring)}


def everything() -> Game:
    """Make a position with everything: cards in front, for sale and discarded, tokens, tiles,
    Units, dice, an extra turn, an eliminated Monster.
    """
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
    AddCounters(ME, 2, CARD.id, CARD.name),
    AddSymbols(ME, 2, Face.ATTACK),
    BeginTurn(ME, "subway"),
    BuyCard(ME, FOR_SALE.id, FOR_SALE.name),
    CardRevealed(ME, 0, NEW_CARD, GAME.deck[0]),
    ChooseGroup(ME, Face.ATTACK),
    Claim(ME),
    Convert(ME, 1, Face.HEAL, Face.ATTACK),
    CopyCard(ME, CARD.id, THEIRS.id, THEIRS.name),
    Damage(ME, 2, OTHER),
    DeckEmpty(ME),
    DestroyUnit(ME, BROOKLYN.units[0].id, BROOKLYN.units[0].kind),
    DiceCounted(ME),
    DiceKept(ME),
    DiceThrown(ME, (Face.HEAL,) * 6, True),
    DieChanged(ME, 0, Face.OUCH, CARD.id),
    DieSpent(ME, 0),
    DrawCard(ME, NEW_CARD, GAME.deck[0]),
    DropCard(ME, CARD.id, CARD.name),
    Eliminate(FALLEN),
    EndGame(ME, "stars", (ME,)),
    GainEnergy(ME, 1),
    GainStars(ME, 1),
    GiveTokens(OTHER, 1, Token.CURSE),
    HandOver(ME, 2, OTHER),
    Heal(ME, 1),
    KeepTrophy(ME, UnitKind.JET),
    PutMarker(ME, "brooklyn"),
    LoseEnergy(ME, 1),
    LoseHealth(ME, 1),
    LoseStars(ME, 1),
    MoreRolls(ME, 1),
    MoveTo(ME, "bronx", How.MOVE),
    NextTurn(ME),
    EndCondition(ME, "subway"),
    MarkUsed(ME, "card.3/ride"),
    PutOffShop(ME),
    ReachedZero(FALLEN),
    RemoveTokens(ME, 1, Token.WEB),
    RollPhase(ME),
    TakeFromDiscards(ME, NEW_CARD, GAME.discards[0]),
    MoveUnit(ME, BROOKLYN.units[0].id, BROOKLYN.units[0].kind, "queens"),
    SmashBuilding(ME, BROOKLYN.stacks[0].id, "skyscraper_1"),
    SpendCounters(ME, 1, CARD.id, CARD.name),
    SpendEnergy(ME, 1),
    StackGone(ME, BROOKLYN.stacks[1].id),
    StartAgain(FALLEN),
    SweepShop(ME),
    TakeBackEnergy(ME, 1),
    TakeCard(ME, THEIRS.id, THEIRS.name),
    TakeGoal(ME, STATUE.id, STATUE.name),
    TileRevealed(ME, BROOKLYN.stacks[1].id, "hospital_2"),
    AddCondition(ME, "subway", 9),
    WinExtraTurn(ME),
)
"""One of each that changes the position, fit for `GAME`."""

MAY_CHANGE_NOTHING = {OpenShop: OpenShop(ME), TrimHealth: TrimHealth(ME)}
"""Needs a position of its own; see below."""


@pytest.mark.parametrize("effect", CHANGES, ids=lambda effect: type(effect).__name__)
def test_it_applies_and_changes_the_position(effect: AnyEffect) -> None:
    now = Position.of(GAME)
    fallen = type(effect) is ReachedZero
    if fallen:
        now = Position.of(with_monster(GAME, FALLEN, fallen=False))
    after = effect.fitted(now).apply(now)
    assert after != now.game
    assert msgspec.json.decode(msgspec.json.encode(after), type=Game) == after


def test_putting_off_ends_when_the_shop_opens() -> None:
    put_off = replace(GAME, put_off=True)
    now = Position.of(put_off)
    assert not OpenShop(ME).apply(now).put_off


def test_trimming_leaves_the_maximum() -> None:
    now = Position.of(with_monster(GAME, OTHER, health=12))
    trim = TrimHealth(OTHER).fitted(now)
    assert trim.apply(now).monsters[OTHER].health == 10


def test_each_effect_that_changes_anything_is_tried() -> None:
    tried = {type(effect) for effect in CHANGES} | set(MAY_CHANGE_NOTHING)
    changing = {kind for kind in KINDS if kind.apply is not Effect.apply}
    assert changing == tried


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_says_what_it_is_in_json(kind: type[Effect]) -> None:
    assert kind.tag() == TAGS.get(kind, kind.__name__)
    assert kind.__struct_config__.frozen
    assert kind.__struct_config__.forbid_unknown_fields
    assert ("amount" in kind.__struct_fields__) >= kind.counted


def test_a_mimic_and_what_it_copies_never_share_a_name() -> None:
    rules = RULESETS[TOKYO]
    mine = {ability.name for ability in rules.cards["mimic"].abilities}
    for card in rules.cards.values():
        if card.name != "mimic":
            assert not mine & {ability.name for ability in card.abilities}, card.name
