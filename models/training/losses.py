"""The tasks of the three networks: what a batch holds, and the loss on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.arrays import Floats
from models.training.mixture import Mixture
from models.training.named import Named
from models.training.samples import (
    REJECTED,
    DetectorSample,
    Stock,
    detector_batch,
    refiner_batch,
)
from models.training.schedules import has_halves

CORNERED: Final = 0.55
"""The share of a top that must be seen to learn its corners."""
SYMBOL_WEIGHT: Final = 0.35
"""The weight of a symbol as no face, relative to that of a face: there are many."""
SCALE: Final = 20.0
MARGIN: Final = 0.1
"""Scale and margin of the softmax of cosines (CosFace, Wang and others 2018)."""
NAMING: Final = 0.5
"""The weight of naming everything, relative to naming faces."""

Tensors = tuple[Tensor, ...]
HALVES: Final = has_halves(torch.cpu.get_capabilities())


@dataclass(frozen=True, slots=True)
class Task:
    """What a network learns."""

    draw: Callable[[np.random.Generator], Tensors]
    """Draws a batch. It runs in another process."""
    loss: Callable[[nn.Module, Tensors], Tensor]
    """The network's loss on a batch."""


def _tensor(values: Floats) -> Tensor:
    return torch.from_numpy(values).contiguous(memory_format=torch.channels_last)


def classifier_task(stock: Stock, named: Named, batch: int) -> Task:
    """Make the classifier's task: the face or none, and the name among thousands."""
    mixture = Mixture(stock, named, batch)

    def draw(rng: np.random.Generator) -> Tensors:
        made = mixture.draw(rng)
        return _tensor(made.crops), torch.from_numpy(made.classes), torch.from_numpy(made.numbers)

    return Task(draw, _classifier_loss)


def _classifier_loss(network: nn.Module, batch: Tensors) -> Tensor:
    """Cross-entropy of the face or none, and of the name among all."""
    crops, classes, numbers = batch
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
        logits, vectors = network(crops)
    each = functional.cross_entropy(logits.float(), classes, reduction="none")
    weights = torch.where(numbers >= REJECTED, SYMBOL_WEIGHT, 1.0)
    faces = (each * weights).sum() / weights.sum()
    named = numbers >= 0
    centres = network.centres / network.centres.norm(dim=1, keepdim=True)
    cosines = vectors[named].float() @ centres.T
    apart = cosines - MARGIN * functional.one_hot(numbers[named], len(centres))
    return faces + NAMING * functional.cross_entropy(SCALE * apart, numbers[named])


def corners_task(stock: Stock, batch: int) -> Task:
    """Make the refiner's task: smooth L1 on the corners of true tops, cross-entropy on top and
    flat.
    """
    shown = stock.seens >= CORNERED
    leaning = np.flatnonzero(~stock.flats & shown)
    level = np.flatnonzero(stock.flats & stock.tops & shown)
    false = np.flatnonzero(~stock.tops)

    def draw(rng: np.random.Generator) -> Tensors:
        tipped = int(batch * 0.28)
        none = int(batch * 0.15) if len(false) else 0
        pools = [rng.choice(leaning, tipped), rng.choice(level, batch - tipped - none)]
        chosen = np.concatenate([*pools, rng.choice(false, none) if none else false])
        made = refiner_batch(stock, rng, chosen)
        return _tensor(made.crops), torch.from_numpy(made.offsets), torch.from_numpy(made.judged)

    def loss(network: nn.Module, batch: Tensors) -> Tensor:
        crops, goal, judged = batch
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
            offsets, logits = network(crops)
        away = functional.smooth_l1_loss(offsets.float(), goal, beta=0.03, reduction="none")
        weights = torch.cat([torch.ones(8), torch.full((8,), 0.7)])
        upright = functional.smooth_l1_loss(
            _upright(offsets.float()), _upright(goal), beta=0.05, reduction="none"
        )
        # Laplace's law for the length of the error, whose scale the network gives with each answer.
        missed = (_upright(offsets.float()) - _upright(goal)).detach().norm(dim=1)
        log_scale = logits[:, 2].float()
        doubt = missed * torch.exp(-log_scale) + 2 * log_scale
        each = (away * weights).mean(1) + upright.mean(1) + 0.02 * doubt
        corners = (each * judged[:, 0]).sum() / judged[:, 0].sum()
        top = functional.binary_cross_entropy_with_logits(logits[:, 0].float(), judged[:, 0])
        flat = functional.binary_cross_entropy_with_logits(
            logits[:, 1].float(), judged[:, 1], reduction="none"
        )
        return 4 * corners + 0.4 * top + 0.4 * (flat * judged[:, 0]).mean()

    return Task(draw, loss)


def _upright(offsets: Tensor) -> Tensor:
    """(N, 2) the offset of the top's middle from the base's, which shows how a die leans."""
    points = offsets.reshape(-1, 2, 4, 2).mean(2)
    return points[:, 0] - points[:, 1]


def detector_task(stock: list[DetectorSample], batch: int) -> Task:
    """Make the detector's task: penalty-reduced focal loss on the heat, L1 on the other outputs
    round each centre.
    """

    def draw(rng: np.random.Generator) -> Tensors:
        chosen = rng.integers(0, len(stock), batch)
        made = detector_batch(stock, rng, chosen)
        return _tensor(made.views), torch.from_numpy(made.heat), torch.from_numpy(made.goal)

    def loss(network: nn.Module, batch: Tensors) -> Tensor:
        views, heats, goal = batch
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
            maps = network(views)
        maps = maps.float()
        heat, weight = heats.unbind(1)
        chance = torch.sigmoid(maps[:, 0])
        found = heat >= 0.999
        gain = functional.logsigmoid(maps[:, 0]) * (1 - chance) ** 2
        miss = functional.logsigmoid(-maps[:, 0]) * chance**2 * (1 - heat) ** 4
        total = -torch.where(found, gain, miss * weight).sum() / found.sum().clamp_min(1)
        share = goal[:, 6]
        scale = torch.tensor([1.0, 1.0, 2.0, 2.0, 1.0, 1.0])[None, :, None, None]
        away = functional.smooth_l1_loss(maps[:, 1:], goal[:, :6], beta=0.1, reduction="none")
        rest = ((away * scale).sum(1) * share).sum() / share.sum().clamp_min(1)
        return total + rest

    return Task(draw, loss)
