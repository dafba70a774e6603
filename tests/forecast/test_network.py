"""The shipped networks and their contract, and what is refused."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from companion.engine import Ended, Position, Seat, Setup, new_game
from companion.forecast.network import MOST_BYTES, NAME, Forecaster, ForecastError, load_contract
from tests.forecast.networks import GAMES, SHIPPED, network, positions
from tests.pairs.rotation import rotated


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what is shipped, to be damaged."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "value"))


def change(folder: Path, **fields: Any) -> None:
    contract = json.loads((folder / NAME).read_bytes())
    (folder / NAME).write_text(json.dumps(contract | fields))


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", GAMES)
def test_the_living_share_all_chances(game: str, players: int) -> None:
    here = positions(game, players)
    assert {position.game.ended for position in here} == {None}
    for position, chances in zip(here, network(game).chances(here), strict=True):
        assert len(chances) == players
        assert sum(chances) == pytest.approx(1, abs=1e-5)
        for monster, chance in zip(position.game.monsters, chances, strict=True):
            assert 0 <= chance <= 1
            assert monster.alive or chance == 0


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_that_is_out_has_no_chance_seat_0_too(game: str) -> None:
    game_now = new_game(Setup(game, 3, Seat(1))).game
    dead = replace(game_now.monsters[0], alive=False, health=0, place=None)
    position = Position.of(replace(game_now, monsters=(dead, *game_now.monsters[1:])))
    (chances,) = network(game).chances([position])
    assert chances[0] == 0
    assert sum(chances[1:]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("game", GAMES)
def test_no_seat_is_favoured_by_its_number(game: str, players: int) -> None:
    here = positions(game, players)
    there = [Position.of(rotated(position.game)) for position in here]
    one, other = network(game).chances(here), network(game).chances(there)
    assert np.array(other) == pytest.approx(np.roll(np.array(one), 1, axis=1), abs=1e-4)


@pytest.mark.parametrize("game", GAMES)
def test_a_position_has_the_same_chances_alone_and_among_others(game: str) -> None:
    here = positions(game, 4)
    together = network(game).chances(here)
    alone = [network(game).chances([position])[0] for position in here]
    assert np.array(alone) == pytest.approx(np.array(together), abs=1e-5)


@pytest.mark.parametrize("game", GAMES)
def test_more_health_and_more_stars_are_better(game: str) -> None:
    start = new_game(Setup(game, 2)).game

    def chance(**numbers: int) -> float:
        mine = replace(start.monsters[0], **numbers)
        position = Position.of(replace(start, monsters=(mine, start.monsters[1])))
        return network(game).chances([position])[0][0]

    assert chance(health=2) < chance(health=6) < chance(health=10)
    assert chance(stars=0) < chance(stars=9) < chance(stars=18)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_that_is_over_has_its_winners(game: str) -> None:
    start = new_game(Setup(game, 3)).game
    ends = [
        (Ended("stars", (Seat(1),)), (0, 1, 0)),
        (Ended("stars", (Seat(0), Seat(2))), (0.5, 0, 0.5)),
        (Ended("all_dead", ()), (0, 0, 0)),
    ]
    over = [Position.of(replace(start, ended=ended, agenda=())) for ended, _ in ends]
    found = network(game).chances([Position.of(start), *over])
    assert sum(found[0]) == pytest.approx(1, abs=1e-5)
    assert found[1:] == tuple(chances for _, chances in ends)


def test_what_is_shipped_is_small_and_complete() -> None:
    contract = load_contract(SHIPPED)
    assert set(contract.networks) == set(GAMES)
    for terms in contract.networks.values():
        assert 0 < (SHIPPED / terms.file).stat().st_size <= MOST_BYTES == 300_000


def refused(folder: Path, game: str = GAMES[0]) -> ForecastError:
    with pytest.raises(ForecastError) as wrong:
        Forecaster.load(folder, game)
    return wrong.value


def test_a_game_without_a_network_is_refused_by_name(folder: Path) -> None:
    wrong = refused(folder, "chess")
    assert wrong.key == "error.forecast.game"
    assert wrong.params["game"] == "chess"
    assert set(str(wrong.params["known"]).split(", ")) == set(GAMES)


@pytest.mark.parametrize("name", [NAME, f"{GAMES[0]}.onnx"])
def test_a_file_that_is_missing_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    wrong = refused(folder)
    assert (wrong.key, wrong.params) == ("error.forecast.missing", {"path": str(folder / name)})


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"version": 1}', b"\xff\xfe", b'{"version": "1"}']
)
def test_a_damaged_contract_is_refused(folder: Path, content: bytes) -> None:
    (folder / NAME).write_bytes(content)
    assert refused(folder).key == "error.forecast.contract"


def test_a_contract_of_another_version_or_with_unknown_fields_is_refused(folder: Path) -> None:
    change(folder, version=2)
    assert "version 2" in str(refused(folder).params["reason"])
    change(folder, version=1, more=1)
    assert refused(folder).key == "error.forecast.contract"


def test_a_file_outside_the_folder_cannot_be_named(folder: Path) -> None:
    networks = json.loads((folder / NAME).read_bytes())["networks"]
    networks[GAMES[0]]["file"] = "../tokyo.onnx"
    change(folder, networks=networks)
    assert refused(folder).key == "error.forecast.contract"


def test_other_features_than_the_networks_are_refused(folder: Path) -> None:
    networks = json.loads((folder / NAME).read_bytes())["networks"]
    del networks[GAMES[0]]["seat"]["token:web"]
    change(folder, networks=networks)
    assert refused(folder).key == "error.forecast.contract"
    del networks[GAMES[0]]["seat"]["health"]
    change(folder, networks=networks)
    assert "not those of this version" in str(refused(folder).params["reason"])


def test_the_network_of_another_game_is_refused(folder: Path) -> None:
    one, other = (folder / f"{game}.onnx" for game in GAMES)
    shutil.copy(other, one)
    assert refused(folder).key == "error.forecast.contract"


@pytest.mark.parametrize("keep", [0, 100, 50_000])
def test_a_network_that_breaks_off_is_refused(folder: Path, keep: int) -> None:
    path = folder / f"{GAMES[0]}.onnx"
    path.write_bytes(path.read_bytes()[:keep])
    assert refused(folder).key in {"error.forecast.network", "error.forecast.contract"}


def test_a_network_that_is_too_large_is_not_loaded(folder: Path) -> None:
    path = folder / f"{GAMES[0]}.onnx"
    path.write_bytes(path.read_bytes() + bytes(MOST_BYTES))
    assert str(MOST_BYTES) in str(refused(folder).params["reason"])


def test_an_error_survives_the_way_between_processes() -> None:
    wrong = ForecastError("error.forecast.missing", path="x")
    again = pickle.loads(pickle.dumps(wrong))
    assert (again.key, again.params) == (wrong.key, wrong.params)
