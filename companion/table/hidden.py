"""What one seat alone may know, taken out of the log: the only place that does so.

A card that its owner looked at is named in its row, which the rules need. Until the card is bought
or turns up, everybody else gets that row, and each state in which the name still waits for an
answer, without it. Of what a seat sets ahead, others learn only that it did. Every view is made of
these rows, so none can tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from msgspec import UNSET, structs

from companion.engine import (
    UNNAMED,
    Ahead,
    AnyStep,
    Ask,
    CardRevealed,
    CardShown,
    DrawCard,
    Effect,
    Game,
    Part,
    Position,
    Reaction,
    Together,
)
from companion.table.history import AheadSaid, Entries, Entry, State

E = TypeVar("E", bound=Effect)


def shown_alone(effects: Iterable[object]) -> str | None:
    """Return the card that these effects show one seat alone; None if they show none."""
    asks = (one for one in effects if isinstance(one, Ask) and one.shown is not UNSET)
    return next((str(one.shown) for one in asks), None)


def _turned_up(effects: Iterable[Effect]) -> set[str]:
    """Return the cards of the deck that everybody has seen by these effects."""
    return {one.name for one in effects if isinstance(one, CardRevealed | DrawCard)}


def _asked_about(game: Game) -> str | None:
    """Return the card that the game waits to be answered about, and one seat alone knows."""
    held = (step.effect if isinstance(step, Reaction | Part) else step for step in game.agenda)
    return shown_alone(held)


def _unshown(effect: E) -> E:
    """Return the effect without the card that it shows one seat alone."""
    return structs.replace(effect, shown=UNSET) if isinstance(effect, Ask) else effect


def _unshown_step(step: AnyStep) -> AnyStep:
    """Return the step of an agenda without such a card."""
    if isinstance(step, Reaction | Part):
        return structs.replace(step, effect=_unshown(step.effect))
    return step if isinstance(step, Together) else _unshown(step)


class PublicRows:
    """The rows of one game as everybody may know them. Whoever changes `entries`, a list that only
    grows, calls `follow`.
    """

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self._secret: dict[int, str] = {}
        """The rows that show one seat a card which nobody else knows yet."""
        self._covered: dict[int, Entry] = {}
        """What stands for these rows and those whose states hold such a card; never changed, since
        `Entries` share it."""
        self._games: dict[int, tuple[Game, Position]] = {}
        """The positions that stand for games which hold such a card."""
        self._seen = 0

    def follow(self) -> Entries:
        """Return the rows as of now."""
        fresh = since = self.entries[self._seen :]
        self._seen = len(self.entries)
        for entry in fresh:
            turned_up = _turned_up(entry.performed)
            if turned_up.intersection(self._secret.values()):
                known = self._secret.items()
                self._secret = {seq: card for seq, card in known if card not in turned_up}
                self._covered, self._games = {}, {}
                since = self.entries
            card = shown_alone(entry.performed)
            if card is not None:
                self._secret[entry.seq] = card
        pairs = ((one, self._cover(one)) for one in since)
        covered = {row.seq: other for row, other in pairs if other is not row}
        if covered:
            self._covered = self._covered | covered
        return Entries(self.entries, covered=self._covered)

    @property
    def private_from(self) -> int | None:
        """The first row with a card which nobody else knows yet; None if there is none."""
        return min(self._secret, default=None)

    def _cover(self, entry: Entry) -> Entry:
        """Return the row as everybody may know it: itself if it holds nothing to hide."""
        if isinstance(entry.event, AheadSaid) and entry.event.ahead is not None:
            entry = replace(entry, event=AheadSaid(entry.event.seat, Ahead()))
        before, after = self._cover_state(entry.before), self._cover_state(entry.after)
        if entry.seq in self._secret:
            return replace(
                entry,
                event=CardShown(UNNAMED),
                before=before,
                after=after,
                performed=tuple(map(_unshown, entry.performed)),
                outcome=None,
            )
        if before is entry.before and after is entry.after:
            return entry
        return replace(entry, before=before, after=after, outcome=None)

    def _cover_state(self, state: State) -> State:
        """Return the state as everybody may know it."""
        game = state.game
        if game is None or not self._secret or _asked_about(game) not in self._secret.values():
            return state
        if id(game) not in self._games:
            agenda = tuple(map(_unshown_step, game.agenda))
            self._games[id(game)] = game, Position.of(structs.replace(game, agenda=agenda))
        _, position = self._games[id(game)]
        return replace(state, game=position.game, kept=position)
