"""Trains the networks: `python -m models.train [classifier] [corners] [detector]`, or all three.

`DICE_CACHE=FOLDER python -m models.train --scale 0.1` does a tenth of it all in another folder.

Renders what is missing, trains a first detector to collect what it takes for dice and is none, then
the three networks side by side, a core each, and ends with the exported files. What was begun is
gone on with from the last checkpoint.
"""

import multiprocessing
import os
import time
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.arrays import Floats
from models.art.icons import ensure_bank
from models.dataset import build, pictures
from models.places import CACHE, FLOATS, TARGET
from models.training.export import export, made, restored, write_raw
from models.training.export import main as export_all
from models.training.mine import NEGATIVES, lure_places, mine
from models.training.quantise import main as quantise_all
from models.training.samples import (
    REJECTED,
    UNSAID,
    Sight,
    Stock,
    classifier_batch,
    detector_batch,
    refiner_batch,
    sight,
)
from models.training.stock import load_stock

NAMES: Final = ("classifier", "corners", "detector")
WEIGHTS: Final = CACHE / "weights"
SCOUT: Final = CACHE / "scout"
"""The first detector, which only collects what it takes for dice."""
CORNERED: Final = 0.55
"""The share of a top that must be seen to learn its corners."""


@dataclass(frozen=True, slots=True)
class Course:
    """How one network is trained; the rate rises for 200 steps and falls to nothing by the last."""

    steps: int
    batch: int
    rate: float
    decay: float = 0.01
    average: float = 0.998


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything that decides the weights."""

    seed: int = 1
    scenes: int = 7500
    minis: int = 27_000
    """Small renders, each exposed `dataset.EXPOSURES` times."""
    oddities: int = 9000
    """The same with many dice of other games and dice upon dice."""
    scout: Course = field(default=Course(4000, 16, 1.5e-3))
    classifier: Course = field(default=Course(42_000, 128, 3e-3))
    corners: Course = field(default=Course(36_000, 128, 1.5e-3))
    detector: Course = field(default=Course(20_000, 16, 1.5e-3))

    def renders(self) -> dict[str, int]:
        """How many renders of each kind there are to train on."""
        return {"minis": self.minis, "oddities": self.oddities, "scenes": self.scenes}

    def scaled(self, share: float) -> "TrainConfig":
        """The same with so large a share of the pictures and steps."""

        def less(course: Course) -> Course:
            return replace(course, steps=round(course.steps * share))

        return replace(
            self,
            scenes=round(self.scenes * share),
            minis=round(self.minis * share),
            oddities=round(self.oddities * share),
            scout=less(self.scout),
            classifier=less(self.classifier),
            corners=less(self.corners),
            detector=less(self.detector),
        )


Loss = Callable[[nn.Module, np.random.Generator], Tensor]


def _tensor(values: Floats) -> Tensor:
    return torch.from_numpy(values).contiguous(memory_format=torch.channels_last)


def classifier_loss(stock: Stock, batch: int) -> Loss:
    """Cross-entropy on balanced faces, and a pull of like embeddings towards one another; and
    whether the print can be read."""
    taught = stock.taught()
    pools = [np.flatnonzero(taught == face) for face in (*range(REJECTED + 1), UNSAID)]
    # Twice as many rejects as of any face, for there are more ways to be none.
    shares = np.array([1.0] * REJECTED + [2.0, 0.6]) * [len(pool) > 0 for pool in pools]

    def loss(network: nn.Module, rng: np.random.Generator) -> Tensor:
        drawn = rng.choice(len(pools), batch, p=shares / shares.sum())
        chosen = np.array([pools[n][int(rng.integers(len(pools[n])))] for n in drawn])
        made_batch = classifier_batch(stock, rng, chosen, taught)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits, vectors, legible = network(_tensor(made_batch.crops))
        said = torch.from_numpy(made_batch.classes != UNSAID)
        classes = torch.from_numpy(made_batch.classes)[said]
        plain = functional.cross_entropy(logits.float()[said], classes)
        told = torch.from_numpy(made_batch.told)
        goal = torch.from_numpy(made_batch.legible).float()[told]
        seen = functional.binary_cross_entropy_with_logits(legible.float()[told, 0], goal)
        return plain + 0.1 * _contrast(vectors.float()[said], classes) + 0.3 * seen

    return loss


def _contrast(vectors: Tensor, classes: Tensor) -> Tensor:
    likeness = vectors @ vectors.T / 0.15
    own = torch.eye(len(classes), dtype=torch.bool)
    likeness = likeness.masked_fill(own, -1e4)
    same = (classes[:, None] == classes[None]) & ~own
    log = likeness - torch.logsumexp(likeness, dim=1, keepdim=True)
    return -(log * same).sum(1).div(same.sum(1).clamp_min(1)).mean()


def corners_loss(stock: Stock, batch: int) -> Loss:
    """Smooth L1 on the corners of true tops, cross-entropy on the two judgements."""
    shown = stock.seens >= CORNERED
    leaning = np.flatnonzero(~stock.flats & shown)
    level = np.flatnonzero(stock.flats & stock.tops & shown)
    false = np.flatnonzero(~stock.tops)

    def loss(network: nn.Module, rng: np.random.Generator) -> Tensor:
        tipped = int(batch * 0.28)
        none = int(batch * 0.15) if len(false) else 0
        pools = [rng.choice(leaning, tipped), rng.choice(level, batch - tipped - none)]
        chosen = np.concatenate([*pools, rng.choice(false, none) if none else false])
        made_batch = refiner_batch(stock, rng, chosen)
        judged = torch.from_numpy(made_batch.judged)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            offsets, logits = network(_tensor(made_batch.crops))
        goal = torch.from_numpy(made_batch.offsets)
        away = functional.smooth_l1_loss(offsets.float(), goal, beta=0.03, reduction="none")
        scale = torch.cat([torch.ones(8), torch.full((8,), 0.7)])
        upright = functional.smooth_l1_loss(
            _upright(offsets.float()), _upright(goal), beta=0.05, reduction="none"
        )
        # Laplace's law for the length of the error, whose scale is told with each answer.
        missed = (_upright(offsets.float()) - _upright(goal)).detach().norm(dim=1)
        told = logits[:, 2].float()
        doubt = missed * torch.exp(-told) + 2 * told
        each = (away * scale).mean(1) + upright.mean(1) + 0.02 * doubt
        corners = (each * judged[:, 0]).sum() / judged[:, 0].sum()
        top = functional.binary_cross_entropy_with_logits(logits[:, 0].float(), judged[:, 0])
        flat = functional.binary_cross_entropy_with_logits(
            logits[:, 1].float(), judged[:, 1], reduction="none"
        )
        return 4 * corners + 0.4 * top + 0.4 * (flat * judged[:, 0]).mean()

    return loss


def _upright(offsets: Tensor) -> Tensor:
    """(N, 2) how far the top's middle lies from the base's: it tells how a die leans."""
    points = offsets.reshape(-1, 2, 4, 2).mean(2)
    return points[:, 0] - points[:, 1]


def detector_loss(stock: list[Sight], batch: int) -> Loss:
    """Penalty-reduced focal loss on the heat, L1 on the rest round each centre."""

    def loss(network: nn.Module, rng: np.random.Generator) -> Tensor:
        chosen = rng.integers(0, len(stock), batch)
        made_batch = detector_batch(stock, rng, chosen)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            maps = network(_tensor(made_batch.views))
        maps = maps.float()
        heat, weight = torch.from_numpy(made_batch.heat).unbind(1)
        chance = torch.sigmoid(maps[:, 0])
        found = heat >= 0.999
        gain = functional.logsigmoid(maps[:, 0]) * (1 - chance) ** 2
        blame = functional.logsigmoid(-maps[:, 0]) * chance**2 * (1 - heat) ** 4
        total = -torch.where(found, gain, blame * weight).sum() / found.sum().clamp_min(1)
        goal = torch.from_numpy(made_batch.goal)
        share = goal[:, 6]
        scale = torch.tensor([1.0, 1.0, 2.0, 2.0, 1.0, 1.0])[None, :, None, None]
        away = functional.smooth_l1_loss(maps[:, 1:], goal[:, :6], beta=0.1, reduction="none")
        rest = ((away * scale).sum(1) * share).sum() / share.sum().clamp_min(1)
        return total + rest

    return loss


def train(name: str, course: Course, loss: Loss, path: Path) -> None:
    """The network of that name is trained to its last step, and lies in `path`; resumes from
    there, saves every 500 steps."""
    seed = TrainConfig().seed
    torch.manual_seed(seed)
    network = made(name).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), course.rate, weight_decay=course.decay)
    average = {key: value.clone() for key, value in network.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    first = 0
    if path.exists():
        saved = torch.load(path, weights_only=True)
        network.load_state_dict(saved["last"])
        optimiser.load_state_dict(saved["optimiser"])
        average, first = saved["best"], saved["step"]
    started, running = time.process_time(), 0.0
    for step in range(first, course.steps):
        _set_rate(optimiser, course, step)
        network.train()
        value = loss(network, np.random.default_rng([seed, len(name), step]))
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        _follow(average, network, min(course.average, (step + 1) / (step + 20)))
        seen = float(value.detach())
        running = 0.98 * running + 0.02 * seen if step > first else seen
        if (step + 1) % 250 == 0:
            spent = time.process_time() - started
            print(f"{name} step {step + 1} loss {running:.4f} cpu {spent:.0f} s", flush=True)
        if (step + 1) % 500 == 0 or step + 1 == course.steps:
            _save(path, step + 1, (network, optimiser, average))


def _set_rate(optimiser: torch.optim.Optimizer, course: Course, step: int) -> None:
    warm = min(1.0, (step + 1) / 200)
    cosine = 0.5 * (1 + np.cos(np.pi * step / course.steps))
    for group in optimiser.param_groups:
        group["lr"] = course.rate * warm * max(0.01, float(cosine))


def _follow(average: dict[str, Tensor], network: nn.Module, keep: float) -> None:
    with torch.no_grad():
        for key, value in network.state_dict().items():
            if value.dtype.is_floating_point:
                average[key].mul_(keep).add_(value, alpha=1 - keep)
            else:
                average[key].copy_(value)


def _save(
    path: Path, step: int, parts: tuple[nn.Module, torch.optim.Optimizer, dict[str, Tensor]]
) -> None:
    network, optimiser, average = parts
    state = {
        "last": network.state_dict(),
        "best": average,
        "optimiser": optimiser.state_dict(),
        "step": step,
    }
    partial = path.with_suffix(".part")
    torch.save(state, partial)
    partial.rename(path)


def sights(config: TrainConfig) -> list[Sight]:
    """The scenes, small, each with the places where the scout was deceived."""
    found = lure_places()
    return [
        sight(picture, found.of(number))
        for number, picture in enumerate(pictures("scenes", "train", config.scenes))
    ]


def prepare(config: TrainConfig) -> None:
    """The pictures, what a first detector takes for dice in them, and the patches are on disk."""
    cv2.setNumThreads(1)
    ensure_bank()
    for kind, count in config.renders().items():
        build(kind, "train", count)
    if not NEGATIVES.exists():
        torch.set_num_threads(os.cpu_count() or 1)
        path = SCOUT / "detector.pt"
        train("detector", config.scout, detector_loss(sights(config), config.scout.batch), path)
        export("detector", restored("detector", path), SCOUT)
        write_raw(SCOUT)
        mine(SCOUT)
    load_stock(config.renders())


def course(name: str, config: TrainConfig) -> None:
    """One network is trained to its end, on one core."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    path = WEIGHTS / f"{name}.pt"
    if name == "detector":
        terms = config.detector
        train(name, terms, detector_loss(sights(config), terms.batch), path)
        return
    stock = load_stock(config.renders())
    if name == "corners":
        train(name, config.corners, corners_loss(stock, config.corners.batch), path)
    else:
        train(name, config.classifier, classifier_loss(stock, config.classifier.batch), path)


def main(names: tuple[str, ...], config: TrainConfig) -> None:
    """The named networks are trained, as many at a time as there are cores; all are exported once
    each of them is trained."""
    prepare(config)
    # Afresh rather than forked: a fork would inherit the threads' locks without the threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(len(names), os.cpu_count() or 1), context) as pool:
        for done in [pool.submit(course, name, config) for name in names]:
            done.result()
    missing = [name for name in NAMES if not (WEIGHTS / f"{name}.pt").exists()]
    if missing:
        print(f"Nothing is exported yet: {', '.join(missing)} must be trained too.")
        return
    export_all(WEIGHTS, FLOATS)
    quantise_all(FLOATS, TARGET)


if __name__ == "__main__":
    given = ArgumentParser(prog="python -m models.train")
    given.add_argument("names", nargs="*", default=NAMES, metavar="|".join(NAMES))
    given.add_argument("--scale", type=float, default=1.0, help="share of the pictures and steps")
    asked = given.parse_args()
    main(tuple(asked.names), TrainConfig().scaled(asked.scale))
