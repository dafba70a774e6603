"""A position of a game: the one value the rest of the program holds and asks."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Self

import msgspec

from companion.engine.abilities import Quantity
from companion.engine.base_position import BasePosition
from companion.engine.events import AnyEvent, Chosen
from companion.engine.game import Game
from companion.engine.games.registry import rules_of
from companion.engine.queries import ahead, audit, explain, keeps, odds, preview, together
from companion.engine.queries.ahead import Ahead
from companion.engine.queries.audit import Audit
from companion.engine.queries.explain import Happening, Reason
from companion.engine.queries.keeps import Keeps
from companion.engine.queries.odds import Odds
from companion.engine.queries.preview import Preview
from companion.engine.queries.together import Pair
from companion.engine.questions import Choice, Question
from companion.engine.resolution import loop, play
from companion.engine.resolution.loop import Outcome
from companion.engine.resolution.play import Offer
from companion.engine.values import Change, Face, Number, Seat

_ENCODER = msgspec.json.Encoder()


class Position(BasePosition, frozen=True, gc=False, eq=False):
    """A game at one moment: an immutable value with its rules, the abilities in force and,
    once asked for, the open question. Positions of equal games are equal.
    """

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the position of a game; IllegalEvent where the engine does not know its rules."""
        return cls.build(game, rules_of(game))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game

    def __hash__(self) -> int:
        return hash(self.game)

    @property
    def question(self) -> Question | None:
        """What is asked; None where the game is over."""
        return loop.question(self)

    def apply(self, event: AnyEvent) -> Outcome[Self]:
        """Carry out the event and all that follows from it, up to the next question.

        Raises IllegalEvent when the rules do not allow it now.
        """
        return play.apply(self, event)

    def legal_events(self) -> tuple[AnyEvent, ...]:
        """Return the events that seats may send now: answers and powers.

        A Roll has none listed, since its question specifies the dice; a Reveal has one for each
        name.
        """
        return play.legal_events(self)

    def offers(self) -> tuple[Offer, ...]:
        """Return the powers that may be used now, beside the open question."""
        return play.offers(self)

    def preview(
        self,
        faces: tuple[Face, ...],
        order: tuple[Face, ...] = (),
        rethrown: tuple[int, ...] = (),
    ) -> Preview:
        """Compute what applying these dice, final, would do (`preview.preview`)."""
        return preview.preview(self, faces, order, rethrown)

    def preview_throw(self, faces: tuple[Face, ...], rethrown: tuple[int, ...] = ()) -> Preview:
        """Compute what a throw beside the turn's own roll would do (`preview.preview_throw`)."""
        return preview.preview_throw(self, faces, rethrown)

    def consequences(self, event: AnyEvent) -> tuple[Change, ...]:
        """Compute what an answer or a power does by itself (`preview.consequences`)."""
        return preview.consequences(self, event)

    def answer_ahead(self, seat: Seat, set_ahead: Ahead) -> Chosen | None:
        """Return the seat's answer by what it set ahead; None where it has to be asked."""
        return ahead.answer_ahead(self, seat, set_ahead)

    def asked_next(self) -> Choice | None:
        """Return the question of a second Monster that was hit (`together.asked_next`)."""
        return together.asked_next(self)

    def pairs(self) -> tuple[Pair, ...]:
        """Compute what the answers of two Monsters to one attack lead to (`together.pairs`)."""
        return together.pairs(self)

    def odds(self, keep: tuple[int, ...] = (), rolls: int | None = None) -> Odds:
        """Compute the chances of each face and set (`odds.odds`)."""
        return odds.odds(self, keep, rolls)

    def keeps(self) -> Keeps:
        """Compute sensible ways to keep dice, with exact chances (`keeps.keeps`)."""
        return keeps.keeps(self)

    def audit(self, events: Iterable[AnyEvent]) -> Audit:
        """Find where the table's own score differs from the rules after these events."""
        return audit.audit(self, events)

    def explain(
        self, happened: Iterable[Happening], seat: Seat, number: Number
    ) -> tuple[Reason, ...]:
        """Return every change of a seat's number since this position, oldest first."""
        return explain.explain(self, happened, seat, number)

    def explain_quantity(
        self, seat: Seat, quantity: Quantity, card: str = ""
    ) -> tuple[Reason, ...]:
        """Return what makes a number that is looked up (dice, rolls, a price …) what it is."""
        return explain.explain_quantity(self, seat, quantity, card)

    def digest(self) -> str:
        """Return a hash of the game, 32 hex digits; equal games have equal digests."""
        return blake2b(_ENCODER.encode(self.game), digest_size=16).hexdigest()
