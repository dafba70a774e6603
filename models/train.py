"""Trains the networks: `python -m models.train [classifier] [corners] [detector]`, or all three.

`DICE_CACHE=FOLDER python -m models.train --scale 0.1` does a tenth of it all in another folder;
`--further` goes on from the shipped networks instead of from nothing, in shorter courses.

Renders what is missing, trains a first detector to collect what it takes for dice and is none, then
the three networks side by side, a core each, the detector from where the first one ended, and ends
with the exported files. What was begun is gone on with from the last checkpoint.
"""

import multiprocessing
import os
import shutil
import time
from argparse import ArgumentParser
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from models.art.icons import ensure_bank
from models.dataset import build, pictures
from models.places import CACHE, FLOATS, HERE, TARGET
from models.training.courses import EARLY, NAMES, Course, TrainConfig
from models.training.export import export, made, restored, write_raw
from models.training.export import main as export_all
from models.training.losses import Loss, classifier_loss, corners_loss, detector_loss
from models.training.mine import NEGATIVES, lure_places, mine
from models.training.quantise import main as quantise_all
from models.training.samples import Sight, sight
from models.training.shipped import begun_as, mean_of, settle
from models.training.stock import load_stock

WEIGHTS: Final = CACHE / "weights"
SCOUT: Final = CACHE / "scout"
"""The first detector, which collects what it takes for dice; the second goes on from it."""
SCOUTED: Final = SCOUT / "detector.pt"
FURTHER: Final = CACHE / "further"
"""The checkpoints of what goes on from the shipped networks."""
MEANS: Final = FURTHER / "means"
"""What lies between these and the shipped ones."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Where a course begins, and the number of its stream of views: what goes on from another
    network is to see other views than that one did."""

    network: nn.Module
    stream: int

    @staticmethod
    def afresh(name: str) -> "Begun":
        """By chance, from the seed."""
        torch.manual_seed(TrainConfig().seed)
        return Begun(made(name), len(name))

    @staticmethod
    def as_scout() -> "Begun":
        """The detector as the scout has become."""
        return Begun(restored("detector", SCOUTED), len("detector") + 100)

    @staticmethod
    def as_shipped(name: str, loss: Loss) -> "Begun":
        """As the network of that name is shipped, its norms as what it learns from has them."""
        path = HERE / f"{name}.onnx"
        stream = crc32(path.read_bytes())
        network = begun_as(name, path)
        settle(network, lambda shown: loss(shown, np.random.default_rng(stream), 1.0))
        return Begun(network, stream)


def train(name: str, course: Course, loss: Loss, path: Path, begun: Begun) -> None:
    """The network of that name is trained to its last step, and lies in `path`; resumes from
    there, saves every 500 steps. ValueError where `path` holds a course that this one does not go
    on from."""
    network = begun.network.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), course.rate, weight_decay=course.decay)
    average = {key: value.clone() for key, value in network.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    first = 0
    if path.exists():
        saved = _saved(path, course, begun.stream)
        network.load_state_dict(saved["last"])
        optimiser.load_state_dict(saved["optimiser"])
        average, first = saved["best"], saved["step"]
    started, running = time.process_time(), 0.0
    for step in range(first, course.steps):
        for group in optimiser.param_groups:
            group["lr"] = course.rate_at(step)
        network.train()
        rng = np.random.default_rng([TrainConfig().seed, begun.stream, step])
        value = loss(network, rng, step / course.steps)
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
            reached = {"step": step + 1, "course": asdict(course), "stream": begun.stream}
            _save(path, reached, (network, optimiser, average))
            _stop_alone()


def _saved(path: Path, course: Course, stream: int | None = None) -> dict[str, Any]:
    """The checkpoint, if this course goes on from it, with views of that stream if one is named."""
    saved: dict[str, Any] = torch.load(path, weights_only=True)
    begun, is_other = saved.get("course"), stream not in (None, saved.get("stream", stream))
    if begun is None or is_other or not course.goes_on_from(Course(**begun), saved["step"]):
        raise ValueError(f"{path} was trained in another course: delete it, or set DICE_CACHE")
    return saved


def is_done(path: Path, course: Course) -> bool:
    """Whether the checkpoint was trained to the end of the course."""
    return path.exists() and _saved(path, course)["step"] == course.steps


def _stop_alone() -> None:
    """Ends this process where the one that started it is gone: it may have been started again."""
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        os._exit(1)  # a worker that only raises waits for ever for what it is to do next


def _follow(average: dict[str, Tensor], network: nn.Module, keep: float) -> None:
    with torch.no_grad():
        for key, value in network.state_dict().items():
            if value.dtype.is_floating_point:
                average[key].mul_(keep).add_(value, alpha=1 - keep)
            else:
                average[key].copy_(value)


def _save(
    path: Path,
    reached: dict[str, Any],
    parts: tuple[nn.Module, torch.optim.Optimizer, dict[str, Tensor]],
) -> None:
    network, optimiser, average = parts
    state = {"last": network.state_dict(), "best": average, "optimiser": optimiser.state_dict()}
    partial = path.with_suffix(f".{os.getpid()}.part")
    torch.save(state | reached, partial)
    partial.rename(path)


def sights(config: TrainConfig) -> list[Sight]:
    """The scenes, small, each with the places where the scout was deceived."""
    found = lure_places()
    return [
        sight(picture, found.of(number))
        for number, picture in enumerate(pictures("scenes", "train", config.scenes))
    ]


def scout(config: TrainConfig) -> None:
    """What a first detector takes for dice is on disk. On all cores."""
    torch.set_num_threads(os.cpu_count() or 1)
    cv2.setNumThreads(1)
    loss = detector_loss(sights(config), config.scout.batch)
    train("detector", config.scout, loss, SCOUTED, Begun.afresh("detector"))
    export("detector", restored("detector", SCOUTED), SCOUT)
    write_raw(SCOUT)
    mine(SCOUT)


def learn(name: str, config: TrainConfig, folder: Path) -> None:
    """The network of that name is trained to its end, on one core; in FURTHER, from what is
    shipped."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    course, is_further = config.course(name), folder == FURTHER
    if name == "detector":
        loss = detector_loss(sights(config), course.batch)
    elif name == "corners":
        loss = corners_loss(load_stock(config.renders()), course.batch)
    else:
        early = 0.0 if is_further else EARLY
        loss = classifier_loss(load_stock(config.renders()), course.batch, early)
    if is_further:
        _learn_further(name, course, loss)
    else:
        begun = Begun.as_scout() if name == "detector" else Begun.afresh(name)
        train(name, course, loss, folder / f"{name}.pt", begun)


def _learn_further(name: str, course: Course, loss: Loss) -> None:
    """The shipped network of that name is trained on, and MEANS holds what comes of it."""
    begun = Begun.as_shipped(name, loss)
    was = {key: value.clone() for key, value in begun.network.state_dict().items()}
    path = FURTHER / f"{name}.pt"
    train(name, course, loss, path, begun)

    def show(network: nn.Module, number: int) -> None:
        loss(network, np.random.default_rng([begun.stream, number]), 1.0)

    mean = mean_of(name, was, restored(name, path).state_dict(), show)
    MEANS.mkdir(exist_ok=True)
    torch.save({"best": mean.state_dict()}, MEANS / f"{name}.pt")


def _workers(count: int) -> ProcessPoolExecutor:
    # Afresh rather than forked: a fork would inherit the threads' locks without the threads.
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


def main(names: tuple[str, ...], config: TrainConfig, folder: Path = WEIGHTS) -> None:
    """The named networks are trained, as many at a time as there are cores, and all three are
    exported once all are trained. In FURTHER those that are not named stay as they are shipped."""
    cv2.setNumThreads(1)
    ensure_bank()
    for kind, count in config.renders().items():
        build(kind, "train", count)
    if not (NEGATIVES.exists() and SCOUTED.exists()):
        with _workers(1) as alone:  # its memory goes back with it
            alone.submit(scout, config).result()
    load_stock(config.renders())  # written once, before several ask for it
    with _workers(min(len(names), os.cpu_count() or 1)) as pool:
        running: dict[Future[None], str] = {pool.submit(learn, n, config, folder): n for n in names}
        for done in as_completed(running):
            if done.exception() is not None:
                print(f"{running[done]} failed: {done.exception()}", flush=True)
    for done in running:
        done.result()
    wanted = names if folder == FURTHER else NAMES
    missing = [n for n in wanted if not is_done(folder / f"{n}.pt", config.course(n))]
    if missing:
        print(f"Nothing is exported yet: {', '.join(missing)} must be trained too.")
        return
    export_all(MEANS if folder == FURTHER else folder, FLOATS, wanted)
    quantise_all(FLOATS, TARGET, wanted)
    for name in set(NAMES) - set(wanted):
        if TARGET != HERE:
            shutil.copy(HERE / f"{name}.onnx", TARGET)


if __name__ == "__main__":
    given = ArgumentParser(prog="python -m models.train")
    given.add_argument("names", nargs="*", default=NAMES, metavar="|".join(NAMES))
    given.add_argument("--scale", type=float, default=1.0, help="share of the pictures and steps")
    given.add_argument("--further", action="store_true", help="from the shipped networks on")
    asked = given.parse_args()
    if unknown := set(asked.names) - set(NAMES):
        given.error(f"no network is called {', '.join(sorted(unknown))}")
    chosen = TrainConfig.further() if asked.further else TrainConfig()
    folder = FURTHER if asked.further else WEIGHTS
    main(tuple(dict.fromkeys(asked.names)), chosen.scaled(asked.scale), folder)
