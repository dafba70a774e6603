"""Loss functions of the three networks."""

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.arrays import Floats
from models.terms import TERMS
from models.training.samples import (
    REJECTED,
    DetectorSample,
    Stock,
    classifier_batch,
    detector_batch,
    refiner_batch,
)
from models.training.schedules import EARLY_EDGE, has_halves

CORNERED: Final = 0.55
"""The share of a top that must be seen to learn its corners."""
FOREIGN: Final = 1.5
"""The frequency of foreign dice, relative to that of one face: there are many signs."""
REJECTS: Final = 1.5
"""The frequency of all other rejects, relative to that of one face."""

Loss = Callable[[nn.Module, np.random.Generator, float], Tensor]
"""Draws a batch and returns its loss; the last argument is the share of the schedule done."""
HALVES: Final = has_halves(torch.cpu.get_capabilities())


def _tensor(values: Floats) -> Tensor:
    return torch.from_numpy(values).contiguous(memory_format=torch.channels_last)


def classifier_loss(stock: Stock, batch: int, early: float = 0.0) -> Loss:
    """Make the classifier's loss: cross-entropy on balanced faces, and a contrastive term on
    embeddings; on crops EARLY_EDGE px wide in the first share `early` of the schedule.
    """
    target_classes = stock.target_classes()
    foreign = stock.foreign_tops()
    pools = [np.flatnonzero(target_classes == face) for face in range(REJECTED)]
    pools += [np.flatnonzero((target_classes == REJECTED) & kind) for kind in (foreign, ~foreign)]
    shares = np.array([1.0] * REJECTED + [FOREIGN, REJECTS])

    def loss(network: nn.Module, rng: np.random.Generator, done: float) -> Tensor:
        drawn = rng.choice(len(pools), batch, p=shares / shares.sum())
        chosen = np.array([pools[n][int(rng.integers(len(pools[n])))] for n in drawn])
        edge = EARLY_EDGE if done < early else TERMS.classifier.input.width
        made = classifier_batch(stock, rng, chosen, target_classes, edge)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
            logits, vectors = network(_tensor(made.crops))
        classes = torch.from_numpy(made.classes)
        entropy = functional.cross_entropy(logits.float(), classes)
        return entropy + 0.1 * _contrast(vectors.float(), classes)

    return loss


def _contrast(vectors: Tensor, classes: Tensor) -> Tensor:
    """Supervised contrastive loss of unit embeddings (Khosla and others 2020)."""
    likeness = vectors @ vectors.T / 0.15
    own = torch.eye(len(classes), dtype=torch.bool)
    likeness = likeness.masked_fill(own, -1e4)
    same = (classes[:, None] == classes[None]) & ~own
    log = likeness - torch.logsumexp(likeness, dim=1, keepdim=True)
    return -(log * same).sum(1).div(same.sum(1).clamp_min(1)).mean()


def corners_loss(stock: Stock, batch: int) -> Loss:
    """Make the refiner's loss: smooth L1 on the corners of true tops, cross-entropy on top and
    flat.
    """
    shown = stock.seens >= CORNERED
    leaning = np.flatnonzero(~stock.flats & shown)
    level = np.flatnonzero(stock.flats & stock.tops & shown)
    false = np.flatnonzero(~stock.tops)

    def loss(network: nn.Module, rng: np.random.Generator, _done: float) -> Tensor:
        tipped = int(batch * 0.28)
        none = int(batch * 0.15) if len(false) else 0
        pools = [rng.choice(leaning, tipped), rng.choice(level, batch - tipped - none)]
        chosen = np.concatenate([*pools, rng.choice(false, none) if none else false])
        made = refiner_batch(stock, rng, chosen)
        judged = torch.from_numpy(made.judged)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
            offsets, logits = network(_tensor(made.crops))
        goal = torch.from_numpy(made.offsets)
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

    return loss


def _upright(offsets: Tensor) -> Tensor:
    """(N, 2) the offset of the top's middle from the base's, which shows how a die leans."""
    points = offsets.reshape(-1, 2, 4, 2).mean(2)
    return points[:, 0] - points[:, 1]


def detector_loss(stock: list[DetectorSample], batch: int) -> Loss:
    """Make the detector's loss: penalty-reduced focal loss on the heat, L1 on the other outputs
    round each centre.
    """

    def loss(network: nn.Module, rng: np.random.Generator, _done: float) -> Tensor:
        chosen = rng.integers(0, len(stock), batch)
        made = detector_batch(stock, rng, chosen)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HALVES):
            maps = network(_tensor(made.views))
        maps = maps.float()
        heat, weight = torch.from_numpy(made.heat).unbind(1)
        chance = torch.sigmoid(maps[:, 0])
        found = heat >= 0.999
        gain = functional.logsigmoid(maps[:, 0]) * (1 - chance) ** 2
        miss = functional.logsigmoid(-maps[:, 0]) * chance**2 * (1 - heat) ** 4
        total = -torch.where(found, gain, miss * weight).sum() / found.sum().clamp_min(1)
        goal = torch.from_numpy(made.goal)
        share = goal[:, 6]
        scale = torch.tensor([1.0, 1.0, 2.0, 2.0, 1.0, 1.0])[None, :, None, None]
        away = functional.smooth_l1_loss(maps[:, 1:], goal[:, :6], beta=0.1, reduction="none")
        rest = ((away * scale).sum(1) * share).sum() / share.sum().clamp_min(1)
        return total + rest

    return loss
