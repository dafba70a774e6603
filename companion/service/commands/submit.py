"""Names are cleaned, rights are asked, and the table gets the command."""

from __future__ import annotations

from companion.engine import DiceRolled
from companion.service import requests, wire
from companion.service.app_state import AppState
from companion.service.people.names import check_all_named, with_clean_names
from companion.service.people.rights import may_send
from companion.service.views.view import MONSTERS
from companion.table import Input, RefusedError, Submission, TableSet


def submit_command(
    app_state: AppState, you: wire.You, command: requests.Command, who: str | None = None
) -> int:
    """Apply all events of the command, or none of them; return the revision after it.

    `who`: the sender as the log names it; by default the sender's seat. RefusedError says why not.
    """
    events = _cleaned(command.events)
    known = app_state.table.rev_of(command.command_id, events)
    if known is not None:  # before rights, which may have gone to another seat since
        return known
    snapshot, anyone = app_state.table.snapshot(), app_state.settings.anyone_may_edit
    for event in events:
        may_send(you, event, snapshot.state, snapshot.entries, anyone=anyone)
    check_all_named(events, snapshot.state.setup)
    if command.proposal_id is not None and command.base_rev == snapshot.rev:
        app_state.tray.check_open(command.proposal_id, snapshot)
    seat = "" if you.seat is None else str(you.seat)
    rev = app_state.table.submit(
        Submission(
            command.command_id,
            command.base_rev,
            events,
            who=seat if who is None else who,
            table=command.table,
        )
    )
    if command.proposal_id is not None:
        app_state.tray.keep_lesson(command.proposal_id, command.command_id, rev)
    return rev


def check_may_roll(app_state: AppState, you: wire.You) -> None:
    """Raise RefusedError unless the browser may enter the dice of the roll that is awaited."""
    snapshot, anyone = app_state.table.snapshot(), app_state.settings.anyone_may_edit
    may_send(you, DiceRolled(()), snapshot.state, snapshot.entries, anyone=anyone)


def _cleaned(events: tuple[Input, ...]) -> tuple[Input, ...]:
    """Return the events with cleaned names; RefusedError for a picture that does not exist."""
    drawn = (seat for event in events if isinstance(event, TableSet) for seat in event.seats)
    unknown = next((seat.monster for seat in drawn if seat.monster not in MONSTERS), None)
    if unknown is not None:
        raise RefusedError("error.unknown_monster", monster=unknown)
    return with_clean_names(events)
