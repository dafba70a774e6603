"""The road of a command to the table, the same for a phone and for a button of the house."""

from companion.service.commands.submit import check_may_roll, submit_command

__all__ = ["check_may_roll", "submit_command"]
