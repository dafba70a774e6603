"""A play as BG Stats takes it: the app of that name records plays of board games.

It is handed over by a link with the play in it (bgstatsapp.com, "Push plays to BG Stats"). Its
Android app refuses players without `winner`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import msgspec

from companion.engine import RULESETS
from companion.records.results import GameResult, PlayerResult

LINK: Final = "https://app.bgstatsapp.com/createPlay.html?data="
APP_LINK: Final = "bgstats://app.bgstatsapp.com/createPlay.html?data="
SOURCE: Final = "Monster Table"
ID_LENGTH: Final = 8

Play = dict[str, Any]
"""JSON values under BG Stats' own names."""


def play_of(result: GameResult, name: Callable[[str], str]) -> Play | None:
    """Return the play; None where the game has not ended, or the log does not say when. `name`
    gives the words of a catalogue key, or the key itself where it has none."""
    if result.ended is None or result.reason is None:
        return None
    minutes, began = result.minutes, result.began or result.ended
    return {
        "sourceName": SOURCE,
        # Tables are numbered on each machine: the time tells those of two machines apart.
        "sourcePlayId": f"{result.table}-{began:%Y%m%dT%H%M%S}",
        "playDate": f"{result.ended:%Y-%m-%d %H:%M:%S}",
        **({} if minutes is None else {"durationMin": minutes}),
        "board": " ".join((result.edition, *result.house)),
        "game": _game(result.game, name),
        "players": [_player(one, name) for one in result.players],
    }


def _game(game: str, name: Callable[[str], str]) -> dict[str, str | int | bool]:
    rules = RULESETS.get(game)
    number = {} if rules is None or not rules.bgg_id else {"bggId": rules.bgg_id}
    return {"name": name(f"game.{game}"), "sourceGameId": game, "highestWins": True, **number}


def _player(one: PlayerResult, name: Callable[[str], str]) -> dict[str, str | int | bool]:
    key = f"monster.{one.monster}"
    known = name(key)
    monster = known if known != key else ""
    seat = f"Player {one.seat + 1}"
    return {
        "name": one.player or monster or seat,
        "sourcePlayerId": _id_of(one.player or one.monster or seat),
        "startPlayer": one.first,
        "rank": one.rank,
        "role": monster,
        "score": one.stars,
        "winner": one.won,
    }


def _id_of(name: str) -> str:
    """Return the same id for a name on every evening, since BG Stats remembers the player that it
    was matched to. Short, for the QR code."""
    return hashlib.sha256(name.casefold().encode()).hexdigest()[:ID_LENGTH]


def play_link(play: Play, start: str = LINK) -> str:
    """Return the link that hands the play over; `start` is LINK or APP_LINK."""
    return start + quote(msgspec.json.encode(play).decode(), safe=":,")
