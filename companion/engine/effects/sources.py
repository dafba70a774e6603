"""Names of abilities in a history and in a position, and the marks a turn keeps of their use.

All are strings in JSON. Here alone they are written and read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from companion.engine.values import TABLE, CardId, Seat

_SOURCE: Final = re.compile(
    r"(?:(?P<carrier>\w+)\.)?(?P<ability>\w+)@(?P<seat>game|-1|\d{1,10})", re.ASCII
)
_REF: Final = re.compile(
    r"(?:(?P<game>game)|card\.(?P<card>\d{1,10})"
    r"|(?P<kind>token|condition)\.(?P<name>\w+)\.(?P<seat>\d{1,10}))/(?P<ability>\w+)",
    re.ASCII,
)
_MARK: Final = re.compile(
    r"(?:(?P<ref>[^@#]+/\w+)|(?P<word>[a-z][a-z_]*?)(?:_(?P<card>\d{1,10}))?)"
    r"(?:@(?P<seat>\d{1,10}))?(?:#(?P<clock>\d{1,10}))?",
    re.ASCII,
)
_WORD_OF_CARD: Final = re.compile(r"(?P<card>\d{1,10})/(?P<word>[a-z_]+)", re.ASCII)


class Source(NamedTuple):
    """An ability as histories name it: `card.ability@seat`, `ability@seat` of a token or
    condition, `ability@game` of the rules.
    """

    carrier: str
    """The card that carries it; "" for a token, a condition and the rules."""
    ability: str
    seat: Seat
    """The carrier's owner; TABLE for the rules and for a card that lies for sale."""

    def __str__(self) -> str:
        if self.carrier:
            return f"{self.carrier}.{self.ability}@{self.seat}"
        return f"{self.ability}@{'game' if self.seat == TABLE else self.seat}"

    @property
    def of_the_rules(self) -> bool:
        """Whether the rules themselves carry it."""
        return self.seat == TABLE and not self.carrier

    @staticmethod
    @lru_cache(maxsize=4096)
    def read(text: str) -> Source | None:
        """Read a source as a history writes it; None if the text is none."""
        found = _SOURCE.fullmatch(text)
        if found is None:
            return None
        seat = TABLE if found["seat"] == "game" else Seat(int(found["seat"]))
        return Source(found["carrier"] or "", found["ability"], seat)


class Ref(NamedTuple):
    """An ability at its carrier in a position: `game/income`, `card.7/fly`, `token.web.2/tear`."""

    kind: str
    """What carries it: `game`, `card`, `token` or `condition`."""
    carrier: str
    """The card's id, or the name of the token or condition; "" for the game."""
    seat: Seat
    """The owner of a token or condition, else TABLE."""
    ability: str

    def __str__(self) -> str:
        match self.kind:
            case "game":
                return f"game/{self.ability}"
            case "card":
                return f"card.{self.carrier}/{self.ability}"
            case _:
                return f"{self.kind}.{self.carrier}.{self.seat}/{self.ability}"

    @classmethod
    def of_card(cls, card: CardId, ability: str) -> Ref:
        """Return the ref of an ability of this card."""
        return cls("card", str(card), TABLE, ability)

    @classmethod
    def read(cls, text: str) -> Ref | None:
        """Read a ref as a position writes it; None if the text is none."""
        found = _REF.fullmatch(text)
        if found is None:
            return None
        if found["game"]:
            return cls("game", "", TABLE, found["ability"])
        if found["card"] is not None:
            return cls.of_card(CardId(int(found["card"])), found["ability"])
        return cls(found["kind"], found["name"], Seat(int(found["seat"])), found["ability"])


class Mark(NamedTuple):
    """What a turn remembers so that it does not come again (`Turn.used`): an ability, or a word of
    the game's own.

    Written `card.7/probe`, `last_word@2`, `declined_12@1`, `7/tapped@1`; with all its parts
    `card.7/mark_the_wounded@2#15`.
    """

    what: Ref | str
    """The ability at its carrier, or the word (`Ruleset.marks`, or an ability's name alone)."""
    carrier: CardId | None = None
    """The card that carries what the word stands for."""
    about: CardId | None = None
    """The card that a question was about."""
    seat: Seat | None = None
    """The Monster that the mark is about; None: the mark is about no single Monster."""
    clock: int | None = None
    """When the occasion began for which it was used up; None: for the whole turn."""

    def __str__(self) -> str:
        return "".join(
            (
                "" if self.carrier is None else f"{self.carrier}/",
                str(self.what),
                "" if self.about is None else f"_{self.about}",
                "" if self.seat is None else f"@{self.seat}",
                "" if self.clock is None else f"#{self.clock}",
            )
        )

    @property
    def word(self) -> str:
        """The name of the ability, or the word."""
        return self.what.ability if isinstance(self.what, Ref) else self.what

    @classmethod
    def read(cls, text: str) -> Mark | None:
        """Read a mark as a position writes it; None if the text is none."""
        found = _MARK.fullmatch(text)
        if found is None:
            return None
        seat = None if found["seat"] is None else Seat(int(found["seat"]))
        clock = None if found["clock"] is None else int(found["clock"])
        if found["ref"] is None:
            about = None if found["card"] is None else CardId(int(found["card"]))
            return cls(found["word"], about=about, seat=seat, clock=clock)
        of_card = _WORD_OF_CARD.fullmatch(found["ref"])
        if of_card is not None:
            return cls(of_card["word"], CardId(int(of_card["card"])), seat=seat, clock=clock)
        ref = Ref.read(found["ref"])
        return None if ref is None else cls(ref, seat=seat, clock=clock)
