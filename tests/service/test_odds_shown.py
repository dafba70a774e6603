"""What a phone sees before it has a die thrown again: the dice, and what can come of it."""

from __future__ import annotations

from pathlib import Path

from companion.engine import Chosen, DiceRolled, Face, Number, PowerUsed, Roll, Seat
from companion.service import wire
from companion.table import Undone
from tests.browser.evening import Evening
from tests.browser.scenes import first_throw, last_chance, probe, probe_offer

BEN = 1


def asked(update: wire.Update) -> wire.Question:
    assert update.view.game is not None
    assert update.view.game.question is not None
    return update.view.game.question


def stars(outcome: wire.Outcome) -> int:
    found = [one for one in outcome.changes if (one.seat, one.what) == (BEN, Number.STARS)]
    return found[0].after - found[0].before if found else 0


def test_the_offer_says_what_each_die_can_become(tmp_path: Path) -> None:
    question = asked(probe_offer(tmp_path).update)
    assert question.lying.count(Face.THREE) == 3
    assert [one.after - one.before for one in question.as_it_lies if one.what == "stars"] == [3]
    three = next(one for one in question.odds if one.face is Face.THREE)
    assert sum(one.n for one in three.outcomes) == 6
    kept = [one for one in three.outcomes if Face.THREE in one.faces]
    assert [(one.n, one.of, stars(one)) for one in kept] == [(1, 6, 3)]
    assert all(stars(one) == 0 for one in three.outcomes if one not in kept)


def test_the_offer_says_which_face_costs_the_card(tmp_path: Path) -> None:
    for scene in (probe_offer(tmp_path / "offer"), probe(tmp_path / "chosen")):
        for die in asked(scene.update).odds:
            lost = {face: one.loses for one in die.outcomes for face in one.faces}
            assert lost.pop(Face.HEAL) == ("psychic_probe",)
            assert set(lost.values()) == {()}
            assert sum(one.n for one in die.outcomes) == len(lost) + 1


def test_the_choice_of_a_die_has_odds_for_each(tmp_path: Path) -> None:
    question = asked(probe(tmp_path).update)
    assert [one.die for one in question.odds] == list(range(6))
    heal = next(one for one in question.odds if one.face is Face.HEAL)
    fourth = next(one for one in heal.outcomes if Face.THREE in one.faces)
    assert (fourth.n, stars(fourth)) == (1, 4)


def test_other_questions_have_none(tmp_path: Path) -> None:
    assert asked(first_throw(tmp_path / "roll").update).odds == ()
    evening = Evening(tmp_path / "buy", "tokyo").seats().begin(cards=("wings", "corner_store"))
    assert asked(evening.update()).odds == ()


def test_one_command_has_the_die_thrown(tmp_path: Path) -> None:
    scene = probe_offer(tmp_path)
    for die in asked(scene.update).odds:
        assert die.ref
        rev, power = scene.evening.rev, PowerUsed(Seat(0), die.ref)
        scene.evening.say(power, Chosen(Seat(0), die.option))
        assert isinstance(scene.evening.question, Roll)
        scene.evening.say(DiceRolled((Face.TWO,), final=True))
        game = scene.evening.table.snapshot().state.game
        assert game is not None
        shown = game.turn.faces
        assert [n for n, face in enumerate(shown) if face is Face.TWO] == [die.die]
        scene.evening.say(Undone(rev + 1))


def test_a_power_in_use_needs_no_further_one(tmp_path: Path) -> None:
    assert {one.ref for one in asked(probe(tmp_path).update).odds} == {""}


def test_the_way_that_puts_a_seat_out_is_marked(tmp_path: Path) -> None:
    scene = last_chance(tmp_path)
    options = asked(scene.update).options
    assert [one.out for one in options] == [False, False, True]
    for option in options:
        scene.evening.say(Chosen(Seat(0), option.key))
        game = scene.evening.table.snapshot().state.game
        assert game is not None
        assert game.monsters[0].alive is not option.out
        scene.evening.say(Undone(scene.evening.rev))
