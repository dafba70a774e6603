"""The recipe: `python -m models.train [STAGE…] [--minutes N] [--scale SHARE]` makes every file that
ships.

STAGES run one after the other, each from the weights of the one that it names and on the false
finds of the detector before. What is done is not done again: a stage resumes from its last
checkpoint, and with `--minutes` the run ends at the first checkpoint after that time. To go on
elsewhere, keep `models/cache/weights` (30 MB); pictures and false finds are made again.
Two stages that do not need each other, side by side with a thread each (`OMP_NUM_THREADS=1`), are a
third faster on two cores than one after the other; start the second once the first has begun.
`DICE_CACHE=FOLDER python -m models.train --scale 0.0003` tries all of it in another folder.
"""

import os
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from companion.vision.networks.contract import load_contract
from models.art.glyphs import load_bank
from models.art.icons import ensure_bank
from models.art.symbols.bank import load_symbols
from models.art.symbols.build import ensure_symbols
from models.dataset import build
from models.places import CACHE, FLOATS, TARGET
from models.terms import write_contract
from models.training.export import SHAPES, export, quantise
from models.training.networks import loss_of, make_network, optimiser_of
from models.training.samples import (
    Draw,
    classifier_draw,
    corners_draw,
    detector_draw,
    drawings_of,
    load_stock,
    mine,
    names_of,
)
from models.training.whiten import main as whiten


@dataclass(frozen=True, slots=True)
class Stage:
    """One schedule of a network. The rate rises over WARM steps, is constant, and falls over the
    last part `cooled` to LOWEST of its height (warm-up, stable, decay; Haegele and others 2024 find
    it as good as half a cosine).
    """

    network: str
    steps: int
    rate: float
    cooled: float = 0.3
    start: str = ""
    """The stage whose weights it starts from; "": random ones."""
    false_finds: str = ""
    """The stage whose detector's false finds it learns from; "": none."""
    batch: int = 128


PICTURES: Final = {
    "minis": 18_000, "clutter": 7000, "foreign": 3000, "scenes": 6000, "symbols": 9000,
}  # fmt: skip
"""The training renders of each kind."""
STAGES: Final = {
    "bootstrap": Stage("detector", 2500, 4e-3, batch=16),
    "classifier-1": Stage("classifier", 24_000, 8e-3, false_finds="bootstrap"),
    "corners-1": Stage("corners", 20_000, 5e-3, false_finds="bootstrap"),
    "detector-1": Stage("detector", 4000, 4e-3, 0.3, "bootstrap", "bootstrap", batch=16),
    "classifier": Stage("classifier", 9000, 4e-3, 0.7, "classifier-1", "detector-1"),
    "corners": Stage("corners", 8000, 4e-3, 0.7, "corners-1", "detector-1"),
    "detector": Stage("detector", 4000, 4e-3, 0.7, "detector-1", "detector-1", batch=16),
}
"""In their order; the last three ship."""
SEED: Final = 1
WARM: Final = 200
LOWEST: Final = 0.01
DECAY: Final = 0.01
AVERAGE: Final = 0.998
"""How much the running mean of the weights, which is kept in the end, keeps of itself at a step."""
SAVED: Final = 500
"""The steps between checkpoints."""
WEIGHTS: Final = CACHE / "weights"
DEVICE: Final = "cuda" if torch.cuda.is_available() else "cpu"
AHEAD: Final = max(1, (os.cpu_count() or 1) - 1)
"""Processes that draw batches while a network learns from the one before."""


def rate_at(stage: Stage, step: int) -> float:
    """The learning rate at a step."""
    left = (stage.steps - step) / (stage.cooled * stage.steps)
    return stage.rate * min(1.0, (step + 1) / WARM) * max(LOWEST, min(1.0, left))


class _Batches(Dataset[tuple[Tensor, ...]]):
    """The batches of a stage by their step, each from a random stream of its own."""

    def __init__(self, draw: Draw, stream: int) -> None:
        self._draw, self._stream = draw, stream

    def __getitem__(self, step: int) -> tuple[Tensor, ...]:
        drawn = self._draw(np.random.default_rng([SEED, self._stream, step]))
        return tuple(torch.from_numpy(part) for part in drawn)


def train(name: str, stage: Stage, draw: Draw, until: float) -> bool:
    """Train a network, from its last checkpoint, to the end of its stage, and store its averaged
    weights; False if the time is over before that.
    """
    torch.manual_seed(SEED)
    # Momenta of weights that learn no more become denormal, and a step takes twice as long.
    torch.set_flush_denormal(True)
    network = load(stage.network, WEIGHTS / f"{stage.start}.pt").to(DEVICE)
    network = network.to(memory_format=torch.channels_last)
    average = deepcopy(network)
    optimiser = optimiser_of(network, DECAY)
    path, first = WEIGHTS / f"{name}.part", 0
    if path.exists():
        saved = torch.load(path, weights_only=True, map_location="cpu")
        if saved["stage"] != repr(stage):
            raise ValueError(f"{path} is of another recipe: delete it, or set DICE_CACHE")
        for part, state in zip((network, average, optimiser), saved["states"], strict=True):
            part.load_state_dict(state)
        first = saved["step"]
    steps = range(first, stage.steps)
    drawn: Iterable[list[Tensor]] = DataLoader(
        _Batches(draw, list(STAGES).index(name)), None, sampler=steps, num_workers=AHEAD,
        multiprocessing_context="fork",  # so that the stock is shared and not copied
    )  # fmt: skip
    begun, running = time.monotonic(), 0.0
    for step, batch in zip(steps, drawn, strict=True):
        for group in optimiser.param_groups:
            group["lr"] = rate_at(stage, step)
        crops, *goals = (part.to(DEVICE) for part in batch)
        batch = [crops.contiguous(memory_format=torch.channels_last), *goals]
        value = loss_of(stage.network, network.train(), batch)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        _mix(average, network, min(AVERAGE, (step + 1) / (step + 20)))
        running += (float(value.detach()) - running) * (0.02 if step > first else 1)
        done = step + 1
        if done % SAVED and done < stage.steps:
            continue
        per_step = (time.monotonic() - begun) / (done - first)
        print(f"{name} step {done} loss {running:.4f}, {per_step:.3f} s a step", flush=True)
        states = [part.state_dict() for part in (network, average, optimiser)]
        _store({"step": done, "states": states, "stage": repr(stage)}, path)
        if time.monotonic() > until and done < stage.steps:
            return False
    _store(average.state_dict(), WEIGHTS / f"{name}.pt")
    path.unlink(missing_ok=True)
    return True


@torch.no_grad()
def _mix(average: nn.Module, network: nn.Module, keep: float) -> None:
    """Move the running mean of weights and buffers towards the network."""
    news = network.state_dict()
    for name, kept in average.state_dict().items():
        if kept.is_floating_point():
            kept.lerp_(news[name], 1 - keep)


def load(network: str, path: Path) -> nn.Module:
    """Make a network with the weights stored there, or random ones."""
    if not path.exists():
        return make_network(network, len(names_of(load_symbols())))
    state = torch.load(path, weights_only=True, map_location="cpu")
    made = make_network(network, len(state.get("centres", ())))
    made.load_state_dict(state)
    return made


def _store(state: Any, path: Path) -> None:
    """Write a checkpoint, all or nothing."""
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    torch.save(state, partial)
    partial.rename(path)


def draw_of(stage: Stage, counts: dict[str, int]) -> Draw:
    """Load what the stage learns from, and mine its false finds if they are missing."""
    found = CACHE / f"false-finds-{stage.false_finds}.npz" if stage.false_finds else None
    if found is not None and not found.exists():
        detector = load("detector", WEIGHTS / f"{stage.false_finds}.pt")
        export("detector", detector, CACHE / "miner")
        mine(CACHE / "miner", found)
    if stage.network == "detector":
        return detector_draw(counts["scenes"], found, stage.batch)
    symbols = load_symbols()
    stock = load_stock(counts, symbols, found)
    if stage.network == "corners":
        return corners_draw(stock, stage.batch)
    return classifier_draw(stock, drawings_of(load_bank(), symbols), stage.batch)


def main(stages: Sequence[str], minutes: float, scale: float) -> None:
    """Do what is missing of these stages, or of a share of their pictures and steps; export the
    networks once all are trained.
    """
    until = time.monotonic() + 60 * minutes
    cv2.setNumThreads(1)
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    ensure_bank()
    ensure_symbols()
    counts = {kind: round(count * scale) for kind, count in PICTURES.items()}
    for kind, count in counts.items():
        build(kind, "train", count)
    for name in stages:
        stage = STAGES[name]
        if (WEIGHTS / f"{name}.pt").exists():
            continue
        part = replace(stage, steps=max(1, round(stage.steps * scale)))
        if time.monotonic() > until or not train(name, part, draw_of(part, counts), until):
            print("Time is over; run it again to go on.")
            return
    if not all((WEIGHTS / f"{name}.pt").exists() for name in SHAPES):
        return
    for name in SHAPES:
        export(name, load(name, WEIGHTS / f"{name}.pt"), FLOATS)
        quantise(name, FLOATS, TARGET)
    write_contract(load_contract(FLOATS), TARGET)
    whiten(TARGET)


if __name__ == "__main__":
    asked = ArgumentParser(prog="python -m models.train")
    asked.add_argument("stages", nargs="*", default=list(STAGES), metavar="STAGE")
    asked.add_argument("--minutes", type=float, default=float("inf"))
    asked.add_argument("--scale", type=float, default=1.0, help="share of the pictures and steps")
    given = asked.parse_args()
    if unknown := set(given.stages) - STAGES.keys():
        asked.error(f"no stage is called {', '.join(sorted(unknown))}")
    main(given.stages, given.minutes, given.scale)
