"""Names of abilities: in a history, and at their carrier in a position.

Both are strings in JSON. Here alone they are written and read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from companion.engine.values import TABLE, Seat

_SOURCE: Final = re.compile(
    r"(?:(?P<carrier>\w+)\.)?(?P<ability>\w+)@(?P<seat>game|-1|\d+)", re.ASCII
)
_REF: Final = re.compile(
    r"(?:(?P<game>game)|card\.(?P<card>\d+)"
    r"|(?P<kind>token|condition)\.(?P<name>\w+)\.(?P<seat>\d+))/(?P<ability>\w+)",
    re.ASCII,
)


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
        """Read a source as a history writes it; None where the text is none."""
        found = _SOURCE.fullmatch(text)
        if found is None:
            return None
        seat = TABLE if found["seat"] == "game" else Seat(int(found["seat"]))
        return Source(found["carrier"] or "", found["ability"], seat)


class Ref(NamedTuple):
    """An ability at its carrier, as a position names it: `game/income`, `card.7/fly`,
    `token.web.2/tear`.
    """

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
    def read(cls, text: str) -> Ref | None:
        """Read a ref as a position writes it; None where the text is none."""
        found = _REF.fullmatch(text)
        if found is None:
            return None
        if found["game"]:
            return cls("game", "", TABLE, found["ability"])
        if found["card"] is not None:
            return cls("card", found["card"], TABLE, found["ability"])
        return cls(found["kind"], found["name"], Seat(int(found["seat"])), found["ability"])
