"""The command `companion`: parse, call, print."""

from __future__ import annotations

import click

from companion.cli.serve import serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Monster Table: a companion for King of New York and King of Tokyo on a real table."""


main.add_command(serve)
