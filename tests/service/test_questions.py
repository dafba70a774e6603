"""What a phone is asked, what each answer and Apply would do, and what was set ahead."""

from __future__ import annotations

from pathlib import Path

from companion.engine import (
    Change,
    Chosen,
    Face,
    Number,
    Seat,
)
from companion.service import wire
from companion.service.views.preview import preview_answer, with_reasons
from companion.service.wire import PreviewAnswer
from companion.table import Undone
from tests.browser.evening import Evening, named
from tests.browser.scenes import (
    destroying,
    first,
    last_chance,
    probe,
    probe_offer,
    story,
)


def asked(update: wire.Update) -> wire.Question:
    assert update.view.game is not None
    assert update.view.game.question is not None
    return update.view.game.question


def test_where_nothing_fell_nothing_is_said_to_have_stood_there(tmp_path: Path) -> None:
    evening = story(tmp_path).roll("3 destruction 1 heal 2 attack", "heal destruction attack")
    question = asked(evening.update())
    assert (question.kind, question.place) == (wire.QuestionKind.REVEAL_TILE, "queens")
    assert (question.fallen, question.stack, question.stacks) == (None, 1, 3)
    question = asked(evening.tiles("skyscraper_1").update())
    assert (question.fallen, question.stack) == (None, 2)


def test_after_a_smash_it_says_what_fell_and_which_unit_comes(tmp_path: Path) -> None:
    evening = destroying(tmp_path)
    evening.choose(first(evening, "stack"))
    assert asked(evening.update()).fallen == wire.Fallen(tile="skyscraper_1", unit="infantry")


BEN = 1


def stars(outcome: wire.DieOutcome) -> int:
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
    offered, chosen = probe_offer(tmp_path / "offer"), probe(tmp_path / "chosen")
    for scene in (offered, chosen):
        for die in asked(scene.update).odds:
            assert bool(die.ref) is (scene is offered), "a power in use needs no further one"
            lost = {face: one.loses for one in die.outcomes for face in one.faces}
            assert lost.pop(Face.HEAL) == ("psychic_probe",)
            assert set(lost.values()) == {()}
            assert sum(one.n for one in die.outcomes) == len(lost) + 1


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


def explained(evening: Evening, dice: str, order: str = "") -> PreviewAnswer:
    position = evening.table.snapshot().state.position
    assert position is not None
    faces, wanted = named(dice), named(order)
    answer = preview_answer(position, faces, wanted)
    return with_reasons(answer, position, faces, wanted, ())


def with_units(folder: Path, health: int) -> Evening:
    """Ana in Queens with Units there, which Ouch! lets hit her."""
    evening = story(folder)
    evening.roll("3 destruction 3 heal", "heal destruction")
    evening.tiles("skyscraper_1", "power_plant_2", "hospital_3")
    while evening.question.key != "roll" or evening.question.seat != 0:
        evening.skip_to_roll()
        if evening.question.seat != 0:
            evening.roll("6 celebrity")
    return evening.numbers(0, health, 9, 0)


def test_heal_before_ouch_where_none_of_it_is_lost(tmp_path: Path) -> None:
    evening = with_units(tmp_path, 9)
    found = explained(evening, "2 heal 1 ouch 3 energy")
    (reason,) = found.reasons
    assert {reason.first, reason.then} == {Face.HEAL, Face.OUCH}
    (here,), (there,) = reason.changes, reason.instead
    assert (here.seat, here.what) == (there.seat, there.what) == (Seat(0), Number.HEALTH)
    assert here.after > there.after


def test_no_reason_where_any_order_comes_to_the_same(tmp_path: Path) -> None:
    assert explained(story(tmp_path), "3 energy 3 heal").reasons == ()
    assert explained(story(tmp_path / "two"), "3 energy 3 heal", "heal energy").reasons == ()


def test_an_order_of_ones_own_beside_the_suggested_one(tmp_path: Path) -> None:
    evening = with_units(tmp_path, 9)
    suggested = explained(evening, "2 heal 1 ouch 3 energy").order
    other = " ".join(face.value for face in reversed(suggested))
    (reason,) = explained(evening, "2 heal 1 ouch 3 energy", other).reasons
    assert (reason.first, reason.then) == (None, None)
    assert isinstance(reason.changes[0], Change)
    assert reason.changes[0].after < reason.instead[0].after


Sentences = list[tuple[str, dict[str, str | int]]]


def outcomes(evening: Evening, faces: str, order: str = "") -> Sentences:
    position = evening.table.snapshot().state.position
    assert position is not None
    answer = preview_answer(position, named(faces), named(order))
    return [(words.key, words.args) for words in answer.outcomes]


def test_the_preview_says_who_falls(tmp_path: Path) -> None:
    evening = story(tmp_path)
    assert outcomes(evening, "2 attack 4 energy") == []
    evening.numbers(2, 2, 13, 4)
    assert outcomes(evening, "2 attack 4 energy") == [("outcome.falls", {"seat": 2})]
    assert outcomes(evening, "1 attack 5 energy") == []
    # Fewer dice cannot be applied, so nobody falls by them.
    assert outcomes(evening, "2 attack") == []


def test_behind_a_question_the_preview_says_who_may_fall(tmp_path: Path) -> None:
    evening = story(tmp_path)
    evening.numbers(2, 2, 13, 4)
    found = outcomes(evening, "2 attack 4 destruction", "destruction attack")
    assert found == [("outcome.may_fall", {"seat": 2})]


def test_the_preview_says_who_wins(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "tokyo", 2).seats().begin(cards=("corner_store", "wings", "heal"))
    evening.numbers(0, 9, 19, 0)
    (words,) = outcomes(evening, "3 one 3 heal")
    assert words == ("outcome.wins", {"seat": 0})  # nothing can be bought: the turn ends with it
    evening.numbers(0, 9, 19, 9)
    (words,) = outcomes(evening, "3 one 3 heal")
    assert words == ("outcome.reaches", {"seat": 0})
    assert outcomes(evening, "2 one 4 heal") == []
