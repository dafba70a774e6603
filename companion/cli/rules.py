"""`companion cards` and `simulate`: the rules without a service."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from companion.cli.options import FOLDER, GAME, required_game
from companion.cli.words import FAILED, fail, print_json, refuse
from companion.engine import MOST_SEATS, RULESETS, IllegalEvent, Ruleset, rules_for
from companion.simulation import MOST_SEED, Plan, RowsFolder, Totals, cluster, processes, run

ENDS = ("stars", "survival", "all_dead")
"""How a game may end (NY-17, TK-14)."""
MOST_GAMES = 100_000_000
MOST_JOBS = 256


def ruleset(game: str, edition: str, house: tuple[str, ...] = ()) -> Ruleset:
    """Return the rules of a game; end the command if game, edition or house rule is unknown."""
    try:
        return rules_for(game, edition, house)
    except IllegalEvent as unknown:
        refuse(f"error.{unknown.key}", **unknown.params)


EDITION = click.option(
    "--edition", metavar="NAME", default="first", help="Which edition of the game."
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
            if as_json:
                names = ("name", "cost", "kind", "district", "copies")
                row = {name: getattr(card, name) for name in names}
                print_json({"game": rules.name, "edition": rules.edition, **row})
            else:
                district = ", ".join(card.district)
                click.echo(
                    f"{rules.name:9} {card.name:32} {card.cost:>3}  {card.kind:8} {district}"
                )


@click.command(epilog="Example: companion simulate --game tokyo --players 4 --games 1000")
@required_game
@click.option("--players", default=4, type=click.IntRange(2, MOST_SEATS), help="How many play.")
@click.option("--games", default=100, type=click.IntRange(1, MOST_GAMES), help="How many games.")
@click.option(
    "--seed",
    default=1,
    type=click.IntRange(-MOST_SEED, MOST_SEED),
    help="The same seed plays the same games.",
)
@EDITION
@click.option("--house", metavar="RULE", multiple=True, help="A house rule; may be repeated.")
@click.option(
    "--no-checks",
    "checks",
    is_flag=True,
    flag_value=False,
    default=True,
    show_default=False,
    help="Do not check the rules' invariants, for timing.",
)
@click.option(
    "--check-explain", "explain", is_flag=True, help="Also check the reason for every number."
)
@click.option(
    "--cards",
    default=0,
    type=click.IntRange(0, 10),
    help="Start with this many Keep cards each, and 12 energy.",
)
@click.option(
    "--offers",
    metavar="SHARE",
    default=0.2,
    type=click.FloatRange(0, 1),
    help="Probability of using an offered power, 0 to 1.",
)
@click.option("--jobs", default=1, type=click.IntRange(1, MOST_JOBS), help="How many processes.")
@click.option("--dask", metavar="ADDRESS", help="Play on the workers of this Dask cluster.")
@click.option(
    "--rows", type=FOLDER, help="Keep a row of every game there. Run the command again to resume."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(
    games: int,
    house: tuple[str, ...],
    jobs: int,
    dask: str | None,
    rows: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Play random games by the rules. Prints how they were played, how they ended, and any broken
    invariant, with exit status 1.
    """
    plan = Plan(house=tuple(sorted(set(house))), **given)
    rules = ruleset(plan.game, plan.edition, plan.house)
    least, most = rules.players_min, rules.players_max
    if not least <= plan.players <= most:
        refuse("script.player_count", least=least, most=most)
    if dask is not None and jobs > 1:
        refuse("error.usage.both", option="--jobs", other="--dask")
    totals = Totals()
    terminate = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        kept = RowsFolder(rows, plan) if rows is not None else None
        if kept is not None:
            kept.prepare()
        with processes(jobs) if dask is None else cluster(dask) as play:
            began = time.perf_counter()
            run(plan, games, totals, play, kept)
            seconds = time.perf_counter() - began
    except OSError as failed:
        refuse("error.cannot_save", path=str(rows), reason=failed.strerror or str(failed))
    except KeyboardInterrupt:
        key = "simulate.stopped" if rows is None else "simulate.stopped_rows"
        fail(key, games=totals.games, path=str(rows))
    finally:
        signal.signal(signal.SIGTERM, terminate)
    row = _totals_row(plan, totals, seconds)
    if as_json:
        print_json(row)
    else:
        for name, value in row.items():
            click.echo(f"{name:13} {_plain(value)}")
    if totals.broken:
        raise SystemExit(FAILED)


def _totals_row(plan: Plan, totals: Totals, seconds: float) -> dict[str, object]:
    """Return the JSON to print: the plan and the results; shares are of all games, lengths are
    means, speeds are of the games that this run has played.
    """
    games, ended = totals.games, dict.fromkeys(ENDS, 0) | totals.ended
    planned = msgspec.structs.asdict(plan)
    checked, explained = planned.pop("checks"), planned.pop("explain")
    return {
        **planned,
        "checked": checked,
        "explained": explained,
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
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    if isinstance(value, tuple):
        return "; ".join(value) or "-"
    return value
