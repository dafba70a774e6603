"""Every screen of the phone, by name: a moment of a game, and the taps that lead there."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.engine import (
    Ahead,
    Choice,
    Corrected,
    Correction,
    DiceRolled,
    Moved,
    Number,
    PowerUsed,
    PutOff,
    Seat,
)
from companion.service import wire, wire_pages
from companion.service.views.logbook import conflict_of
from companion.table import (
    AheadSaid,
    AnsweredEarly,
    GameStarted,
    RefusedError,
    SeatSetup,
    TableSet,
    way_to,
)
from companion.virtual import random_event
from companion.vision.readings import CameraState, Drift, TrayState
from tests.browser.archive import many_games
from tests.browser.evening import LOST, LYING, NO_CAMERA, PEOPLE, ROLLING, Evening, named

BOROUGHS = ("queens", "bronx", "staten_island", "brooklyn")
WARES = ("flatiron_building", "trophy_hunter", "shadow_double")
TOKYO_WARES = ("corner_store", "wings", "energize")
EARLIER = ".screen-new-game .act.games"
DEMO = wire.Tray(camera=CameraState.OK, state=TrayState.READ, demo=True)
TOPS = ("skyscraper_1", "power_plant_2", "hospital_3")


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen: `update` is what the phone gets, `taps` are selectors tapped one after the other.

    `statistics`: those of all games, none if the scene has none; `silent`: the table does not
    answer; `stranger`: the phone has not joined; `typed`: letters.
    """

    evening: Evening
    update: wire.Update
    taps: tuple[str, ...] = ()
    typed: str = ""
    statistics: wire_pages.StatisticsView | None = None
    silent: bool = False
    stranger: bool = False
    conflict: wire_pages.Conflict | None = None
    """What every command is refused with: another phone has set the same number."""


Maker = Callable[[Path], Scene]


def with_view(scene: Scene, **changed: Any) -> Scene:
    """Return the scene with these parts of its view changed."""
    update = replace(scene.update, view=replace(scene.update.view, **changed))
    return dataclasses.replace(scene, update=update)


def of(make: Callable[[Path], Evening], *taps: str, typed: str = "", **update: Any) -> Maker:
    """Make a scene of that evening: what a phone with this update shows after these taps.

    A part of the update that needs the evening is a function of it.
    """

    def scene(folder: Path) -> Scene:
        evening = make(folder)
        now = {name: one(evening) if callable(one) else one for name, one in update.items()}
        return Scene(evening, evening.update(**now), taps, typed)

    return scene


def then(make: Maker, *taps: str) -> Maker:
    """Make the scene with more taps at the end."""
    return lambda folder: replace_taps(make(folder), *taps)


def keys(*places: int) -> tuple[str, ...]:
    """Return the taps on the keys of faces at these places."""
    return tuple(f".key >> nth={place}" for place in places)


def seated(folder: Path) -> Evening:
    return Evening(folder).seats()


def story(folder: Path) -> Evening:
    """Ana's turn, Þórdís alone in Manhattan."""
    evening = Evening(folder).seats().begin(BOROUGHS, WARES)
    evening.roll("3 celebrity 3 heal").skip_to_roll()
    evening.roll("6 attack").skip_to_roll()
    while evening.table.snapshot().state.game is not None and _active(evening) != 0:
        evening.roll("2 heal 4 celebrity").skip_to_roll()
    evening.say(Corrected(places=(Moved(Seat(0), "queens"), Moved(Seat(2), "midtown_2_4"))))
    evening.numbers(0, 7, 9, 6)
    evening.numbers(1, 8, 7, 3)
    evening.numbers(2, 5, 13, 4)
    evening.numbers(3, 3, 11, 2)
    return evening


def _active(evening: Evening) -> int:
    game = evening.table.snapshot().state.game
    assert game is not None
    return game.turn.active


def tokyo(folder: Path) -> Evening:
    """Six play, Bay open, both places taken; Ana outside."""
    evening = Evening(folder, "tokyo", 6).seats().begin(cards=TOKYO_WARES)
    evening.roll("6 heal").skip_to_roll()
    evening.roll("1 attack 5 heal").skip_to_roll()
    for _ in range(3):
        evening.roll("6 heal").skip_to_roll()
    evening.roll("1 attack 5 heal")
    evening.skip_to_roll()
    evening.numbers(0, 5, 10, 4)
    return evening


def first(evening: Evening, kind: str) -> str:
    """The first answer of that kind that may be given."""
    assert isinstance(evening.question, Choice)
    return next(o.key for o in evening.question.open() if o.key.startswith(kind))


def lobby_edition(folder: Path) -> Scene:
    """The later edition, and a house rule switched on."""
    people = tuple(SeatSetup(*one) for one in PEOPLE[:4])
    evening = Evening(folder, "tokyo").say(TableSet("tokyo", "2016", people, ("no_bay",)))
    return Scene(evening, evening.update())


def lobby_empty(folder: Path) -> Scene:
    evening = Evening(folder).say(TableSet("new-york", "first", (SeatSetup(*PEOPLE[0]),)))
    return Scene(evening, evening.update(seat=None, role=wire.Role.HOST))


QR_UNDER_MORE = (".tab >> nth=3", ".screen-more .act:has(svg) >> nth=0")
OTHER_CODE = ".screen-qr .body > .act >> nth=0"


def join_wifi(folder: Path) -> Scene:
    """The code of the table's Wi-Fi, which the host shows to itself alone."""
    return replace_taps(with_wifi(join_qr(folder), wire.WifiShown.HOST), OTHER_CODE)


def join_wifi_guest(folder: Path) -> Scene:
    """The same code at one of several tables, as a guest gets it."""
    shown = with_wifi(join_qr_guest(folder), wire.WifiShown.ALL, "At the window")
    return replace_taps(shown, OTHER_CODE)


def with_wifi(scene: Scene, shown: wire.WifiShown, table: str = "") -> Scene:
    view = scene.update.view
    assert view.join is not None
    join = replace(view.join, wifi=shown, table=table)
    return with_view(scene, join=join)


def stranger(folder: Path) -> Scene:
    evening = Evening(folder)
    return Scene(evening, evening.update(), stranger=True)


def stranger_at_window(folder: Path) -> Scene:
    """One of several tables on its machine, with a title as long as it may be."""
    scene = stranger(folder)
    join = scene.update.view.join
    assert join is not None
    return with_view(scene, join=replace(join, table="The long one beside the high windows"))


def late(*taps: str, **you: int) -> Maker:
    """A phone without a seat: Ana's is in play, Ben's just silent, Þórdís's lost, Théo has none."""
    return of(story, *taps, seat=None, role=wire.Role.SPECTATOR, people=phones_of_the_late, you=you)


def phones_of_the_late(evening: Evening) -> wire.People:
    people = evening.people(None)
    states = (wire.Phone.LIVE, wire.Phone.SILENT, wire.Phone.LOST)
    persons = [
        replace(one, phone=phone, silent_min=4 if phone is wire.Phone.LOST else 0)
        for one, phone in zip(people.persons, states, strict=False)
    ]
    return replace(people, persons=(*persons, people.persons[-1]))


def claimed(seat: int) -> Maker:
    """A phone without a seat asks for this one."""

    def claiming(evening: Evening) -> wire.People:
        guests = evening.people(None)
        return replace(guests, claims=(wire.Claim(by=guests.persons[-1].id, seat=seat),))

    return of(story, tray=ROLLING, people=claiming)


def host_lost(folder: Path) -> Scene:
    evening = flee_asked(folder)
    people = evening.people(1)
    host = replace(people.persons[0], phone=wire.Phone.LOST, silent_min=2)
    people = replace(people, persons=(host, *people.persons[1:]), host_lost=True)
    return Scene(evening, evening.update(seat=1, people=people))


def leaning(evening: Evening) -> wire.Tray:
    """A proposal whose third die from the left leans."""
    tray = evening.proposal(1)
    assert tray.proposal is not None
    third = sorted(tray.proposal.dice, key=lambda die: die.box[0])[2]
    dice = tuple(replace(die, flat=die is not third) for die in tray.proposal.dice)
    return replace(tray, proposal=replace(tray.proposal, dice=dice, problems=("die_not_flat",)))


def flee_asked(folder: Path) -> Evening:
    evening = story(folder)
    return evening.roll("1 heal 3 energy 2 attack", "heal energy attack")


REPORT = (".tab >> nth=3", ".camera-act", ".screen-boxes .body button.act")
"""From the proposal to its report."""
FUSE = wire.Fuse(id="tray-1", kind=wire.FuseKind.APPLY, seat=0, seconds=3.0, left_s=2.9)


def unrest(evening: Evening, state: TrayState) -> wire.Tray:
    """Return a tray with dice that were read; what lies in it now is unknown."""
    dark = wire.Words(key="tray.problem.too_dark") if state is TrayState.PROBLEM else None
    return replace(evening.proposal(1), state=state, problem=dark)


def cursed(folder: Path) -> Evening:
    """Ben has bought Curse and struck Ana, who is to roll: Ouch! costs energy to throw again."""
    evening = Evening(folder).seats().begin(BOROUGHS, ("curse", *WARES[1:]))
    evening.roll("3 celebrity 3 heal").skip_to_roll()
    evening.numbers(1, 10, 0, 9).roll("6 heal").buy("curse").skip_to_roll()
    while _active(evening) != 1:
        evening.roll("2 heal 4 celebrity").skip_to_roll()
    evening.say(Corrected(places=(Moved(Seat(0), "lower_2_4"),)))
    evening.roll("2 attack 4 heal", "heal attack").skip_to_roll()
    while _active(evening) != 0:
        evening.roll("2 heal 4 celebrity").skip_to_roll()
    evening.say(Corrected(places=(Moved(Seat(0), "queens"),)))
    return evening.numbers(0, 7, 9, 3)


def first_throw_reported(folder: Path) -> Evening:
    """The first throw of that roll is reported."""
    evening = cursed(folder)
    return evening.say(DiceRolled(named("2 ouch heal 2 attack destruction")))


def must_roll(folder: Path) -> Scene:
    """Ben's Jinx Aura: Ana must use every reroll."""
    evening = Evening(folder, players=2).seats().begin(BOROUGHS[:2], ("jinx_aura", *WARES[1:]))
    evening.roll("3 celebrity 3 heal").skip_to_roll()
    evening.numbers(1, 10, 0, 9).roll("6 heal").buy("jinx_aura").skip_to_roll()
    evening.say(DiceRolled(named("2 ouch heal 2 attack destruction")))
    return Scene(evening, evening.update(), taps=(".again-die >> nth=5", ".key >> nth=1"))


def no_roll_left(folder: Path) -> Scene:
    """Ana has Telepath, and its energy could buy another roll."""
    evening = Evening(folder, "tokyo").seats().begin(cards=("telepath", *TOKYO_WARES[1:]))
    evening.numbers(0, 8, 3, 9).roll("6 heal").buy("telepath").skip_to_roll()
    while _active(evening) != 0:
        evening.roll("2 one 2 two 2 three").skip_to_roll()
    evening.say(DiceRolled(named("3 one 2 heal attack")))
    for _ in range(2):
        evening.say(DiceRolled(named("3 one 3 heal"), (5,)))
    return Scene(evening, evening.update())


def camouflaged(folder: Path) -> Evening:
    """Ben has Camouflage and stands in Tokyo; Ana is to roll."""
    evening = Evening(folder, "tokyo").seats().begin(cards=("camouflage", *TOKYO_WARES[1:]))
    evening.roll("2 one 2 two 2 three").skip_to_roll()
    evening.numbers(1, 8, 3, 9).roll("1 attack 5 heal", "heal attack").buy(
        "camouflage"
    ).skip_to_roll()
    while _active(evening) != 0:
        evening.roll("2 one 2 two 2 three").skip_to_roll()
    return evening


def probing(folder: Path) -> Evening:
    """Ana has Psychic Probe; Ben has rolled three of a number."""
    evening = Evening(folder, "tokyo").seats().begin(cards=("psychic_probe", *TOKYO_WARES[1:]))
    evening.numbers(0, 5, 3, 9).roll("6 heal").buy("psychic_probe").skip_to_roll()
    return evening.roll("3 three 1 attack 1 energy 1 heal")


def probe(folder: Path) -> Scene:
    evening = probing(folder)
    game = evening.update().view.game
    assert game is not None
    evening.say(PowerUsed(Seat(0), game.offers[0].ref))
    return Scene(evening, evening.update())


def last_chance(folder: Path) -> Scene:
    """Ben's attack would put Ana out; Rapid Healing could keep her in."""
    wares = ("rapid_healing", *TOKYO_WARES[1:])
    evening = Evening(folder, "tokyo").seats().begin(cards=wares)
    evening.numbers(0, 5, 3, 9).roll("1 attack 5 heal", "heal attack").buy("rapid_healing")
    evening.skip_to_roll().numbers(0, 2, 3, 5).roll("2 attack 4 heal", "heal attack")
    return Scene(evening, evening.update())


def which_first(folder: Path) -> Scene:
    """Ben, struck, has two cards that could save him."""
    wares = ("camouflage", "wings", *TOKYO_WARES[2:])
    evening = Evening(folder, "tokyo").seats().begin(cards=wares)
    evening.roll("2 one 2 two 2 three").skip_to_roll()
    evening.numbers(1, 8, 3, 15).roll("1 attack 5 heal", "heal attack")
    evening.buy("camouflage").say(PutOff(), who=1).buy("wings").skip_to_roll()
    while _active(evening) != 0:
        evening.roll("2 one 2 two 2 three").skip_to_roll()
    evening.roll("2 attack 4 heal", "heal attack")
    return Scene(evening, evening.update(seat=1))


def smashing(folder: Path) -> Evening:
    """The tops of the stacks are unknown."""
    return story(folder).roll("3 destruction 1 heal 2 attack", "heal destruction attack")


def destroying(folder: Path) -> Evening:
    return smashing(folder).tiles(*TOPS)


def revealed_tile(folder: Path) -> Scene:
    evening = destroying(folder)
    evening.choose(first(evening, "stack"))
    return Scene(evening, evening.update())


def buying(folder: Path) -> Evening:
    evening = story(folder)
    evening.numbers(0, 8, 11, 8)
    evening.roll("2 celebrity 1 heal 3 ouch", "celebrity heal ouch")
    return evening


def new_card(folder: Path) -> Scene:
    evening = buying(folder).choose("stay")
    evening.choose(first(evening, "buy"))
    return Scene(evening, evening.update(), taps=("input",), typed="po")


ANSWER_FOR = (".tab >> nth=1", ".player-row >> nth=2", ".answer-for")
"""The taps with which Ben answers for Þórdís, whose own phone is there."""


def fallen(folder: Path) -> Evening:
    """Ana's roll has put Þórdís out, who had stars and two cards' worth of energy."""
    evening = story(folder).numbers(2, 2, 13, 4)
    return evening.roll("1 heal 3 energy 2 attack", "heal energy attack")


def fled(folder: Path) -> Evening:
    """Þórdís has fled, and Ana had to move in."""
    return flee_asked(folder).choose("flee_bronx")


def city_and_bay(folder: Path) -> Evening:
    """City and Bay are hit at once."""
    return tokyo(folder).roll("1 attack 5 heal", "heal attack")


def bay_answered(folder: Path) -> Evening:
    """The Bay has answered; the City has not."""
    return city_and_bay(folder).say(AnsweredEarly(5, "flee_outside"), who=5)


def hit_ahead(folder: Path) -> Evening:
    evening = story(folder)
    ahead = Ahead(flee_below=3, stay_above=6, to=("bronx",))
    return evening.say(AheadSaid(2, ahead), who=2)


def ahead_tokyo(folder: Path) -> Scene:
    evening = tokyo(folder)
    game = evening.table.snapshot().state.game
    assert game is not None
    there = next(monster.seat for monster in game.monsters if monster.place == "tokyo_city")
    return Scene(evening, evening.update(seat=there), taps=(".ahead-act",))


def several_turns(folder: Path) -> Evening:
    """Three rounds, the last turn of which was left once and played again."""
    evening = story(folder)
    for faces in ROUNDS:
        evening.roll(faces).skip_to_roll()
    row = evening.rev
    evening.roll("2 attack 3 celebrity 1 heal").skip_to_roll()
    evening.say(*way_to(evening.table.snapshot(), row), who=3)
    evening.roll("1 attack 2 celebrity 3 energy").skip_to_roll()
    return evening


ROUNDS = ("3 celebrity 3 heal", "2 energy 4 heal", "1 attack 5 energy") * 3


TIME = (".tab >> nth=2", ".screen-log .dock .two .act >> nth=0", ".time-table")
FORGOTTEN = (".tab >> nth=2", ".screen-log .dock .two .act >> nth=1", ".forgotten-ribbon")


def forgetful(folder: Path) -> Evening:
    """Ben did not take his energy, Ana kept her hearts, Þórdís has stars of no rule."""
    evening = Evening(folder).seats().begin(BOROUGHS, WARES)
    evening.roll("6 heal").skip_to_roll()
    for faces in ("6 heal", "6 heal", "1 attack 5 heal", "2 energy 4 heal"):
        evening.roll(faces).skip_to_roll()
    evening.roll("3 attack 3 energy").skip_to_roll()
    evening.set(1, Number.ENERGY, 0).set(0, Number.HEALTH, 9).set(2, Number.STARS, 5)
    return evening


def tokyo_plain(folder: Path) -> Evening:
    """Some turns without a number set by hand."""
    evening = Evening(folder, "tokyo", 6).seats().begin(cards=TOKYO_WARES)
    for faces in ("6 heal", "1 attack 5 heal", "3 energy 3 heal") * 3:
        evening.roll(faces).skip_to_roll()
    return evening


def conflict(folder: Path) -> Scene:
    """Ben has taken the hit off Ana's health that Ana takes off too, and some cubes of his own."""
    evening = story(folder)
    rev, health = evening.rev, _set(0, Number.HEALTH, 6)
    evening.say(health, who=1).say(_set(1, Number.ENERGY, 5), who=1)
    found = conflict_of((health,), rev, evening.table.snapshot())
    taps = (".number-tile >> nth=0", ".number-keys .act >> nth=0")
    return Scene(evening, evening.update(tray=ROLLING), taps=taps, conflict=found)


def conflict_drastic(folder: Path) -> Scene:
    """Both hits together would end Ana."""
    evening = story(folder).numbers(0, 2, 9, 6)
    rev, health = evening.rev, _set(0, Number.HEALTH, 1)
    evening.say(health, who=1)
    found = conflict_of((health,), rev, evening.table.snapshot())
    taps = (".number-tile >> nth=0", ".number-keys .act >> nth=1", ".conflict-key >> nth=1")
    return Scene(evening, evening.update(tray=ROLLING), taps=taps, conflict=found)


def _set(seat: int, what: Number, value: int) -> Corrected:
    return Corrected(numbers=(Correction(Seat(seat), what, value),))


def no_line(folder: Path) -> Scene:
    evening = story(folder)
    return Scene(evening, evening.update(tray=ROLLING), silent=True)


STORY_IS_HERE = ".story-turned p"
"""A part of the story, which is worked out while the page waits."""


def played(folder: Path, game: str, players: int, seed: int) -> Evening:
    """A whole game at random, with few corrections of chance: nobody sweeps for nothing."""
    evening, chance = Evening(folder, game, players).seats(), random.Random(seed)
    evening.say(GameStarted(0))
    while True:
        position = evening.table.snapshot().state.position
        assert position is not None
        if position.question is None:
            return evening
        event = random_event(position, chance, 0.1)
        try:
            evening.say(event, who=position.question.seat)
        except RefusedError:
            evening.say(position.legal_events()[0], who=position.question.seat)


ODDS_ON = (".tab >> nth=3", ".odds-switch", ".tab >> nth=0", ".odds-open")
"""The taps that switch odds on, and open them."""


def odds(folder: Path) -> Scene:
    """The odds of a roll that was entered, one throw before the last."""
    evening = tokyo(folder)
    for rethrown in ((), (5,)):
        evening.say(DiceRolled(named("2 three attack one heal energy"), rethrown))
    return Scene(evening, evening.update(), taps=(*ODDS_ON, ".odds-keeps"))


def won_by_ana(evening: Evening) -> Evening:
    """End the game in Ana's turn, by stars."""
    evening.numbers(0, 4, 20, 3)
    evening.roll("6 heal")
    while isinstance(question := evening.table.snapshot().state.question, Choice):
        evening.choose(question.open()[-1].key)  # the last one buys nothing
    return evening


def games(folder: Path) -> Scene:
    """A game that was won, one that was left, and the table set for a third."""
    evening = game_over(folder).evening.seats().begin(BOROUGHS, WARES)
    evening.roll("3 celebrity 3 heal").skip_to_roll().seats()
    return Scene(evening, evening.update(), taps=(EARLIER,))


STATISTICS = (".tab >> nth=3", ".act.statistics")


def statistics(folder: Path) -> Scene:
    evening = story(folder)
    return Scene(evening, evening.update(), taps=STATISTICS, statistics=many_games())


def statistics_few_dice(folder: Path) -> Scene:
    few = dataclasses.replace(statistics(folder), statistics=many_games(dice=2))
    return replace_taps(few, ".segment button >> nth=2")


def known_names(folder: Path) -> Scene:
    """Three of four people have a seat; the fourth has played here before."""
    evening = game_over(folder).evening
    people = tuple(SeatSetup(*one) for one in PEOPLE[:3])
    evening.say(TableSet("new-york", "first", (*people, SeatSetup("Player 4", "kelp_auntie"))))
    return Scene(evening, evening.update(), taps=(".seat-row >> nth=3",))


def replace_taps(scene: Scene, *more: str) -> Scene:
    """Return the scene with more taps at the end."""
    return dataclasses.replace(scene, taps=(*scene.taps, *more))


def share(folder: Path) -> Scene:
    """Two of the four have no phone."""
    scene = more(folder)
    game = scene.update.view.game
    assert game is not None
    seats = tuple(replace(one, phones=int(one.seat < 2)) for one in game.seats)
    return replace_taps(with_view(scene, game=replace(game, seats=seats)), ".share-act")


join_qr = of(seated, "fieldset .two .act >> nth=3")
# More than one address, as a guest sees them.
join_qr_guest = of(story, *QR_UNDER_MORE, role=wire.Role.PLAYER)
watching = of(story, ".dock .act", seat=None, role=wire.Role.SPECTATOR)
my_turn = of(story, tray=ROLLING)
by_hand_empty = of(story)
# The first throw is reported, and two of its dice are to be thrown again.
again = of(first_throw_reported, ".again-die >> nth=0", ".again-die >> nth=1")
people = of(seated, ".add-seat ~ :last-child", people=lambda evening: evening.people(None))
probe_offer = of(probing)
destruction = of(destroying)
# Þórdís, who is asked, looks at the table.
looking = of(flee_asked, ".dock .act", seat=2)
clause = of(flee_asked, ".clause", seat=2)
ahead = of(hit_ahead, ".ahead-act", seat=2)
table = of(flee_asked, ".tab >> nth=1")
player = of(flee_asked, ".tab >> nth=1", ".player-row >> nth=1")
log = of(flee_asked, ".tab >> nth=2")
forgot = of(forgetful, *FORGOTTEN, seat=2)
number = of(story, ".number-tile >> nth=1", tray=ROLLING)
hands = of(flee_asked, ".hands-strip", ".hand-row >> nth=0")
camera_lost = of(story, tray=LOST)
more = of(story, ".tab >> nth=3")
statistics_dice = then(statistics, ".segment button >> nth=2")
record = then(statistics, ".record-row:has-text('Þórdís')")
boroughs = of(lambda folder: seated(folder).begin(BOROUGHS[:3]))
proposal = of(story, tray=lambda evening: evening.proposal(0, doubt=3))
# Þórdís has fled, and Ana had to move in.
happened = of(fled, seat=1)
order = of(story, ".square", tray=lambda evening: evening.proposal(1))
buy = of(lambda folder: buying(folder).choose("stay"))
game_over = of(lambda folder: won_by_ana(story(folder)), STORY_IS_HERE)
# A whole game, whose survivor wins.
last_standing = of(lambda folder: played(folder, "tokyo", 6, seed=1), STORY_IS_HERE)
whole_story = then(last_standing, ".story-acts .act >> nth=0", ".story-part >> nth=0")
export = then(game_over, ".body > .act")
past = then(games, ".game-row >> nth=0")
SCENES: dict[str, Maker] = {
    "01-new-game": of(seated),
    "01a-first-page": lobby_empty,
    "01b-who-starts": of(seated, ".primary", ".starter >> nth=0"),
    "01c-boroughs": boroughs,
    "01d-seat": of(seated, ".seat-row >> nth=2"),
    "01e-waiting-for-host": of(seated, seat=1),
    "01f-edition": lobby_edition,
    # A camera was plugged in before the game.
    "01h-camera-found": of(seated, tray=replace(NO_CAMERA, found="Logitech HD Pro Webcam C920")),
    "02-join-qr": join_qr,
    "02a-join-qr-guest": join_qr_guest,
    "02j-join-wifi": join_wifi,
    "02k-join-wifi-guest": join_wifi_guest,
    "02b-stranger": stranger,
    "02l-stranger-window": stranger_at_window,
    "01i-new-game-camera": of(seated, tray=LYING),
    "02c-join": of(seated, seat=None, role=wire.Role.SPECTATOR),
    "02m-all-taken": of(
        lambda folder: Evening(folder, players=6).seats(), seat=None, role=wire.Role.SPECTATOR
    ),
    "02d-seats-late": late(),
    "02e-take-silent": late(".seat-row >> nth=2"),
    "02f-take-live": late(".seat-row >> nth=0"),
    "02g-asking": late(asks=0),
    "02h-asking-silent": late(asks=1),
    "02i-seat-lost": late(before=0),
    "03-my-turn": my_turn,
    "03b-not-my-turn": of(flee_asked, seat=1),
    "03c-watching": watching,
    # The camera has noticed another box on the table.
    "03d-drift": of(story, tray=replace(ROLLING, state=TrayState.EMPTY, drift=Drift.BOX)),
    "03f-new-dice": of(story, tray=replace(LYING, state=TrayState.UNSURE, known=4)),
    "03c-happened": happened,
    # Demo dice are to be thrown; those of the roll before are taken up.
    "03e-demo-throw": of(story, tray=replace(DEMO, state=TrayState.EMPTY)),
    "04-proposal": proposal,
    "04b-proposal-tokyo": of(tokyo, tray=lambda evening: evening.proposal(0)),
    "04c-proposal-sure": of(story, tray=lambda evening: evening.proposal(1)),
    "04d-proposal-extra": of(story, tray=lambda evening: evening.proposal(0, extra=2)),
    # The dice on the screen would end Þórdís.
    "04e-proposal-lethal": of(
        lambda folder: story(folder).numbers(2, 2, 13, 4), tray=lambda evening: evening.proposal(1)
    ),
    # Everything in the report of the roll that is proposed.
    "04f-misread": then(proposal, *REPORT, ".misread-frame >> nth=1"),
    "04k-rolling": of(story, tray=lambda evening: unrest(evening, TrayState.ROLLING)),
    "04l-dark": of(story, tray=lambda evening: unrest(evening, TrayState.PROBLEM)),
    "04m-leaning": of(story, tray=leaning),
    "04n-half-known": of(story, tray=lambda evening: replace(evening.proposal(1), known=5)),
    # The dice are sure: they apply themselves in a moment.
    "04g-fuse": of(story, tray=lambda evening: replace(evening.proposal(1), fuse=FUSE)),
    "04h-fuse-of-another": of(
        story, seat=2, tray=lambda evening: replace(evening.proposal(1), fuse=FUSE)
    ),
    # The tray was cleared while only buying is asked.
    "04i-fuse-of-clearing": of(
        lambda folder: buying(folder).choose("stay"),
        tray=wire.Tray(
            camera=CameraState.OK,
            state=TrayState.EMPTY,
            fuse=replace(FUSE, kind=wire.FuseKind.END),
        ),
    ),
    # Six groups of demo dice, of which two are kept.
    "04j-demo-keep": of(
        tokyo,
        ".again-die >> nth=0",
        ".again-die >> nth=4",
        tray=lambda evening: replace(evening.proposal(0), demo=True),
    ),
    "05-fix-die": of(story, ".marker.unsure", tray=lambda evening: evening.proposal(0, doubt=3)),
    "06-by-hand": of(story, *keys(1, 1, 3, 3, 3, 2)),
    "06a-by-hand-empty": by_hand_empty,
    "06b-by-hand-tokyo": of(tokyo, *keys(4, 4, 4, 1)),
    "06c-first-throw": of(cursed, *keys(5, 5, 2, 1, 1, 3)),
    "06d-roll-again": lambda folder: with_view(again(folder), tray=ROLLING),
    "06e-roll-again-by-hand": then(again, *keys(3)),
    "06f-roll-again-read": of(first_throw_reported, tray=lambda evening: evening.proposal(0)),
    "06g-must-roll": must_roll,
    "06h-no-roll-left": no_roll_left,
    # Ana strikes: Ben rolls, on his own phone.
    "06i-dice-against-damage": of(
        lambda folder: camouflaged(folder).roll("2 attack 4 heal", "heal attack"),
        *keys(2, 0),
        seat=1,
    ),
    "06j-which-first": which_first,
    "06l-probe-offer": probe_offer,
    # What a reroll of the chosen die can bring.
    "06la-probe-chosen": then(probe_offer, ".offer-die >> nth=0"),
    "06m-probe": probe,
    # The dice typed would end Þórdís, and Ana would have the stars to win.
    "06k-by-hand-lethal": of(
        lambda folder: story(folder).numbers(2, 2, 13, 4).numbers(0, 9, 19, 6),
        *keys(1, 1, 0, 0, 2, 2),
    ),
    "06n-demo-again": lambda folder: with_view(again(folder), tray=DEMO),
    "07-order": order,
    "07b-destruction": destruction,
    "07c-reveal": revealed_tile,
    "07d-unknown-top": of(smashing),
    "08-buy-with-move": of(buying),
    "08a-buy": buy,
    # The demo dice of the roll lie in the tray.
    "08c-demo-buy": lambda folder: with_view(buy(folder), tray=DEMO),
    "08b-new-card": new_card,
    "09-stay-or-flee": of(flee_asked, seat=2),
    "09b-yield-tokyo": of(city_and_bay, seat=lambda evening: evening.question.seat),
    # The Bay is asked while the City has not answered yet.
    "09j-yield-bay": of(city_and_bay, seat=5),
    "09k-yield-known": of(bay_answered, seat=1),
    # The Bay, which has answered, waits for the City.
    "09l-yield-answered": of(bay_answered, seat=5),
    "09m-last-chance": last_chance,
    "09c-answer-for": of(flee_asked, *ANSWER_FOR, seat=1),
    "09d-clause": clause,
    "09h-in-place": of(flee_asked, *ANSWER_FOR, ".sheet .two .act >> nth=1", seat=1),
    "09i-looking": looking,
    "09e-ahead-set": of(hit_ahead, seat=2),
    "09f-ahead": ahead,
    "09g-ahead-tokyo": ahead_tokyo,
    "10-table": table,
    "10b-table-tokyo": of(tokyo, ".tab >> nth=1"),
    "10c-player": player,
    "10d-happened": of(fled, ".tab >> nth=1", seat=1),
    "11-log": log,
    "23-conflict": conflict,
    "23b-conflict-drastic": conflict_drastic,
    "24-time-machine": of(several_turns, *TIME, *(".time-keys .act >> nth=0",) * 4),
    "24a-time-now": of(several_turns, *TIME),
    "24b-branch": of(several_turns, *TIME, ".dock-row .act >> nth=0", ".time-branch", seat=1),
    "24c-time-tokyo": of(tokyo, *TIME, ".time-keys .act >> nth=1"),
    "25-forgot": forgot,
    "25a-nothing-forgotten": of(tokyo_plain, *FORGOTTEN),
    "25b-forgot-watching": of(forgetful, *FORGOTTEN, seat=None, role=wire.Role.SPECTATOR),
    "12-number": number,
    "12b-number-whole": then(number, ".number-end .act[aria-pressed]"),
    "12c-number-drastic": of(
        story, ".number-tile >> nth=0", ".number-typed", typed="0\n", tray=ROLLING
    ),
    "13-hands": hands,
    "14-no-line": no_line,
    "14b-camera-lost": camera_lost,
    "14c-last-dice": of(story, tray=LYING),
    "15-game-over": game_over,
    # A guest who has lost, in the last place.
    "15d-last-place": of(lambda folder: won_by_ana(story(folder)), STORY_IS_HERE, seat=3),
    "31-out": of(fallen, seat=2),
    "31a-backing": of(fallen, ".backing .act >> nth=0", ".primary", seat=2),
    "15a-story": whole_story,
    "15c-picture": then(last_standing, ".story-acts .act >> nth=1", ".story-picture"),
    "26-odds": odds,
    # What the coach says of the same roll.
    "26a-odds-coach": then(odds, ".odds-ask", ".odds-coach"),
    # What the coach says of the cards for sale.
    "26b-coach": then(buy, *ODDS_ON, ".odds-ask", ".odds-coach"),
    "31b-last-one": last_standing,
    "16-more": more,
    "16b-new-game-asked": of(story, ".tab >> nth=3", ".act.new-game"),
    "16c-games": games,
    "16d-past": past,
    "16e-past-won": then(games, ".game-row >> nth=1"),
    "16f-on-a-tv": of(story, ".tab >> nth=3", ".act.tv"),
    # What all see and the host changes.
    "16g-the-table": of(
        story,
        ".tab >> nth=3",
        ".table-act",
        tray=replace(ROLLING, phone_free=wire.PhoneFree(fuse=True)),
    ),
    "16j-share": share,
    "17-claim": claimed(0),
    "17b-claim-for-host": claimed(2),
    "17c-host-lost": host_lost,
    "17d-take-over": then(host_lost, ".notice .act"),
    "17e-undo-start": of(
        lambda folder: seated(folder).begin(), ".tab >> nth=2", ".log-dock .wide-act"
    ),
    "01g-known-names": known_names,
    "30-statistics": statistics,
    "30a-statistics-monsters": then(statistics, ".segment button >> nth=1"),
    "30b-dice-fair": statistics_dice,
    "30d-few-dice": statistics_few_dice,
    "30e-record": record,
    "30f-same-person": then(record, ".body > .act"),
    "30g-export": export,
    "30h-export-running": then(past, ".body > .act"),
    "30i-no-statistics": of(story, *STATISTICS),
    "18-people": people,
    "18b-person": then(people, ".person >> nth=0"),
}
