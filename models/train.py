"""Train the networks: `python -m models.train [classifier] [corners] [detector]`, or all three.

`DICE_CACHE=FOLDER python -m models.train --scale 0.1` does a tenth of it all in another folder.

Renders missing pictures, trains a bootstrap detector, then in two stages the three networks, as
many side by side as there are cores, and exports them. Each stage learns from the hard negatives of
the detector before it. An interrupted run resumes from the last checkpoint.
"""

import multiprocessing
import os
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, Dataset

from models.art.glyphs import load_bank
from models.art.icons import ensure_bank
from models.art.symbols.bank import load_symbols
from models.art.symbols.build import ensure_symbols
from models.dataset import build, pictures
from models.places import CACHE, FLOATS, TARGET
from models.training.export import export, load_network, make_network, write_raw
from models.training.export import main as export_all
from models.training.networks import (
    Task,
    classifier_task,
    corners_task,
    detector_task,
    optimiser_of,
)
from models.training.quantise import main as quantise_all
from models.training.samples import (
    NEGATIVES,
    DetectorSample,
    Named,
    detector_sample,
    load_false_finds,
    load_stock,
    mine,
)
from models.training.schedules import NAMES, Schedule, TrainConfig
from models.training.whiten import main as whiten

AHEAD: Final = 1
"""Processes that draw batches while a network learns from the one before."""
WEIGHTS: Final = CACHE / "weights"
STAGES: Final = (CACHE / "bootstrap", CACHE / "begun", WEIGHTS)
"""The networks of each stage, and the false finds of its detector."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a schedule starts from: a network, None for random weights, and how many schedules made
    it; each sees other views."""

    network: nn.Module | None = None
    schedules: int = 0


def train(name: str, schedule: Schedule, task: Task, path: Path, start: Start = Start()) -> None:
    """Train a network to the end of its schedule, and store checkpoints in `path`; resume from
    there. ValueError if `path` holds a schedule that this one does not continue.
    """
    seed = TrainConfig().seed
    torch.manual_seed(seed)
    network = (start.network or make_network(name)).to(memory_format=torch.channels_last)
    stream = len(name) + 100 * start.schedules
    optimiser = optimiser_of(network, schedule)
    average = _averaged(network, schedule.average)
    path.parent.mkdir(parents=True, exist_ok=True)
    first = 0
    if path.exists():
        saved = _saved(path, schedule)
        network.load_state_dict(saved["last"])
        optimiser.load_state_dict(saved["optimiser"])
        first = saved["step"]
        average.module.load_state_dict(saved["best"])
        average.n_averaged.fill_(first)
    started, running = time.process_time(), 0.0
    for step, batch in enumerate(_batches(task, schedule, [seed, stream], first), first):
        for group in optimiser.param_groups:
            group["lr"] = schedule.rate_at(step)
        network.train()
        value = task.loss(network, batch)
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(network)
        seen = float(value.detach())
        running = 0.98 * running + 0.02 * seen if step > first else seen
        if (step + 1) % 250 == 0:
            spent = time.process_time() - started
            print(f"{name} step {step + 1} loss {running:.4f} cpu {spent:.0f} s", flush=True)
        if (step + 1) % 500 == 0 or step + 1 == schedule.steps:
            _save(path, (step + 1, schedule), (network, optimiser, average))
            _stop_alone()


class _Batches(Dataset[tuple[Tensor, ...]]):
    """The batches of a task by their step, each from a random stream of its own."""

    def __init__(self, task: Task, seeds: list[int]) -> None:
        self._task, self._seeds = task, seeds

    def __getitem__(self, step: int) -> tuple[Tensor, ...]:
        return self._task.draw(np.random.default_rng([*self._seeds, step]))


def _batches(
    task: Task, schedule: Schedule, seeds: list[int], first: int
) -> Iterable[tuple[Tensor, ...]]:
    """The batches from step `first` on, drawn ahead by other processes."""
    # Forked, so that the stock is shared and not copied.
    return DataLoader(
        _Batches(task, seeds),
        batch_size=None,
        sampler=range(first, schedule.steps),
        num_workers=AHEAD,
        multiprocessing_context="fork",
    )


def _saved(path: Path, schedule: Schedule) -> dict[str, Any]:
    """Load the checkpoint. ValueError if this schedule does not continue it."""
    saved: dict[str, Any] = torch.load(path, weights_only=True)
    begun = saved.get("schedule", {})
    is_known = begun.keys() == asdict(schedule).keys()
    if not is_known or not schedule.continues(Schedule(**begun), saved["step"]):
        raise ValueError(f"{path} was trained in another schedule: delete it, or set DICE_CACHE")
    return saved


def is_done(path: Path, schedule: Schedule) -> bool:
    """Whether the network was trained to the end of the schedule."""
    return path.exists() and _saved(path, schedule)["step"] == schedule.steps


def _stop_alone() -> None:
    """End this process where its parent is gone: training may have been started again."""
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)  # a worker that only raises would wait for its next task for ever


def _averaged(network: nn.Module, most: float) -> AveragedModel:
    """A running mean of the network's weights: it keeps `most` of itself at each step, and less at
    first, so that the initial weights are forgotten.
    """

    def mean(kept: Tensor, new: Tensor, steps: Tensor | int) -> Tensor:
        keep = min(most, (float(steps) + 1) / (float(steps) + 20))
        return kept * keep + new * (1 - keep)

    return AveragedModel(network, avg_fn=mean, use_buffers=True)


def _save(
    path: Path,
    reached: tuple[int, Schedule],
    parts: tuple[nn.Module, torch.optim.Optimizer, AveragedModel],
) -> None:
    """Write a checkpoint, all or nothing."""
    (step, schedule), (network, optimiser, average) = reached, parts
    state = {
        "last": network.state_dict(),
        "best": average.module.state_dict(),
        "optimiser": optimiser.state_dict(),
        "step": step,
        "schedule": asdict(schedule),
    }
    partial = path.with_suffix(f".{os.getpid()}.part")
    torch.save(state, partial)
    partial.rename(path)


def detector_samples(config: TrainConfig, before: Path) -> list[DetectorSample]:
    """Load the scenes, reduced, with the hard negatives of the detector before."""
    found = load_false_finds(before)
    return [
        detector_sample(picture, found.of(number))
        for number, picture in enumerate(pictures("scenes", "train", config.scenes))
    ]


def learn(name: str, stage: int, config: TrainConfig, threads: int) -> None:
    """Train a network to the end of its schedule of a stage, from that of the stage before, or from
    nothing.
    """
    torch.set_num_threads(threads)
    # Momenta of weights that learn no more become denormal, and a step takes twice as long.
    torch.set_flush_denormal(True)
    cv2.setNumThreads(1)
    schedule, before = config.stages()[stage][name], STAGES[max(0, stage - 1)]
    begun = before / f"{name}.pt"
    made = stage if stage and begun.exists() else 0
    start = Start(load_network(name, begun), made) if made else Start()
    task = _task_of(name, config, schedule.batch, before)
    train(name, schedule, task, STAGES[stage] / f"{name}.pt", start)


def _task_of(name: str, config: TrainConfig, batch: int, before: Path) -> Task:
    if name == "detector":
        return detector_task(detector_samples(config, before), batch)
    stock = load_stock(config.renders(), before)
    if name == "corners":
        return corners_task(stock, batch)
    return classifier_task(stock, Named.of(load_bank(), load_symbols()), batch)


def collect(folder: Path) -> None:
    """Store the false finds of the detector in a folder."""
    export("detector", load_network("detector", folder / "detector.pt"), folder)
    write_raw(folder)
    mine(folder)


def _workers(count: int) -> ProcessPoolExecutor:
    # Spawned, not forked: a fork would inherit the threads' locks without the threads.
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


def _learn_all(names: Sequence[str], stage: int, config: TrainConfig) -> None:
    """Train these networks of a stage, as many at a time as there are cores."""
    if names and names != ["detector"]:
        load_stock(config.renders(), STAGES[0])  # written once, before several ask for it
    cores = os.cpu_count() or 1
    at_once = max(1, min(len(names), cores))
    with _workers(at_once) as pool:
        running: dict[Future[None], str] = {
            pool.submit(learn, name, stage, config, cores // at_once): name for name in names
        }
        for done in as_completed(running):
            if done.exception() is not None:
                print(f"{running[done]} failed: {done.exception()}", flush=True)
    for done in running:
        done.result()


def main(names: tuple[str, ...], config: TrainConfig) -> None:
    """Train the named networks, and the detectors that collect hard negatives for them; export all
    three once all are trained.
    """
    cv2.setNumThreads(1)
    ensure_bank()
    ensure_symbols()
    for kind, count in config.renders().items():
        build(kind, "train", count)
    last = len(STAGES) - 1
    for stage, (folder, schedules) in enumerate(zip(STAGES, config.stages(), strict=True)):
        wanted = {*names, "detector"} if stage < last else {*names}
        left = [
            name
            for name, schedule in schedules.items()
            if name in wanted and not is_done(folder / f"{name}.pt", schedule)
        ]
        _learn_all(left, stage, config)
        if stage < last and ("detector" in left or not (folder / NEGATIVES).exists()):
            with _workers(1) as alone:  # its memory is freed at its end
                alone.submit(collect, folder).result()
    ends = config.stages()[last]
    missing = [name for name in NAMES if not is_done(WEIGHTS / f"{name}.pt", ends[name])]
    if missing:
        print(f"Nothing is exported yet: {', '.join(missing)} must be trained too.")
        return
    export_all(WEIGHTS, FLOATS)
    quantise_all(FLOATS, TARGET)
    whiten(TARGET)


if __name__ == "__main__":
    given = ArgumentParser(prog="python -m models.train")
    given.add_argument("names", nargs="*", default=NAMES, metavar="|".join(NAMES))
    given.add_argument("--scale", type=float, default=1.0, help="share of the pictures and steps")
    asked = given.parse_args()
    if unknown := set(asked.names) - set(NAMES):
        given.error(f"no network is called {', '.join(sorted(unknown))}")
    main(tuple(dict.fromkeys(asked.names)), TrainConfig().scaled(asked.scale))
