"""Statistics of many games: players, Monsters, places and cards, ratings, and records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from enum import StrEnum
from math import erfc, exp, pi, sqrt
from typing import Final

import msgspec
from openskill.models import PlackettLuce, PlackettLuceRating

from companion.engine import RULESETS, Face
from companion.intervals import Z_95, wilson
from companion.records.results import GameResult, PlayerResult
from companion.records.tallies import GameTally, SeatTally

# -- ratings of players over many games of any number of players -----------------------------------


FEWEST: Final = 2
"""A game with fewer named players says nothing of their strength."""


class Rating(msgspec.Struct, frozen=True):
    """A player's skill, 25 before any game, and its 95 % interval."""

    skill: float
    low: float
    high: float


def player_key(player: PlayerResult) -> str:
    """Return a player's key: the case-folded name, "" without one."""
    return player.player.casefold()


def ratings(results: Iterable[GameResult]) -> dict[str, Rating]:
    """Return the rating of each named player after these games, oldest first."""
    model = PlackettLuce()
    known: dict[str, PlackettLuceRating] = {}
    for game in results:
        named = [player for player in game.players if player.player]
        if len(named) < FEWEST:
            continue
        teams = [[known.get(player_key(player)) or model.rating()] for player in named]
        rated = model.rate(teams, ranks=[float(player.rank) for player in named])
        known |= {player_key(one): team[0] for one, team in zip(named, rated, strict=True)}
    return {key: _rating(value) for key, value in known.items()}


def _rating(value: PlackettLuceRating) -> Rating:
    half = Z_95 * value.sigma
    low, high = value.mu - half, value.mu + half
    return Rating(round(value.mu, 1), round(low, 1), round(high, 1))


# -- the most that ever happened, and on how many evenings people played ---------------------------


NIGHT: Final = timedelta(hours=6)
"""A game that begins this long after the previous one's end belongs to another evening."""


class FeatKind(StrEnum):
    """A kind of record."""

    TURN_STARS = "turn_stars"
    """Stars that a Monster gained in one turn of its own."""
    HIT = "hit"
    """Damage that a Monster dealt to another at once."""
    MINUTES = "minutes"
    """The time of a game."""


class Feat(msgspec.Struct, frozen=True):
    """A record and its holders. `times`: in how many games a named player reached it; `turns`:
    those of the longest game."""

    kind: FeatKind
    value: int
    names: tuple[str, ...] = ()
    times: int = 0
    turns: int = 0


def feats_of(ended: Sequence[GameTally]) -> tuple[Feat, ...]:
    """Return the records of these games; one that nobody holds yet is left out."""
    found = (
        _best(ended, FeatKind.TURN_STARS),
        _best(ended, FeatKind.HIT),
        _longest(ended),
    )
    return tuple(feat for feat in found if feat is not None)


def _best(ended: Iterable[GameTally], kind: FeatKind) -> Feat | None:
    reached = [
        (_value(seat, kind), game, one.result.players[seat.seat])
        for game, one in enumerate(ended)
        for seat in one.seats
    ]
    most = max((value for value, _, _ in reached), default=0)
    if most <= 0:
        return None
    held = [(game, holder) for value, game, holder in reached if value == most and holder.player]
    names = {player_key(holder): holder.player for _, holder in held}
    return Feat(kind, most, tuple(names.values()), times=len({game for game, _ in held}))


def _value(seat: SeatTally, kind: FeatKind) -> int:
    return seat.best_turn if kind is FeatKind.TURN_STARS else seat.best_hit


def _longest(ended: Iterable[GameTally]) -> Feat | None:
    timed = [(one.result.minutes or 0, one.result.turns) for one in ended]
    minutes, turns = max(timed, default=(0, 0))
    return Feat(FeatKind.MINUTES, minutes, turns=turns) if minutes else None


def evenings(ended: Iterable[GameTally]) -> int:
    """Return on how many evenings these games were played. Games without a time are left out: a
    table's clock may have been wrong."""
    times = sorted(
        (one.result.began, one.result.ended)
        for one in ended
        if one.result.began is not None and one.result.ended is not None
    )
    count, until = 0, None
    for began, end in times:
        count += until is None or began - until >= NIGHT
        until = end if until is None else max(until, end)
    return count


# -- statistics of many games ----------------------------------------------------------------------


FEWEST_DICE: Final = 300
"""Fewer dice are not tested for fairness."""
_POWER: Final = 12.83
"""The noncentrality at which a chi-squared test of 5 degrees of freedom at 5 % finds a bias in
80 % of cases (Cohen 1988, chapter 7)."""


class Share(msgspec.Struct, frozen=True):
    """`right` of `count` cases have the property, with the 95 % interval of the share (Wilson
    1927)."""

    right: int
    count: int
    low: float
    high: float


class PlayerLine(msgspec.Struct, frozen=True):
    """A player over all its games. `name`: as last spelt; `stars`: the mean at the end."""

    name: str
    won: Share
    stars: float
    longest: int
    """The turns of its longest game."""
    monster: str = ""
    """The Monster it played most often, of several the one it played last."""
    with_monster: int = 0
    """How many of its games it played that one."""
    reasons: dict[str, int] = {}
    """By how they ended, the games it won."""
    dealt: int = 0
    taken: int = 0
    """The damage of all games."""
    rating: Rating | None = None
    """None before its first game with another named player."""


class MonsterLine(msgspec.Struct, frozen=True):
    """A Monster over all games, by its picture. `expected`: the share of games that it would win
    if all seats won equally often."""

    monster: str
    won: Share
    expected: float


class CardLine(msgspec.Struct, frozen=True):
    """A card: how often it was bought, and how often by the winner."""

    game: str
    card: str
    won: Share


class DiceLine(msgspec.Struct, frozen=True):
    """The dice of one game's box. `p_value`: how often fair dice differ as much (chi-squared);
    `detectable`: by how much the share of one face would have to differ to be found in 80 % of
    cases; both None below FEWEST_DICE."""

    game: str
    count: int
    faces: dict[Face, Share]
    p_value: float | None = None
    detectable: float | None = None


class PlaceLine(msgspec.Struct, frozen=True):
    """A game's city: the share of turns that began in it, and how often the seat with the most
    turns there won."""

    game: str
    inside: Share
    won: Share
    turns: dict[str, Share] = {}
    """By place, the share of turns that began there, the most visited first."""


class Statistics(msgspec.Struct, frozen=True):
    """All of it; lines of players and Monsters come by games won, then by name."""

    games: int
    by_game: dict[str, int] = {}
    """By box, how many games of it."""
    evenings: int = 0
    """On how many evenings, as far as games have a time."""
    since: str | None = None
    """When the first of them began, ISO 8601."""
    feats: tuple[Feat, ...] = ()
    players: tuple[PlayerLine, ...] = ()
    monsters: tuple[MonsterLine, ...] = ()
    cards: tuple[CardLine, ...] = ()
    dice: tuple[DiceLine, ...] = ()
    places: tuple[PlaceLine, ...] = ()


def share(right: int, count: int) -> Share:
    """Return a share with its 95 % interval."""
    low, high = wilson(right, count)
    return Share(right, count, round(low, 4), round(high, 4))


def statistics(tallies: Iterable[GameTally]) -> Statistics:
    """Return the statistics of finished games, oldest first; others and demos do not count."""
    results = ((one, one.result) for one in tallies)
    ended = [one for one, result in results if result.reason is not None and not result.is_demo]
    began = [one.result.began for one in ended if one.result.began is not None]
    return Statistics(
        games=len(ended),
        by_game=dict(sorted(Counter(one.result.game for one in ended).items())),
        evenings=evenings(ended),
        since=None if not began else min(began).isoformat(timespec="seconds"),
        feats=feats_of(ended),
        players=_players(ended),
        monsters=_monsters(ended),
        cards=_cards(ended),
        dice=tuple(_dice(game, mine) for game, mine in _by_game(ended)),
        places=tuple(_place(game, mine) for game, mine in _by_game(ended)),
    )


def _by_game(ended: Sequence[GameTally]) -> list[tuple[str, list[GameTally]]]:
    names = sorted({one.result.game for one in ended})
    return [(name, [one for one in ended if one.result.game == name]) for name in names]


def _players(ended: Sequence[GameTally]) -> tuple[PlayerLine, ...]:
    rated = ratings(one.result for one in ended)
    found: dict[str, list[tuple[GameTally, PlayerResult]]] = {}
    for one in ended:
        for player in one.result.players:
            if player.player:
                found.setdefault(player_key(player), []).append((one, player))
    lines = [_player(games, rated.get(key)) for key, games in found.items()]
    return tuple(sorted(lines, key=lambda line: (-line.won.right, line.name.casefold())))


def _player(games: Sequence[tuple[GameTally, PlayerResult]], rating: Rating | None) -> PlayerLine:
    seats = [one.seats[player.seat] for one, player in games]
    # The newest first: of Monsters played equally often, `max` finds the one played last.
    played = Counter(player.monster for _, player in reversed(games) if player.monster)
    monster = max(played, key=played.__getitem__, default="")
    won = Counter(one.result.reason or "" for one, player in games if player.won)
    return PlayerLine(
        name=games[-1][1].player,
        won=share(won.total(), len(games)),
        stars=round(sum(player.stars for _, player in games) / len(games), 1),
        longest=max(one.result.turns for one, _ in games),
        monster=monster,
        with_monster=played[monster],
        reasons=dict(sorted(won.items())),
        dealt=sum(seat.dealt for seat in seats),
        taken=sum(seat.taken for seat in seats),
        rating=rating,
    )


def _monsters(ended: Sequence[GameTally]) -> tuple[MonsterLine, ...]:
    played, won, due = Counter[str](), Counter[str](), defaultdict[str, float](float)
    for players in (one.result.players for one in ended):
        for player in (player for player in players if player.monster):
            played[player.monster] += 1
            won[player.monster] += player.won
            due[player.monster] += 1 / len(players)
    lines = [
        MonsterLine(name, share(won[name], count), round(due[name] / count, 4))
        for name, count in played.items()
    ]
    return tuple(sorted(lines, key=lambda line: (-line.won.right, line.monster)))


def _cards(ended: Sequence[GameTally]) -> tuple[CardLine, ...]:
    bought, won = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for one in ended:
        for player, seat in zip(one.result.players, one.seats, strict=True):
            for card in seat.bought:
                bought[one.result.game, card] += 1
                won[one.result.game, card] += player.won
    lines = [CardLine(*card, share(won[card], count)) for card, count in bought.items()]
    return tuple(sorted(lines, key=lambda line: (line.game, -line.won.count, line.card)))


def _dice(game: str, tallies: Sequence[GameTally]) -> DiceLine:
    thrown = Counter[Face]()
    for seat in (seat for one in tallies for seat in one.seats):
        thrown.update(seat.thrown)
    rules = RULESETS.get(game)
    faces = rules.faces if rules is not None else tuple(sorted(thrown))
    count = sum(thrown.values())
    shares = {face: share(thrown[face], count) for face in faces}
    if count < FEWEST_DICE:
        return DiceLine(game, count, shares)
    return DiceLine(
        game,
        count,
        shares,
        p_value=round(fair_p_value([thrown[face] for face in faces]), 3),
        # One face d too frequent, five d/5 too rare: chi-squared = 7.2 n d².
        detectable=round(sqrt(_POWER / (7.2 * count)), 3),
    )


def fair_p_value(counts: Sequence[int]) -> float:
    """Return how often six fair faces differ from equal counts at least as much as these (Pearson's
    chi-squared, 5 degrees of freedom; Abramowitz and Stegun 26.4.4)."""
    mean = sum(counts) / len(counts)
    value = sum((count - mean) ** 2 for count in counts) / mean
    return erfc(sqrt(value / 2)) + sqrt(2 * value / pi) * exp(-value / 2) * (1 + value / 3)


def _place(game: str, tallies: Sequence[GameTally]) -> PlaceLine:
    turns = sum(seat.turns for one in tallies for seat in one.seats)
    inside = sum(seat.turns_inside for one in tallies for seat in one.seats)
    most = [(one, _longest_inside(one.seats)) for one in tallies]
    stayed = [(one, seat) for one, seat in most if seat is not None]
    won = sum(one.result.players[seat].won for one, seat in stayed)
    places = Counter[str]()
    for seat_tally in (seat for one in tallies for seat in one.seats):
        places.update(seat_tally.places)
    by_place = {
        place: share(count, turns)
        for place, count in sorted(places.items(), key=lambda one: (-one[1], one[0]))
    }
    return PlaceLine(game, share(inside, turns), share(won, len(stayed)), by_place)


def _longest_inside(seats: Sequence[SeatTally]) -> int | None:
    """Return the seat with the most turns in the city; None if several have as many."""
    most = max(seat.turns_inside for seat in seats)
    found = [seat.seat for seat in seats if seat.turns_inside == most]
    return found[0] if len(found) == 1 and most else None
