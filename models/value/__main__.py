"""Make the value networks: `python -m models.value`.

Three rounds: games of random players, then twice games of players that follow the network of the
round before. Each round trains a network for each game. Then it measures the last ones.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Final

import msgspec
import torch

from companion.engine import RULESETS
from companion.forecast.features import editions_of, seat_features, table_features
from companion.forecast.network import NAME, VERSION, Contract, NetworkTerms
from models.value.games import Data, Round, ensure, joined, load
from models.value.places import SEED, SHIPPED, WORK
from models.value.training import export, train

ROUNDS: Final = (("random", 4000), ("first", 1500), ("second", 2500))
"""The games of each round, for each box."""
APART: Final = 1_000_000
"""Added to the numbers of games of an older round, so that no two are alike."""


def terms_of(game: str, measured: dict[str, float] | None = None) -> NetworkTerms:
    """Return what the contract says of a game's network."""
    editions = editions_of(game)
    return NetworkTerms(
        f"{game}.onnx", seat_features(editions), table_features(editions), measured or {}
    )


def write_contract(folder: Path, networks: dict[str, NetworkTerms], commit: str = "") -> None:
    """Write the contract beside the networks."""
    folder.mkdir(parents=True, exist_ok=True)
    contract = Contract(VERSION, SEED, commit, networks)
    text = msgspec.json.format(msgspec.json.encode(contract), indent=1)
    (folder / NAME).write_bytes(text + b"\n")


def trained_on(name: str, files: dict[str, list[Path]]) -> Data:
    """Return what a round's network learns from: its own games, and those of followers before."""
    names = [one for one, _ in ROUNDS[: [one for one, _ in ROUNDS].index(name) + 1]]
    used = names[:1] if len(names) == 1 else names[1:]
    return joined(load(files[one], APART * number) for number, one in enumerate(used))


def make(games: tuple[str, ...], scale: float, workers: int) -> Path:
    """Play and train all rounds; return the folder of the last networks."""
    folder: Path | None = None
    files: dict[str, dict[str, list[Path]]] = {game: {} for game in games}
    for name, count in ROUNDS:
        target = WORK / f"networks-{name}"
        for game in games:
            wanted = Round(name, max(20, round(count * scale)), folder)
            files[game][name] = ensure(game, wanted, workers)
            if not (target / f"{game}.onnx").exists():
                network, loss = train(trained_on(name, files[game]))
                torch.save(network.state_dict(), _made(target) / f"{game}.pt")
                export(network, target / f"{game}.onnx")
                print(f"{name} {game}: log loss {loss:.4f}", flush=True)
        write_contract(target, {game: terms_of(game) for game in games})
        folder = target
    assert folder is not None  # there is a round
    return folder


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def main() -> None:
    """Parse the arguments; make, measure and ship the networks."""
    parser = ArgumentParser(prog="python -m models.value", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="this share of all games")
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    given = parser.parse_args()
    make(tuple(RULESETS), given.scale, given.workers)


if __name__ == "__main__":
    main()
