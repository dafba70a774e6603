"""Make the value networks: `python -m models.value`.

Three rounds: games of random players, then twice games of players that follow the network of the
round before. Each round trains a network for each game, from that of the round before on. Then
it measures the last ones.
"""

import shutil
import subprocess
from argparse import ArgumentParser
from pathlib import Path
from typing import Final

import msgspec
import torch

from companion.engine import RULESETS
from companion.forecast.features import editions_of, seat_features, table_features
from companion.forecast.network import NAME, VERSION, Contract, Forecaster, NetworkTerms
from companion.intervals import wilson
from models.places import HERE
from models.value.measure import (
    Score,
    constant,
    match,
    milliseconds,
    network_of,
    rule_of,
    score,
)
from models.value.play import SEED, SHIPPED, WORK, Data, Round, encoder_of, ensure, joined, load
from models.value.training import export, train

ROUNDS: Final = (("random", 3000), ("first", 700), ("second", 900))
"""The games of each round, for each box."""
APART_GAMES: Final = 2000
"""Games of each box that are only measured on."""
MATCHES: Final = 500
"""Two-player games of each box against a random player."""
BETWEEN: Final = 1_000_000
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
    return joined(load(files[one], BETWEEN * number) for number, one in enumerate(used))


def make(games: tuple[str, ...], scale: float, workers: int) -> Path:
    """Play and train all rounds; return the folder of the last networks."""
    folder: Path | None = None
    files: dict[str, dict[str, list[Path]]] = {game: {} for game in games}
    for name, size in ROUNDS:
        target = WORK / f"networks-{name}"
        for game in games:
            wanted = Round(name, count(size, scale), folder)
            files[game][name] = ensure(game, wanted, workers)
            if not (target / f"{game}.onnx").exists():
                start = None if folder is None else folder / f"{game}.pt"
                network, loss = train(trained_on(name, files[game]), game, start)
                torch.save(network.state_dict(), _made(target) / f"{game}.pt")
                export(network, target / f"{game}.onnx")
                print(f"{name} {game}: log loss {loss:.4f}", flush=True)
        write_contract(target, {game: terms_of(game) for game in games})
        folder = target
    assert folder is not None  # there is a round
    return folder


def commit() -> str:
    """Return the commit of the checkout, for the contract."""
    words = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def measure(games: tuple[str, ...], folder: Path, scale: float, workers: int) -> None:
    """Measure every round's networks on games apart and against random players; ship the last."""
    apart, fought = max(20, round(APART_GAMES * scale)), max(10, round(MATCHES * scale))
    shipped: dict[str, NetworkTerms] = {}
    for game in games:
        data = load(ensure(game, Round("apart", apart, folder), workers))
        fitted = trained_on(ROUNDS[-1][0], _files(game, scale, workers))
        rule = rule_of(fitted, encoder_of(game))
        measured: dict[str, float] = {"games": len(set(data.game.tolist()))}
        for name, forecast in (("constant", constant), ("rule", rule)):
            report(game, name, score(forecast, data), measured)
        for name, _ in ROUNDS:
            network = Forecaster.load(WORK / f"networks-{name}", game)
            report(game, name, score(network_of(network), data), measured)
            won, of = match(game, network, fought)
            low, high = wilson(won, of)
            line = f"{game} {name}: wins {won} of {of} two-player games against random play"
            print(f"{line}, {won / of:.1%} [{low:.1%}, {high:.1%}]", flush=True)
            measured |= {f"{name}_won": won, "matches": of}
        path = folder / f"{game}.onnx"
        print(f"{game}: {milliseconds(game, Forecaster.load(folder, game)):.3f} ms an evaluation")
        print(f"{game}: {path.stat().st_size / 1000:.0f} kB", flush=True)
        shutil.copy(path, _made(SHIPPED) / path.name)
        shipped[game] = terms_of(game, measured)
    write_contract(SHIPPED, shipped, commit())


def report(game: str, name: str, found: Score, measured: dict[str, float]) -> None:
    """Print a score and its bins, and note it."""
    print(
        f"{game} {name}: Brier {found.brier:.4f} [{found.low:.4f}, {found.high:.4f}], "
        f"log loss {found.log_loss:.4f}, calibration error {found.calibration_error:.4f}; "
        f"{found.positions} positions of {found.games} games"
    )
    for one in found.bins:
        print(
            f"  {one.count:5} chances of {one.mean:.3f}: won {one.won:.3f} "
            f"[{one.low:.3f}, {one.high:.3f}]",
            flush=True,
        )
    measured[f"{name}_brier"] = round(found.brier, 4)
    measured[f"{name}_calibration_error"] = round(found.calibration_error, 4)


def _files(game: str, scale: float, workers: int) -> dict[str, list[Path]]:
    """Return the files of all rounds, which have been played."""
    return {name: ensure(game, Round(name, count(games, scale)), workers) for name, games in ROUNDS}


def count(games: int, scale: float) -> int:
    """Return how many games a round has at this scale."""
    return max(20, round(games * scale))


def main() -> None:
    """Parse the arguments; make, measure and ship the networks."""
    parser = ArgumentParser(prog="python -m models.value", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="this share of all games")
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    given = parser.parse_args()
    games = tuple(RULESETS)
    folder = make(games, given.scale, given.workers)
    measure(games, folder, given.scale, given.workers)


if __name__ == "__main__":
    main()
