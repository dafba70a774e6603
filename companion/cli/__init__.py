"""The command `companion`: parse, call, print."""

from __future__ import annotations

import click

from companion.cli.history import audit_log, replay_log
from companion.cli.rules import cards, play, simulate
from companion.cli.serve import serve
from companion.cli.vision import read, watch


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Monster Table: a companion for King of New York and King of Tokyo on a real table."""


for command in (serve, read, watch, cards, simulate, play, replay_log, audit_log):
    main.add_command(command)
