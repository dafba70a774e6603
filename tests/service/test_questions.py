"""What a phone is asked, with odds and prices; what was set ahead; what came of the last act."""

from __future__ import annotations

from pathlib import Path

from companion.engine import (
    Ahead,
    Change,
    Chosen,
    DiceRolled,
    Face,
    Number,
    Position,
    PowerUsed,
    Roll,
    Seat,
    TileShown,
    Token,
)
from companion.service import wire
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.service.views.news import happenings_before
from companion.service.views.preview import preview_answer
from companion.service.views.questions import question_view
from companion.table import AheadSaid, State, Undone
from tests.browser.evening import Evening
from tests.browser.scenes import (
    destroying,
    first,
    first_throw,
    flee_asked,
    last_chance,
    probe,
    probe_offer,
    story,
)
from tests.engine.tables import TOKYO, Scene, Table, dice
from tests.service.phone import Phone, app_state_of


def question_of(evening: Evening) -> wire.Question:
    game = evening.update().view.game
    assert game is not None
    assert game.question is not None
    return game.question


def test_where_nothing_fell_nothing_is_said_to_have_stood_there(tmp_path: Path) -> None:
    evening = story(tmp_path).roll("3 destruction 1 heal 2 attack", "heal destruction attack")
    question = question_of(evening)
    assert (question.kind, question.place) == (wire.QuestionKind.REVEAL_TILE, "queens")
    assert (question.fallen, question.stack, question.stacks) == (None, 1, 3)
    assert (question_of(evening.tiles("skyscraper_1")).fallen, question_of(evening).stack) == (
        None,
        2,
    )


def test_after_a_smash_it_says_what_fell_and_which_unit_comes(tmp_path: Path) -> None:
    evening = destroying(tmp_path)
    evening.choose(first(evening, "stack"))
    assert question_of(evening).fallen == wire.Fallen(tile="skyscraper_1", unit="infantry")


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
    assert question_of(evening).kind is wire.QuestionKind.CHOICE


BEN = 1


def asked(update: wire.Update) -> wire.Question:
    assert update.view.game is not None
    assert update.view.game.question is not None
    return update.view.game.question


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


def open_question(table: Table) -> wire.Question:
    """The open question as a phone gets it."""
    question = table.question
    assert isinstance(question, Roll)
    state = State(game=table.game)
    view = question_view(Position.of(table.game), state, anyone=True)
    assert view is not None
    return view


def test_a_roll_reported_throw_by_throw_carries_its_prices_and_its_end() -> None:
    table = Scene(tokens={0: {Token.CURSE: 1}}, energy={0: 3}).begin()
    first = open_question(table)
    assert (first.main, first.counted, first.left, first.more) == (True, True, 3, True)
    assert (first.showing, first.prices) == ((), ())
    then = open_question(table.roll("OHHAAE", final=False))
    assert (then.showing, then.prices) == (dice("OHHAAE"), (1, 0, 0, 0, 0, 0))
    answer = preview_answer(Position.of(table.game), dice("HHAAE"), (), (0,))
    assert answer.changes == (Change(Seat(0), Number.ENERGY, 3, 2),)
    assert {row.key for row in answer.rows} >= {"preview.energy"}


def test_a_roll_that_a_card_asks_for_has_no_groups() -> None:
    places = ("outside", "tokyo_city", "outside")
    table = Scene(TOKYO, cards={1: ("camouflage",)}, at=places).begin()
    table.order("AH").roll("AAHHHH")
    assert (open_question(table).main, open_question(table).counted, open_question(table).seat) == (
        False,
        False,
        1,
    )
    answer = preview_answer(Position.of(table.game), dice("HE"))
    assert (answer.rows, answer.order) == ((), ())
    assert answer.changes == (Change(Seat(1), Number.HEALTH, 10, 9),)


def test_a_phone_sets_it_and_all_see_it(host: Phone, game: str) -> None:
    host.set_up(game)
    host.say({"type": "AheadSaid", "seat": 0, "ahead": {"stay_above": 4}})
    assert host.game().seats[0].ahead == Ahead(stay_above=4)
    assert host.game().seats[1].ahead is None
    row = host.view().log[-1]
    assert (row.words.key, row.words.args["keep"], row.seat) == ("did.ahead.stay", 4, 0)
    host.say({"type": "AheadSaid", "seat": 0, "ahead": None})
    assert host.view().log[-1].words.key == "did.ahead.none"
    assert host.game().seats[0].ahead is None


def test_where_each_edits_the_own_seat_only_its_player_sets_it(tmp_path: Path, game: str) -> None:
    app = create_app(Settings(tmp_path, anyone_may_edit=False))
    host, guest = Phone(app), Phone(app, "127.0.0.2")
    host.join()
    host.sit(0)
    host.set_up(game)
    guest.join(token=app_state_of(app).browsers.invitation.token)
    guest.sit(1)
    event = {"type": "AheadSaid", "ahead": {"flee_below": 4}}
    assert guest.command({**event, "seat": 0}).status_code == 403
    assert guest.command({**event, "seat": 1}).status_code == 200
    assert guest.game().seats[1].ahead == Ahead(flee_below=4)
    app_state_of(app).close()


Sentences = list[tuple[str, dict[str, str | int]]]


def news_of(evening: Evening) -> tuple[wire.NewsLine, ...]:
    game = evening.update().view.game
    assert game is not None
    return game.happened


def sentences(evening: Evening) -> Sentences:
    return [(one.words.key, one.words.args) for one in news_of(evening)]


def test_a_hit_and_what_follows_from_it_are_listed_newest_first(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    roll = [
        ("happened.hit.1", {"by": 0, "seat": 2, "count": 2}),
        ("happened.gains.energy", {"seat": 0, "count": 3}),
        ("happened.heals", {"seat": 0, "count": 1}),
    ]
    assert sentences(evening) == roll
    evening.choose("flee_bronx")
    assert sentences(evening) == [
        ("happened.enters", {"seat": 0, "place": "lower_2_4"}),
        ("happened.flees_to", {"seat": 2, "from": "midtown_2_4", "place": "bronx"}),
        *roll,
    ]
    newest, before, first, *_ = news_of(evening)
    assert newest.act == before.act > first.act


def test_what_came_before_is_found_past_rows_that_are_no_events_of_the_rules(
    tmp_path: Path,
) -> None:
    evening = flee_asked(tmp_path)
    evening.say(AheadSaid(1, Ahead(flee_below=3)), who=1).choose("flee_bronx")
    entries = evening.table.snapshot().entries
    before = [one.event for one in happenings_before(entries[-1], entries)]
    rolled = max(one.seq for one in entries if isinstance(one.event, DiceRolled))
    assert before[0] == rolled
    assert isinstance(entries[rolled].event, AheadSaid)
