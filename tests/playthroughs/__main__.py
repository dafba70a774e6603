"""Playthroughs: games as text for people and tests, in `tests/playthroughs/*.txt`.

A file holds `# a remark`, one `new {setup}`, and events `> {event}`; after each of the last two
comes the position in one line:

    = t3 a1 buy@1 | 0 9/2/5 queens carapace*3 web*1 | 1 10/4/0 lower_2_4 superstar | 2 out

turn 3, seat 1 active, seat 1 is asked what to buy; then a part for each Monster: seat,
health/stars/energy, place, its cards with their counters (`mimic=wings` is a copy) and its tokens.

`make playthroughs` rewrites these lines from the events, so a file can be written with events
alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from companion.engine import (
    AnyEvent,
    CardInPlay,
    Game,
    Monster,
    Outcome,
    Position,
    Question,
    Setup,
    new_game,
)

FOLDER = Path(__file__).parent


def regenerated(text: str) -> str:
    """Replace the positions of a playthrough by those that its events lead to now.

    Raises IllegalEvent or msgspec.ValidationError for an event that is not allowed or no event.
    """
    lines = "\n".join(_regenerated(text.splitlines()))
    return f"{lines}\n"


def _regenerated(lines: list[str]) -> Iterator[str]:
    outcome: Outcome[Position] | None = None
    for line in lines:
        if line.startswith("="):
            continue
        yield line
        if line.startswith("new "):
            outcome = new_game(msgspec.json.decode(line.removeprefix("new "), type=Setup))
        elif line.startswith("> "):
            assert outcome is not None, "an event before `new`"
            event: AnyEvent = msgspec.json.decode(line.removeprefix("> "), type=AnyEvent)
            outcome = outcome.position.apply(event)
        else:
            continue
        yield summary(outcome.game, outcome.question)


def summary(game: Game, asked: Question | None) -> str:
    """Format the position as one line."""
    ended = game.ended
    if ended is not None:
        winners = "+".join(map(str, ended.winners)) or "nobody"
        now = f"ended by {ended.reason}, won by {winners}"
    else:
        now = f"{asked.key}@{asked.seat}" if asked is not None else "nothing asked"
    monsters = " | ".join(_monster(game, monster) for monster in game.monsters)
    return f"= t{game.turn.number} a{game.turn.active} {now} | {monsters}"


def _monster(game: Game, monster: Monster) -> str:
    if not monster.alive:
        return f"{monster.seat} out"
    numbers = f"{monster.health}/{monster.stars}/{monster.energy}"
    in_play = game.in_play
    cards = (_card(game, card) for card in in_play.cards if card.owner == monster.seat)
    tokens = (f"{p.token}*{p.count}" for p in in_play.tokens if p.seat == monster.seat)
    return " ".join((str(monster.seat), numbers, monster.place or "-", *cards, *tokens))


def _card(game: Game, card: CardInPlay) -> str:
    copied = next((each.name for each in game.in_play.cards if each.id == card.copies), None)
    counters = f"*{card.counters}" if card.counters else ""
    return f"{card.name}={copied}{counters}" if copied is not None else f"{card.name}{counters}"


def main() -> None:
    """Rewrite every file."""
    for path in sorted(FOLDER.glob("*.txt")):
        before = path.read_text("utf-8")
        after = regenerated(before)
        if after != before:
            path.write_text(after, "utf-8")
            print(f"rewritten: {path.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
