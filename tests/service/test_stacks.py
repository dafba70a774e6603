"""What a phone is asked about the top of a stack: under what fell, or as the box was set up."""

from __future__ import annotations

from pathlib import Path

from companion.engine import TileShown
from companion.service import wire
from tests.browser.evening import Evening
from tests.browser.scenes import destroying, first, story


def asked(evening: Evening) -> wire.Question:
    game = evening.update().view.game
    assert game is not None
    assert game.question is not None
    return game.question


def test_where_nothing_fell_nothing_is_said_to_have_stood_there(tmp_path: Path) -> None:
    evening = story(tmp_path).roll("3 destruction 1 heal 2 attack", "heal destruction attack")
    question = asked(evening)
    assert (question.kind, question.place) == (wire.QuestionKind.REVEAL_TILE, "queens")
    assert (question.fallen, question.stack, question.stacks) == (None, 1, 3)
    assert (asked(evening.tiles("skyscraper_1")).fallen, asked(evening).stack) == (None, 2)


def test_after_a_smash_it_says_what_fell_and_which_unit_comes(tmp_path: Path) -> None:
    evening = destroying(tmp_path)
    evening.choose(first(evening, "stack"))
    assert asked(evening).fallen == wire.Fallen(tile="skyscraper_1", unit="infantry")


def test_all_tops_can_be_named_before_anything_falls(tmp_path: Path) -> None:
    evening = story(tmp_path)
    game = evening.update().view.game
    assert game is not None
    tops = {stack.id for area in game.areas for stack in area.stacks if stack.tile is None}
    assert len(tops) == 15
    assert {one.name for one in game.unseen} >= {"skyscraper_1", "hospital_3"}
    for stack in sorted(tops):
        evening.say(TileShown("skyscraper_1", stack))
    game = evening.update().view.game
    assert game is not None
    assert game.unseen == ()
    evening.roll("3 destruction 1 heal 2 attack", "heal destruction attack")
    assert asked(evening).kind is wire.QuestionKind.CHOICE
