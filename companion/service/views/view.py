"""The table's part of a view, from numbers to cards for sale, computed once for every snapshot."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import islice

from msgspec.structs import replace

from companion import engine
from companion.engine import (
    Ahead,
    CardInPlay,
    CardKind,
    Change,
    Choice,
    Chosen,
    Effect,
    Position,
    Question,
    Seat,
    TileReward,
    Unit,
)
from companion.records import last_place
from companion.service import wire
from companion.service.people.rights import undoes_start
from companion.service.views.logbook import LogRows, happened, undo_words
from companion.service.views.news import IdentityCache
from companion.service.views.questions import (
    after_staying,
    early_view,
    offer_views,
    question_view,
    with_first,
    with_odds,
)
from companion.service.views.tasks import reminder_views, task_views
from companion.service.wire import Words
from companion.table import (
    Entry,
    SeatSetup,
    Snapshot,
    State,
    TableSet,
    Undone,
    redoable,
    set_ahead,
    undoable,
)
from companion.table.history import is_open

COLOURS = {
    "puffin_rex": "#ff9a3c",
    "old_scree": "#bdb6a6",
    "lampmoth": "#c9a4ff",
    "inkwell": "#7d97ff",
    "kelp_auntie": "#2fc7a4",
    "spinella": "#83cf8a",
    "crabminster": "#f08a72",
    "snailquake": "#f2a3d6",
    "wispwool": "#efe6cf",
    "pylonna": "#cfc04e",
    "tuskadon": "#c99562",
    "drizzla": "#9fb4d6",
}
"""The colour of each Monster, by its id, as in the phone app (`webui/src/art/monsters.tsx`)."""
MONSTERS = tuple(COLOURS)
"""The pictures of Monsters that the phone app has."""
NEWEST_ROWS = 16
"""How many rows of the log a view carries; phones request the others."""
PHASES = {"roll": "roll", "dice_final": "roll", "move": "move", "buy": "buy", "place": "setup"}


@dataclasses.dataclass(frozen=True, slots=True)
class TableView:
    """The parts of a view that come from the table."""

    lobby: wire.Lobby | None
    game: wire.GameView | None
    log: tuple[wire.LogRow, ...]
    undo: wire.Undoable | None
    redo: wire.Undoable | None
    question: wire.Question | None
    """The open question as its seat alone may read it; None if everybody reads the same."""
    ahead: Mapping[int, Ahead]
    """What seats have set ahead, for their own phones."""


class Views:
    """Makes the table's part of views, and caches the newest, since cameras change more often."""

    def __init__(self, game: str) -> None:
        self.game = game
        self._made = IdentityCache[Snapshot, TableView](1)
        self.rows = LogRows()

    def of(
        self, snapshot: Snapshot, phones: dict[int, int], whole: Snapshot | None = None
    ) -> TableView:
        """Return the table's part of the view, with the number of phones at each seat. `whole`: the
        snapshot with what seats alone may know.
        """
        shown = self._made.of((snapshot,), lambda: self._table_view(snapshot, whole or snapshot))
        if shown.game is None:
            return dataclasses.replace(shown, lobby=self._lobby(snapshot, phones))
        seats = tuple(replace(s, phones=phones.get(s.seat, 0)) for s in shown.game.seats)
        return dataclasses.replace(shown, game=replace(shown.game, seats=seats))

    def _table_view(self, snapshot: Snapshot, whole: Snapshot) -> TableView:
        """Return the table's part of the view at this moment, without phones."""
        state, question = snapshot.state, None
        if whole.state is not state and whole.state.position is not None:
            question = question_view(whole.state.position, whole.state)
        game = self._game_view(snapshot) if state.game is not None else None
        rows = self.rows.newest(snapshot, NEWEST_ROWS)
        return TableView(
            None,
            game,
            rows,
            _undo_view(undoable(snapshot), snapshot),
            _redo_view(redoable(snapshot), snapshot),
            question,
            set_ahead(whole.entries),
        )

    def _game_view(self, snapshot: Snapshot) -> wire.GameView:
        state = snapshot.state
        assert state.position is not None
        newest = snapshot.entries[state.active.seq - 1] if state.active else None
        rows = (snapshot.entries[seq - 1] for seq in state.since_roll)
        since_roll = tuple(effect for row in rows for effect in row.performed)
        shown = game_view(state, task_views(snapshot), since_roll=since_roll)
        question = with_first(shown.question, state.position, newest)
        return replace(shown, question=question, happened=happened(snapshot))

    def setup_at(self, snapshot: Snapshot, phones: Collection[int]) -> TableSet:
        """Return the box and the seats before a game, with one without a name for every phone that
        sits where there is none yet.
        """
        setup = snapshot.state.setup or TableSet(self.game, _editions(self.game)[0], ())
        taken = {seat.monster for seat in setup.seats}
        free = (monster for monster in MONSTERS if monster not in taken)
        wanted = min(max(phones, default=-1) + 1, engine.RULESETS[setup.game].players_max)
        missing = max(0, wanted - len(setup.seats))
        nameless = tuple(SeatSetup("", monster) for monster in islice(free, missing))
        return replace(setup, seats=setup.seats + nameless)

    def _lobby(self, snapshot: Snapshot, phones: dict[int, int]) -> wire.Lobby:
        setup = self.setup_at(snapshot, phones)
        return wire.Lobby(
            boxes=tuple(_box(name) for name in engine.RULESETS),
            game=setup.game,
            edition=setup.edition,
            house=setup.house,
            seats=tuple(
                wire.SeatDraft(
                    player=seat.player,
                    monster=seat.monster,
                    taken=n in phones,
                    phones=phones.get(n, 0),
                    called=seat.called,
                )
                for n, seat in enumerate(setup.seats)
            ),
            monsters=MONSTERS,
        )


def game_view(
    state: State, hands: tuple[wire.Hand, ...], *, since_roll: tuple[Effect, ...] = ()
) -> wire.GameView:
    """Return the view of a game that has started, with these tasks; seats without their phones.
    `since_roll`: the effects since the last roll, among them the tiles that fell.
    """
    position = state.position
    assert position is not None
    game = position.game
    asked = question_view(position, state, since_roll=since_roll)
    return wire.GameView(
        game=game.rules,
        edition=game.edition,
        house=game.house,
        turn=game.turn.number,
        active=game.turn.active,
        phase=_phase(state),
        faces=position.rules.faces,
        seats=seat_views(position, state),
        areas=_areas(position),
        places=tuple(_place(position, name) for name in position.rules.places),
        shop=_shop(position, state),
        question=None if asked is None else with_odds(asked, position),
        early=early_view(position, state),
        offers=offer_views(position),
        hands=hands,
        reminders=reminder_views(position, state),
        last_roll=state.last_roll,
        last_roll_seat=state.last_roll_seat,
        order=game.turn.order,
        ended=None
        if game.ended is None
        else wire.GameEnd(
            reason=game.ended.reason, winners=game.ended.winners, last=last_place(game)
        ),
    )


def seat_views(position: Position, state: State) -> tuple[wire.SeatView, ...]:
    """Return every seat in this position of the state, without its phones."""
    assert state.setup is not None
    return tuple(
        replace(
            _seat(position, Seat(n), one.player, one.monster or MONSTERS[n]),
            called=one.called,
        )
        for n, one in enumerate(state.setup.seats)
    )


def _box(name: str) -> wire.Product:
    rules = engine.RULESETS[name]
    return wire.Product(
        game=name,
        editions=_editions(name),
        house=tuple(rules.house),
        faces=rules.faces,
        players_min=rules.players_min,
        players_max=rules.players_max,
        start_places=rules.start_places,
        first_roll_dice=rules.first_roll_dice,
    )


def _editions(game: str) -> tuple[str, ...]:
    """Return the box's editions, the newest first: most tables have that one."""
    return engine.RULESETS[game].editions[::-1]


def _phase(state: State) -> str:
    """Return the phase of the turn, which decides the layout of the page."""
    assert state.game is not None
    if state.game.ended is not None:
        return "over"
    if state.game.turn.number == 0:
        return "setup"
    return PHASES.get(state.question.window if state.question is not None else "", "resolve")


def _seat(position: Position, seat: Seat, player: str, picture: str) -> wire.SeatView:
    monster, cards = position.game.monsters[seat], position.game.in_play.cards
    mine = [card for card in cards if card.owner == seat]
    goals = [c for c in mine if position.rules.cards[c.name].kind is CardKind.GOAL]
    return wire.SeatView(
        seat=seat,
        player=player,
        monster=picture,
        health=monster.health,
        health_max=position.health_max(seat),
        stars=monster.stars,
        energy=monster.energy,
        numbers=tuple(
            wire.NumberView(
                what=what,
                value=monster.number(what),
                most=limit.most(position, seat) if limit.named else None,
            )
            for what, limit in position.rules.numbers.items()
        ),
        place=monster.place,
        area=position.area(seat),
        alive=monster.alive,
        died_turn=monster.died_turn,
        tokens=tuple(
            wire.TokenCount(kind=pile.token, count=pile.count)
            for pile in position.game.in_play.tokens
            if pile.seat == seat
        ),
        trophies=tuple(
            wire.TokenCount(kind=kind, count=count)
            for kind, count in Counter(monster.trophies).items()
        ),
        goals=tuple(card.name for card in goals),
        cards=tuple(_card(position, card) for card in mine if card not in goals),
    )


def _card(position: Position, card: CardInPlay) -> wire.CardView:
    copied = position.card(card.copies) if card.copies is not None else None
    rules = position.rules.cards[card.name]
    return wire.CardView(
        id=card.id,
        name=card.name,
        automatic=rules.finished,
        counters=card.counters,
        copies=copied.name if copied is not None else None,
    )


def _place(position: Position, name: str) -> wire.PlaceView:
    place = position.rules.places[name]
    return wire.PlaceView(
        id=name,
        area=place.area,
        inside=place.inside,
        room=position.room(name),
        monsters=tuple(m.seat for m in position.game.monsters if m.alive and m.place == name),
    )


def _areas(position: Position) -> tuple[wire.AreaView, ...]:
    places = position.rules.places.values()
    return tuple(
        _area(position, area, tuple(place.name for place in places if place.area == area))
        for area in dict.fromkeys(place.area for place in places)
    )


def _area(position: Position, area: str, places: tuple[str, ...]) -> wire.AreaView:
    borough = position.borough(area)
    return wire.AreaView(
        id=area,
        inside=position.rules.places[places[0]].inside,
        places=places,
        stacks=tuple(_stack(position, s.id, s.top, s.left) for s in borough.stacks)
        if borough
        else (),
        units=tuple(_unit(position, unit) for unit in borough.units) if borough else (),
    )


def _stack(position: Position, stack: int, top: str | None, left: int) -> wire.StackView:
    tile = position.rules.tiles[top] if top is not None else None
    return wire.StackView(
        id=stack,
        tile=top,
        left=left,
        durability=tile.durability if tile is not None else None,
        reward=_reward(tile.reward) if tile is not None else None,
    )


def _unit(position: Position, unit: Unit) -> wire.UnitView:
    tile = position.rules.tiles[unit.kind]
    return wire.UnitView(
        id=unit.id,
        kind=unit.kind,
        durability=tile.durability,
        reward=_reward(tile.reward),
        new=unit.turn == position.game.turn.number,
    )


def _reward(reward: TileReward) -> wire.TokenCount:
    kind = "stars" if reward.stars else "energy" if reward.energy else "health"
    return wire.TokenCount(kind=kind, count=getattr(reward, kind))


def _shop(position: Position, state: State) -> wire.Shop:
    then, question = position, state.question
    stayed = after_staying(position)
    if stayed is not position:
        # Nothing can be bought if staying has ended the turn.
        over = stayed.game.turn.number != position.game.turn.number
        then, question = (position, None) if over else (stayed, stayed.question)
    return wire.Shop(
        cards=tuple(_shop_card(then, question, card) for card in position.game.in_play.shop),
        sweep_cost=position.rules.sweep_cost,
        sweep="sweep" if is_open(question, "sweep") else None,
        end="end" if is_open(question, "end") else None,
    )


def _shop_card(
    position: Position, question: Question | None, card: CardInPlay | None
) -> wire.ShopCard:
    """Return a card for sale, for the Monster that may buy now, else for the active one."""
    if card is None:
        return wire.ShopCard(card=None)
    rules = position.rules.cards[card.name]
    buyer, option = position.game.turn.active, None
    does: tuple[Change, ...] = ()
    if isinstance(question, Choice):
        option = next((each for each in question.open() if each.key == f"buy_{card.id}"), None)
        if option is not None:
            buyer = question.seat
            does = position.consequences(Chosen(buyer, option.key))
    cost = position.price(buyer, card.name)
    short = max(0, cost - position.purse(buyer))
    allowed = position.may_buy(buyer, card.name)
    return wire.ShopCard(
        card=card.id,
        name=card.name,
        kind=rules.kind,
        district=" ".join(rules.district) or None,
        cost=cost,
        base_cost=rules.cost,
        affordable=short == 0 and allowed,
        short=short,
        forbidden=None if allowed else Words(key="barred.forbidden"),
        automatic=rules.finished,
        option=option.key if option is not None else None,
        consequence=does,
    )


def _undo_view(entry: Entry | None, snapshot: Snapshot) -> wire.Undoable | None:
    """Return what undoing the entry's command takes back."""
    if entry is None:
        return None
    words, why = undo_words(entry, snapshot.entries)
    is_start = undoes_start(entry.seq, snapshot.entries)
    return wire.Undoable(seq=entry.seq, words=words, why=why, host_only=is_start)


def _redo_view(undo: Entry | None, snapshot: Snapshot) -> wire.Undoable | None:
    """Return what redoing brings back: all commands that this undo took back, the first by name."""
    if undo is None or not isinstance(undo.event, Undone):
        return None
    rows = [snapshot.entries[seq - 1] for seq in undo.before.active.since(undo.event.seq)]
    found = _undo_view(rows[0], snapshot)
    more = len({row.command_id for row in rows}) - 1
    return found and replace(found, seq=undo.seq, more=more)
