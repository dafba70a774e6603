"""`companion cards` and `simulate`: the rules without a service."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import TypedDict, Unpack

import click
import msgspec

from companion.cli.games import GameOption, required_game
from companion.cli.words import FAILED, refuse, sentence
from companion.engine import RULESETS, Card, CardKind, IllegalEvent, Ruleset, Seat, Setup, rules_for
from companion.virtual import GameResult, SimulationOptions, play_random

ENDS = ("stars", "survival", "all_dead")
"""How a game may end (NY-17, TK-14)."""


def ruleset(game: str, edition: str, house: tuple[str, ...] = ()) -> Ruleset:
    """Return the rules of a game; end the command where the game, edition or house rule
    is unknown.
    """
    try:
        return rules_for(game, edition, house)
    except IllegalEvent as unknown:
        refuse(f"error.{unknown.key}", **unknown.params)


@click.command()
@click.option("--game", cls=GameOption, help="One of: {games}; every box without it.")
@click.option("--edition", default="first", show_default=True, help="Whose cards.")
@click.option("--missing", is_flag=True, help="Only the cards the table carries out by hand.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a card.")
def cards(game: str | None, edition: str, missing: bool, as_json: bool) -> None:
    """List the cards the engine carries out, or with --missing those it does not."""
    known = [name for name, rules in RULESETS.items() if edition in rules.editions]
    boxes = [ruleset(name, edition) for name in ((game,) if game is not None else known)]
    if not boxes:
        editions = dict.fromkeys(year for rules in RULESETS.values() for year in rules.editions)
        refuse("error.unknown_edition", edition=edition, known=", ".join(editions))
    for rules in boxes:
        for card in sorted(rules.cards.values(), key=lambda card: card.name):
            if card.finished is missing:
                continue
            row = _card_row(rules, card)
            if as_json:
                click.echo(msgspec.json.encode(row).decode())
            else:
                district = ", ".join(card.district)
                click.echo(
                    f"{rules.name:9} {card.name:32} {card.cost:>3}  {card.kind:8} {district}"
                )
        if not missing:
            click.echo(_count_sentence(rules), err=True)


def _count_sentence(rules: Ruleset) -> str:
    """Return a sentence with the number of cards in the box, and of those carried out by hand."""
    kinds = Counter(dict.fromkeys(CardKind, 0))
    for card in rules.cards.values():
        kinds[card.kind] += card.copies
    return sentence(
        "cards.count",
        game=rules.name,
        ids=len(rules.cards) - kinds[CardKind.GOAL],
        cards=kinds[CardKind.KEEP] + kinds[CardKind.DISCARD],
        goals=kinds[CardKind.GOAL],
        keep=kinds[CardKind.KEEP],
        discard=kinds[CardKind.DISCARD],
        missing=sum(not card.finished for card in rules.cards.values()),
    )


def _card_row(rules: Ruleset, card: Card) -> dict[str, object]:
    return {
        "game": rules.name,
        "edition": rules.edition,
        "name": card.name,
        "cost": card.cost,
        "kind": card.kind,
        "district": card.district,
        "copies": card.copies,
    }


class SimulateOptions(TypedDict):
    """The options of `simulate`."""

    game: str
    players: int
    games: int
    seed: int
    edition: str
    house: tuple[str, ...]
    no_checks: bool
    check_explain: bool
    cards: int
    offers: float
    as_json: bool


@dataclass(frozen=True, slots=True)
class SimulationTotals:
    """Totals over all simulated games."""

    games: int
    events: int
    powers: int
    turns: int
    seconds: float
    reasons: dict[str, int]
    broken: tuple[str, ...]


@click.command()
@required_game
@click.option(
    "--players", default=4, show_default=True, type=click.IntRange(1, 8), help="How many play."
)
@click.option(
    "--games", default=100, show_default=True, type=click.IntRange(1), help="How many games."
)
@click.option("--seed", default=1, show_default=True, help="The same seed plays the same games.")
@click.option("--edition", default="first", show_default=True, help="Whose rules.")
@click.option("--house", multiple=True, help="A house rule to play by; more than once for more.")
@click.option("--no-checks", is_flag=True, help="Leave the invariants out, for timing.")
@click.option(
    "--check-explain", is_flag=True, help="Ask why of every number, after every event, as well."
)
@click.option(
    "--cards",
    default=0,
    show_default=True,
    type=click.IntRange(0, 10),
    help="Everyone starts with so many Keep cards and 12 energy.",
)
@click.option(
    "--offers",
    default=0.2,
    show_default=True,
    type=click.FloatRange(0.0, 1.0),
    help="How likely an open offer is used.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def simulate(**wanted: Unpack[SimulateOptions]) -> None:
    """Play random legal games to the end; exit 1 where an invariant breaks."""
    wanted["house"] = tuple(sorted(set(wanted["house"])))
    rules = ruleset(wanted["game"], wanted["edition"], wanted["house"])
    least, most = rules.players_min, rules.players_max
    if not least <= wanted["players"] <= most:
        refuse("error.player_count", least=least, most=most)
    tally = _play_games(wanted)
    row = _totals_row(wanted, tally)
    if wanted["as_json"]:
        click.echo(msgspec.json.encode(row).decode())
    else:
        for name, value in row.items():
            click.echo(f"{name:13} {_plain(value)}")
    if tally.broken:
        raise SystemExit(FAILED)


def _totals_row(wanted: SimulateOptions, tally: SimulationTotals) -> dict[str, object]:
    """Return the JSON to print: the options and the results; shares are of all games, lengths are
    means.
    """
    games = tally.games
    return {
        "game": wanted["game"],
        "edition": wanted["edition"],
        "house": wanted["house"],
        "players": wanted["players"],
        "seed": wanted["seed"],
        "cards": wanted["cards"],
        "offers": wanted["offers"],
        "checked": not wanted["no_checks"],
        "explained": wanted["check_explain"],
        "games": games,
        "events": tally.events,
        "events_per_s": round(tally.events / tally.seconds) if tally.seconds else 0,
        "games_per_s": round(games / tally.seconds, 1) if tally.seconds else 0,
        "powers_used": tally.powers,
        "events_mean": round(tally.events / games, 1),
        "turns_mean": round(tally.turns / games, 1),
        "ended": tally.reasons,
        "shares": {reason: round(n / games, 4) for reason, n in tally.reasons.items()},
        "broken": tally.broken,
    }


def _plain(value: object) -> object:
    """Format a value for people."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    if isinstance(value, tuple):
        return "; ".join(value) or "-"
    return value


def _play_games(wanted: SimulateOptions) -> SimulationTotals:
    options = SimulationOptions(
        wanted["cards"], wanted["offers"], not wanted["no_checks"], wanted["check_explain"]
    )
    reasons: Counter[str] = Counter(dict.fromkeys(ENDS, 0))
    broken: tuple[str, ...] = ()
    events = powers = turns = games = 0
    started = time.process_time()
    for number, played in enumerate(_games(wanted, options)):
        games += 1
        events += played.events
        powers += played.powers
        turns += played.turns
        reasons[played.reason] += 1
        if played.broken:
            broken = tuple(f"game {number}, event {played.events}: {b}" for b in played.broken)
            break
    seconds = time.process_time() - started
    return SimulationTotals(games, events, powers, turns, seconds, dict(reasons), broken)


def _games(wanted: SimulateOptions, options: SimulationOptions) -> Iterator[GameResult]:
    """Play each game with a seed of its own, so that it can be repeated alone."""
    players = wanted["players"]
    for number in range(wanted["games"]):
        chance = Random(f"{wanted['seed']}/{number}")
        first = number % players
        setup = Setup(wanted["game"], players, Seat(first), wanted["edition"], wanted["house"])
        yield play_random(setup, chance, options)
