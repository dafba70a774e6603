"""`companion cards` and `simulate`: the rules without a service."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path
from typing import NoReturn, TypedDict, Unpack

import click
import msgspec

from companion.cli.options.games import GAME, Players, required_game
from companion.cli.options.values import Folder, Number
from companion.cli.usage import refuse_both
from companion.cli.words import FAILED, refuse, sentence
from companion.engine import RULESETS, Card, CardKind, IllegalEvent, Ruleset, rules_for
from companion.simulation import (
    MOST_SEED,
    Plan,
    RowsFolder,
    SimulationError,
    Totals,
    cluster,
    processes,
    run,
)

ENDS = ("stars", "survival", "all_dead")
"""How a game may end (NY-17, TK-14)."""
MOST_GAMES = 100_000_000
MOST_JOBS = 256


def ruleset(game: str, edition: str, house: tuple[str, ...] = ()) -> Ruleset:
    """Return the rules of a game; end the command where the game, edition or house rule
    is unknown.
    """
    try:
        return rules_for(game, edition, house)
    except IllegalEvent as unknown:
        refuse(f"error.{unknown.key}", **unknown.params)


EDITION = click.option(
    "--edition", metavar="NAME", default="first", show_default=True, help="Which edition of it."
)


@click.command(epilog="Example: companion cards --game tokyo")
@click.option("--game", type=GAME, help="Which game; by default all.")
@EDITION
@click.option("--missing", is_flag=True, help="Only the cards that players carry out by hand.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a card.")
def cards(game: str | None, edition: str, missing: bool, as_json: bool) -> None:
    """List the cards that the rules engine carries out."""
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
    jobs: int
    dask: str | None
    rows: Path | None
    as_json: bool


@click.command(epilog="Example: companion simulate --game tokyo --players 4 --games 1000")
@required_game
@click.option("--players", default=4, show_default=True, type=Players(), help="How many play.")
@click.option(
    "--games", default=100, show_default=True, type=Number(1, MOST_GAMES), help="How many games."
)
@click.option(
    "--seed",
    default=1,
    show_default=True,
    type=Number(-MOST_SEED, MOST_SEED),
    help="The same seed plays the same games.",
)
@EDITION
@click.option("--house", metavar="RULE", multiple=True, help="A house rule; may be repeated.")
@click.option("--no-checks", is_flag=True, help="Do not check the rules' invariants, for timing.")
@click.option("--check-explain", is_flag=True, help="Also check the reason for every number.")
@click.option(
    "--cards",
    default=0,
    show_default=True,
    type=Number(0, 10),
    help="Start with this many Keep cards each, and 12 energy.",
)
@click.option(
    "--offers",
    metavar="SHARE",
    default=0.2,
    show_default=True,
    type=Number(0.0, 1.0),
    help="How likely an open offer is used, 0 to 1.",
)
@click.option(
    "--jobs", default=1, show_default=True, type=Number(1, MOST_JOBS), help="How many processes."
)
@click.option("--dask", metavar="ADDRESS", help="Play on the workers of this Dask cluster.")
@click.option(
    "--rows",
    type=Folder(),
    help="Keep a row of every game there. Run the command again to resume.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(**wanted: Unpack[SimulateOptions]) -> None:
    """Play random games by the rules. Prints how they were played, how they ended, and any broken
    invariant, with exit status 1.
    """
    wanted["house"] = tuple(sorted(set(wanted["house"])))
    rules = ruleset(wanted["game"], wanted["edition"], wanted["house"])
    least, most = rules.players_min, rules.players_max
    if not least <= wanted["players"] <= most:
        refuse("script.player_count", least=least, most=most)
    if wanted["dask"] is not None and wanted["jobs"] > 1:
        refuse_both("--jobs", "--dask")
    totals, seconds = _play_games(wanted)
    row = _totals_row(wanted, totals, seconds)
    if wanted["as_json"]:
        click.echo(msgspec.json.encode(row).decode())
    else:
        for name, value in row.items():
            click.echo(f"{name:13} {_plain(value)}")
    if totals.broken:
        raise SystemExit(FAILED)


def _totals_row(wanted: SimulateOptions, totals: Totals, seconds: float) -> dict[str, object]:
    """Return the JSON to print: the options and the results; shares are of all games, lengths are
    means, speeds are of the games that this run has played.
    """
    games, ended = totals.games, dict.fromkeys(ENDS, 0) | totals.ended
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
        "resumed": totals.resumed,
        "events": totals.events,
        "events_per_s": round((totals.events - totals.events_resumed) / seconds),
        "games_per_s": round((games - totals.resumed) / seconds, 1),
        "powers_used": totals.powers,
        "events_mean": round(totals.events / games, 1),
        "turns_mean": round(totals.turns / games, 1),
        "ended": ended,
        "shares": {reason: round(n / games, 4) for reason, n in ended.items()},
        "broken": totals.broken,
    }


def _plain(value: object) -> object:
    """Format a value for people."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    if isinstance(value, tuple):
        return "; ".join(value) or "-"
    return value


def _play_games(wanted: SimulateOptions) -> tuple[Totals, float]:
    """Play, and return the totals with the seconds that it took; end the command where the games
    cannot be played, or not be kept.
    """
    plan = Plan(
        game=wanted["game"],
        players=wanted["players"],
        seed=wanted["seed"],
        edition=wanted["edition"],
        house=wanted["house"],
        cards=wanted["cards"],
        offers=wanted["offers"],
        checks=not wanted["no_checks"],
        explain=wanted["check_explain"],
    )
    totals, folder = Totals(), wanted["rows"]
    terminate = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        rows = RowsFolder(folder, plan) if folder is not None else None
        if rows is not None:
            rows.prepare()
        dask = wanted["dask"]
        with processes(wanted["jobs"]) if dask is None else cluster(dask) as play:
            began = time.perf_counter()
            run(plan, wanted["games"], totals, play, rows)
            return totals, time.perf_counter() - began
    except SimulationError as wrong:
        refuse(wrong.key, **wrong.params)
    except OSError as failed:
        refuse("error.cannot_save", path=str(folder), reason=failed.strerror or str(failed))
    except KeyboardInterrupt:
        _say_stopped(totals, folder)
    finally:
        signal.signal(signal.SIGTERM, terminate)


def _say_stopped(totals: Totals, folder: Path | None) -> NoReturn:
    """End the command after Ctrl-C: say what it leaves."""
    key = "simulate.stopped" if folder is None else "simulate.stopped_rows"
    click.echo(sentence(key, games=totals.games, path=str(folder)), err=True)
    raise SystemExit(FAILED)
