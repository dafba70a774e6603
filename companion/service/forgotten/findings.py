"""Findings in their wire form: of an audit, and of buildings that nobody has named."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine import Change, Corrected, Difference, IllegalEvent, Position
from companion.service.forgotten.checked import audit_of, checked_part
from companion.service.views.logbook import changes
from companion.service.wire import Finding, MendKind, Words
from companion.service.words.audit_words import difference_words, reason_words
from companion.table import Snapshot

MOST_FINDINGS = 40
"""How many are shown, the newest."""
UNNAMED = "unnamed"
SIGNS = {"health": "heal", "stars": "victory_star", "energy": "energy"}


@dataclass(frozen=True, slots=True)
class Findings:
    """All that differs in a game at one revision."""

    rev: int
    since: int
    turns: int
    differences: tuple[Finding, ...] = ()
    by_hand: tuple[Finding, ...] = ()
    cannot: Words | None = None


def find(snapshot: Snapshot) -> Findings | None:
    """Play the log again and return what differs; None before a game."""
    position = snapshot.state.position
    line = [snapshot.entries[seq - 1] for seq in snapshot.state.line]
    part = checked_part(line)
    if position is None or part is None:
        return None
    since, turns = part.start.turn.number, position.game.turn.number
    unnamed = _unnamed(position)
    try:
        found = audit_of(part)
    except IllegalEvent as illegal:
        row = part.inputs[int(illegal.params["event"]) - 1]
        turn = row.before.game.turn.number if row.before.game is not None else 0
        cannot = Words(key="forgotten.cannot", args={"turn": turn})
        return Findings(snapshot.rev, since, turns, unnamed, (), cannot)
    all_ = [_finding(position, one) for one in (*found.differences, *found.uncaused)]
    open_ = [one for one in all_ if one.mend is not MendKind.NONE]
    closed = sorted((one for one in all_ if one.mend is MendKind.NONE), key=lambda one: one.turn)
    return Findings(
        snapshot.rev,
        since,
        turns,
        (*open_[-MOST_FINDINGS:], *unnamed),
        tuple(closed[-MOST_FINDINGS:]),
    )


def _finding(position: Position, one: Difference) -> Finding:
    rules, mend = position.rules, one.mend
    kind, change = MendKind.NONE, tuple[Change, ...]()
    if mend is not None:
        change = changes(position.game, position.apply(mend).game)
        gives = not mend.places and all(each.after > each.before for each in change)
        kind = MendKind.GIVE if gives else MendKind.DO
        clause = one.reason.clause if one.reason is not None else ""
        mend = Corrected(mend.numbers, mend.places, clause)
    return Finding(
        id=_id_of(one),
        turn=one.turn,
        seat=one.seat,
        sign="pin" if one.what is None else SIGNS.get(one.what, "question"),
        words=difference_words(one),
        cause=None if one.reason is None else reason_words(rules, one.reason),
        clause=(one.reason.clause or None) if one.reason is not None else None,
        mend=kind,
        fix=mend,
        changes=change,
        place=mend.places[0].place if mend is not None and mend.places else None,
    )


def _id_of(one: Difference) -> str:
    """Return a name that stays, whatever is played after it."""
    asked = one.reason.event if one.reason is not None else 0
    return f"{one.seat}-{one.what or 'place'}-{one.event}-{asked}-{one.amount}"


def _unnamed(position: Position) -> tuple[Finding, ...]:
    """Return one finding for all tops of stacks that nobody has named; none where all are."""
    stacks = [stack for borough in position.game.boroughs for stack in borough.stacks]
    count = sum(stack.top is None and stack.left > 0 for stack in stacks)
    if not count:
        return ()
    return (
        Finding(
            id=UNNAMED,
            turn=position.game.turn.number,
            seat=None,
            sign="question",
            words=Words(key="forgotten.unnamed", args={"count": count}),
            clause=position.rules.clause("reveal_tile") or None,
            mend=MendKind.NAME,
        ),
    )
