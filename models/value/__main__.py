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
from models.value.measure import constant, match, network_of, rule_of, score
from models.value.play import SEED, SHIPPED, WORK, Data, Round, encoder_of, ensure, joined
from models.value.training import export, train

ROUNDS: Final = {"random": 3000, "first": 700, "second": 900}
"""The games of each round, for each box."""
APART_GAMES: Final = 2000
"""Games of each box that are only measured on."""
MATCHES: Final = 500
"""Two-player games of each box against a random player."""
BETWEEN: Final = 1_000_000
"""Added to the numbers of games of an older round, so that no two are alike."""
Measured = dict[str, dict[str, float]]
"""What was measured of each game's network."""


def write_contract(folder: Path, measured: Measured, commit: str = "") -> None:
    """Write the contract beside the networks of these games."""
    networks = {}
    for game, figures in measured.items():
        editions = editions_of(game)
        features = seat_features(editions), table_features(editions)
        networks[game] = NetworkTerms(f"{game}.onnx", *features, figures)
    contract = Contract(VERSION, SEED, commit, networks)
    text = msgspec.json.format(msgspec.json.encode(contract), indent=1)
    (folder / NAME).write_bytes(text + b"\n")


def learned_from(played: list[Data]) -> Data:
    """Join what the last round's network learns from: its own games, and those of followers before.
    Their numbers are kept apart.
    """
    used = played[1:] or played
    parts = enumerate(used)
    return joined(one._replace(game=one.game + BETWEEN * number) for number, one in parts)


def make(game: str, scale: float, workers: int) -> Data:
    """Play and train all rounds of a game; return what the last network learned from."""
    folder: Path | None = None
    played: list[Data] = []
    for name, size in ROUNDS.items():
        target = WORK / f"networks-{name}"
        target.mkdir(parents=True, exist_ok=True)
        played.append(ensure(game, Round(name, max(20, round(size * scale)), folder), workers))
        if not (target / f"{game}.onnx").exists():
            start = None if folder is None else folder / f"{game}.pt"
            network, loss = train(learned_from(played), game, start)
            torch.save(network.state_dict(), target / f"{game}.pt")
            export(network, target / f"{game}.onnx")
            print(f"{name} {game}: log loss {loss:.4f}", flush=True)
        write_contract(target, {one: {} for one in RULESETS})
        folder = target
    return learned_from(played)


def measure(game: str, learned: Data, scale: float, workers: int) -> dict[str, float]:
    """Measure every round's network on games apart and against random players."""
    *_, last = ROUNDS
    apart, fought = max(20, round(APART_GAMES * scale)), max(10, round(MATCHES * scale))
    data = ensure(game, Round("apart", apart, WORK / f"networks-{last}"), workers)
    networks = {name: Forecaster.load(WORK / f"networks-{name}", game) for name in ROUNDS}
    rule = rule_of(learned, encoder_of(game))
    judges = {"constant": constant, "rule": rule}
    judges |= {name: network_of(network) for name, network in networks.items()}
    measured: dict[str, float] = {"games": len(set(data.game.tolist())), "matches": fought}
    for name, forecast in judges.items():
        found = score(forecast, data)
        print(
            f"{game} {name}: Brier {found.brier:.4f} [{found.low:.4f}, {found.high:.4f}], "
            f"log loss {found.log_loss:.4f}, calibration error {found.calibration_error:.4f}"
        )
        for one in found.bins:
            interval = f"[{one.low:.3f}, {one.high:.3f}]"
            print(f"  {one.count:5} chances of {one.mean:.3f}: won {one.won:.3f} {interval}")
        measured[f"{name}_brier"] = round(found.brier, 4)
        measured[f"{name}_calibration_error"] = round(found.calibration_error, 4)
    for name, network in networks.items():
        won = match(game, network, fought)
        low, high = wilson(won, fought)
        print(f"{game} {name}: wins {won} of {fought} against random play [{low:.1%}, {high:.1%}]")
        measured[f"{name}_won"] = won
    return measured


def main() -> None:
    """Make, measure and ship the networks."""
    parser = ArgumentParser(prog="python -m models.value", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="this share of all games")
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    given = parser.parse_args()
    measured: Measured = {}
    SHIPPED.mkdir(parents=True, exist_ok=True)
    for game in RULESETS:
        learned = make(game, given.scale, given.workers)
        measured[game] = measure(game, learned, given.scale, given.workers)
        shutil.copy(WORK / f"networks-{[*ROUNDS][-1]}" / f"{game}.onnx", SHIPPED)
    words = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    write_contract(SHIPPED, measured, done.stdout.strip())


if __name__ == "__main__":
    main()
