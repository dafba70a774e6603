"""A command sent twice counts once; those of older games are forgotten."""

from __future__ import annotations

import pytest

from companion.table.events import Redone, Undone
from companion.table.history import RefusedError
from companion.table.table import ProcessedCommands


def test_the_same_command_is_known_in_its_game_and_in_the_next() -> None:
    answered = ProcessedCommands()
    answered.note("a", 3, (Undone(2),))
    assert answered.rev_of("a", (Undone(2),)) == 3
    answered.start_game()
    assert answered.rev_of("a", (Undone(2),)) == 3
    assert answered.rev_of("b", (Undone(2),)) is None


def test_another_command_by_the_same_name_is_refused() -> None:
    answered = ProcessedCommands()
    answered.note("a", 3, (Undone(2),))
    with pytest.raises(RefusedError, match="other_command"):
        answered.rev_of("a", (Redone(2),))


def test_commands_of_games_before_the_last_are_dropped() -> None:
    answered = ProcessedCommands()
    answered.note("a", 3, (Undone(2),))
    answered.start_game()
    answered.start_game()
    assert answered.rev_of("a", (Redone(2),)) is None


def test_rows_of_a_log_are_known_by_the_revision_of_their_command() -> None:
    answered = ProcessedCommands()
    answered.start_game([("a", Undone(1)), ("a", Redone(2)), ("b", Undone(3))])
    assert answered.rev_of("a", (Undone(1), Redone(2))) == 2
    assert answered.rev_of("b", (Undone(3),)) == 3
