"""What a television shows, by name: moments of evenings, as the service sends them to viewers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from companion.engine import Corrected, Face, Moved, Seat
from companion.service import wire
from companion.table import SeatSetup, TableSet
from companion.vision.readings import CameraState
from tests.browser.evening import LOST, PEOPLE, ROLLING, Evening
from tests.browser.scenes import (
    BOROUGHS,
    FUSE,
    TOKYO_WARES,
    WARES,
    Scene,
    city_and_bay,
    destroying,
    fallen,
    fled,
    flee_asked,
    game_over,
    of,
    story,
    tokyo,
    with_view,
    with_wifi,
)

tokyo_six = of(tokyo, tray=ROLLING)


def lobby(folder: Path) -> Scene:
    """Four seats, one of them without a phone."""
    evening = Evening(folder).seats()
    scene = Scene(evening, evening.update(tray=ROLLING))
    lobby = scene.update.view.lobby
    assert lobby is not None
    seats = (*lobby.seats[:3], replace(lobby.seats[3], phones=0, taken=False))
    return with_view(scene, lobby=replace(lobby, seats=seats))


def lobby_six(folder: Path) -> Scene:
    """Six of the longest names that fit a seat, the camera lost."""
    names = ("Wilhelmina-Alexandra", "Þórdís Aðalsteinsdóttir", *(who for who, _ in PEOPLE[2:]))
    seats = tuple(
        SeatSetup(name, monster) for name, (_, monster) in zip(names, PEOPLE, strict=True)
    )
    evening = Evening(folder, "tokyo", 6).say(TableSet("tokyo", "2016", seats, ("no_bay",)))
    return Scene(evening, evening.update(tray=LOST))


def lobby_wifi(folder: Path) -> Scene:
    """The six of above, and the Wi-Fi's code beside the table's."""
    return with_wifi(lobby_six(folder), wire.WifiShown.ALL)


def closed(folder: Path) -> Scene:
    """Nobody new is let in, and nobody is here yet."""
    evening = Evening(folder).say(TableSet("new-york", "first", (SeatSetup(*PEOPLE[0]),)))
    scene = Scene(evening, evening.update(seat=None, role=wire.Role.HOST))
    join = scene.update.view.join
    assert join is not None
    return with_view(scene, join=replace(join, open=False), people=wire.People())


def new_york_two(folder: Path) -> Scene:
    """Two players, all numbers of two digits."""
    evening = Evening(folder, players=2).seats().begin(BOROUGHS[:2], WARES)
    evening.numbers(0, 10, 19, 12).numbers(1, 10, 18, 24)
    return Scene(evening, evening.update(tray=ROLLING))


def new_york_wide(folder: Path) -> Scene:
    """Four players, all numbers of two digits, and names that hardly fit."""
    seats = tuple(
        SeatSetup(name, monster)
        for name, (_, monster) in zip(
            ("Wilhelmina-Alexandra", "Maximilian", "Þórdís Aðalsteinsdóttir", "Bo"),
            PEOPLE[:4],
            strict=True,
        )
    )
    evening = Evening(folder).say(TableSet("new-york", "first", seats)).begin(BOROUGHS, WARES)
    for seat in range(4):
        evening.numbers(seat, 10, 19, 18 + seat)
    return Scene(evening, evening.update())


def new_york_six(folder: Path) -> Scene:
    """Six players, two of them in the city, one who is asked."""
    evening = Evening(folder, players=6).seats()
    evening.begin((*BOROUGHS, "queens", "bronx"), WARES)
    evening.roll("3 celebrity 3 heal").skip_to_roll()
    evening.say(
        Corrected(
            places=(
                Moved(Seat(0), "queens"),
                Moved(Seat(1), "staten_island"),
                Moved(Seat(2), "midtown_2_4"),
                Moved(Seat(3), "staten_island"),
                Moved(Seat(4), "lower_5_6"),
            )
        )
    )
    for seat in range(6):
        evening.numbers(seat, 10 - seat, 9 + seat, 2 * seat)
    evening.roll("1 heal 3 energy 2 attack", "heal energy attack")
    return Scene(evening, evening.update(tray=ROLLING))


def new_york_crowded(folder: Path) -> Scene:
    """Six players, two in each of three boroughs."""
    evening = Evening(folder, players=6).seats()
    evening.begin((*BOROUGHS, "queens", "bronx"), WARES)
    evening.roll("3 celebrity 3 heal").skip_to_roll()
    places = ("queens", "queens", "bronx", "bronx", "brooklyn", "brooklyn")
    moves = tuple(Moved(Seat(n), place) for n, place in enumerate(places))
    evening.say(Corrected(places=moves))
    return Scene(evening, evening.update(tray=ROLLING))


def tokyo_four(folder: Path) -> Scene:
    """No Bay, one Monster in the City, hit by another."""
    evening = Evening(folder, "tokyo").seats().begin(cards=TOKYO_WARES)
    evening.roll("6 heal").skip_to_roll()
    evening.roll("1 attack 5 heal").skip_to_roll()
    evening.roll("2 attack 4 heal", "heal attack")
    return Scene(evening, evening.update())


def over_six(folder: Path) -> Scene:
    """Six players; the last Monsters fall at once, and nobody is left."""
    evening = tokyo(folder)
    scene = Scene(evening, evening.update())
    game = scene.update.view.game
    assert game is not None
    seats = tuple(replace(seat, alive=False, health=0, died_turn=9) for seat in game.seats)
    ended = wire.GameEnd(reason="all_dead", winners=())
    return with_view(scene, game=replace(game, seats=seats, ended=ended, question=None))


def over_shared(folder: Path) -> Scene:
    """Two share the victory."""
    scene = game_over(folder)
    game = scene.update.view.game
    assert game is not None
    ended = wire.GameEnd(reason="stars", winners=(0, 2))
    return with_view(scene, game=replace(game, ended=ended))


def eight_dice(folder: Path) -> Scene:
    """Eight dice of two colours, as many as there can be."""
    scene = tokyo_six(folder)
    game = scene.update.view.game
    assert game is not None
    roll = (*game.last_roll, Face.ENERGY, Face.THREE)[:8]
    return with_view(scene, game=replace(game, last_roll=roll))


def demo(scene: Callable[[Path], Scene]) -> Callable[[Path], Scene]:
    """The same with demo dice in the tray."""

    def with_demo_dice(folder: Path) -> Scene:
        found = scene(folder)
        tray = replace(found.update.view.tray, camera=CameraState.OK, demo=True)
        return with_view(found, tray=tray)

    return with_demo_dice


TV_SCENES: dict[str, Callable[[Path], Scene]] = {
    "lobby": lobby,
    "lobby-six": lobby_six,
    "lobby-wifi": lobby_wifi,
    "lobby-closed": closed,
    "lobby-demo": demo(lobby_six),
    "new-york": of(flee_asked, tray=ROLLING),
    # Dice as the camera reads them, one of them doubtful.
    "new-york-read": of(story, tray=lambda evening: evening.proposal(0, doubt=3)),
    # Sure dice apply themselves in a moment.
    "new-york-fuse": of(story, tray=lambda evening: replace(evening.proposal(1), fuse=FUSE)),
    "new-york-smashing": of(destroying),
    "new-york-happened": of(fled, tray=LOST, saved=False),
    "new-york-two": new_york_two,
    "new-york-wide": new_york_wide,
    "new-york-six": new_york_six,
    "new-york-crowded": new_york_crowded,
    "new-york-fall": of(fallen, tray=ROLLING),
    "tokyo-six": tokyo_six,
    "tokyo-yield": of(city_and_bay, tray=lambda evening: evening.proposal(0)),
    "tokyo-four": tokyo_four,
    "tokyo-eight-dice": eight_dice,
    "tokyo-demo": demo(tokyo_six),
    "over": game_over,
    "over-six": over_six,
    "over-shared": over_shared,
    "over-demo": demo(game_over),
}
RUNNING = tuple(name for name in TV_SCENES if name.split("-")[0] in {"new", "tokyo"})
