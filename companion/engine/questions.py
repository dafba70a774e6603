"""Questions: derived from the position each time, never stored, never sent as they are."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from companion.engine.game import Step
from companion.engine.values import CardId, Face, Seat


class Option(msgspec.Struct, frozen=True, gc=False):
    """One answer and the steps that follow from it. `barred` names why it cannot be taken now.

    `word`: the kind of answer; "" if the subject alone is the answer. `place`,
    `card`, `stack`, `unit`, `die`, `face`, `name` (of a card not in play), `other` (another seat)
    and `count` (so many) are its subject, for its key and for display.
    `again`: the question is asked once more after the steps. `first`: the ability that comes first,
    if the question is in which order several speak up. `warning` names what its taker should
    know before.
    """

    word: str
    steps: tuple[Step, ...] = ()
    again: bool = False
    barred: str = ""
    lacking: int = 0
    place: str | None = None
    card: CardId | None = None
    stack: int | None = None
    unit: int | None = None
    die: int | None = None
    face: Face | None = None
    name: str = ""
    other: Seat | None = None
    count: int | None = None
    first: str = ""
    warning: str = ""

    @property
    def key(self) -> str:
        """The name of the answer within its question, as logs keep it: the word and what it is
        about (`die_3`, `send_12_queens`).
        """
        subject = self._subject()
        if not subject:
            return self.word
        return f"{self.word}_{subject}" if self.word else subject

    def _subject(self) -> str:
        """Return the subject as a part of the key; "" if the word alone is unique."""
        if self.unit is not None:
            return f"{self.unit}_{self.place}" if self.place is not None else str(self.unit)
        kinds = (self.count, self.card, self.stack, self.die, self.other, self.place, self.face)
        for subject in kinds:
            if subject is not None:
                return str(subject)
        return self.name


class Asking(msgspec.Struct, frozen=True):
    """The base class of all questions."""


class Choice(Asking, frozen=True):
    """A seat takes one of the options that are not barred.

    `about`: numbers the sentence needs (`seat` of another Monster, `amount`, `card`). `secret`:
    what it is about is for its seat alone.
    """

    seat: Seat
    key: str
    options: tuple[Option, ...]
    window: str = ""
    clause: str = ""
    about: tuple[tuple[str, int | str], ...] = ()
    secret: bool = False

    def open(self) -> tuple[Option, ...]:
        """Return the options that may be taken now."""
        return tuple([option for option in self.options if not option.barred])


class Roll(Asking, frozen=True):
    """The table throws dice. `showing` are the dice as they are, `free` those that may be thrown
    (again).

    `main`: the turn's own roll, ended by `DiceRolled(final=True)`; others are one throw, of which
    dice that show a face of `loose` may be thrown again until that is final. `owner`: whose dice
    they are, if that is not who is asked. `counted`:
    every throw must be entered, since something in play has a price on it; `prices`: what throwing
    each die of `showing` alone again costs; `left`: rolls left, this one among them; `more`:
    another may follow this one; `owed`: so many throws must still be made. `then` turns an accepted
    throw into steps: the faces, the indices thrown again, and whether the rolling ends.
    """

    seat: Seat
    key: str
    dice: int
    then: Callable[[tuple[Face, ...], tuple[int, ...], bool], tuple[Step, ...]]
    showing: tuple[Face, ...] = ()
    free: tuple[int, ...] = ()
    main: bool = False
    counted: bool = False
    prices: tuple[int, ...] = ()
    left: int = 0
    more: bool = False
    owed: int = 0
    again: bool = False
    window: str = "roll"
    owner: Seat | None = None
    loose: tuple[Face, ...] = ()
    about: tuple[tuple[str, int | str], ...] = ()


class Reveal(Asking, frozen=True):
    """The table names what turned up. `names` are those it can be; `skip` is what putting it off
    does.

    Exactly one of `slot` (a card for sale) and `stack` (a building) is given. `secret`: its seat
    alone looks, and may leave the card unnamed (`UNNAMED`).
    """

    seat: Seat
    key: str
    names: tuple[str, ...]
    then: Callable[[str | None], tuple[Step, ...]]
    slot: int | None = None
    stack: int | None = None
    skip: tuple[Step, ...] | None = None
    again: bool = True
    window: str = "reveal"
    secret: bool = False


Question = Choice | Roll | Reveal


class Again(msgspec.Struct, frozen=True, gc=False):
    """Steps, after which the same ability is asked again."""

    steps: tuple[Step, ...]


Answer = Question | Again | Step | tuple[Step, ...] | None
"""None: the effect is unchanged. (): it does not happen. Else steps, or one question."""


def decided(choice: Choice) -> Answer:
    """Return the choice, or the steps of its only way: what has one answer is not asked."""
    ways = choice.open()
    if len(ways) == 1 and not ways[0].again:
        return ways[0].steps
    return choice if ways else None
