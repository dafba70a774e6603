"""The buttons of Home Assistant: each goes the road of a phone's command, and a reading stays a
proposal.
"""

from __future__ import annotations

import secrets

from companion.mqtt.home.discovery import Press
from companion.service import requests, wire
from companion.service.app_state import AppState
from companion.service.commands import submit_command
from companion.table import HOME, Undone, undoable

HOUSE = wire.You(role=wire.Role.PLAYER)
"""A player without a seat: it cannot take back the start of a game, nor choose for the host."""


def press(app_state: AppState, button: Press) -> None:
    """Do what the button says; RefusedError where the table does not allow it."""
    match button:
        case Press.UNDO:
            _undo(app_state)
        case Press.READ_AGAIN:
            app_state.tray.read_again()


def _undo(app_state: AppState) -> None:
    """Undo the last command that counts, if there is one."""
    snapshot = app_state.table.snapshot()
    entry = undoable(snapshot)
    if entry is None:
        return
    command = requests.Command(
        command_id=f"{HOME}-{secrets.token_hex(8)}",
        base_rev=snapshot.rev,
        events=(Undone(entry.seq),),
        table=snapshot.table,
    )
    submit_command(app_state, HOUSE, command, HOME)
