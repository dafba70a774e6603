"""The three small networks: detector, corner refiner, classifier. Dense 3x3 convolutions only; what
a batch holds, the loss on it, and the optimiser: Muon for inner layers, AdamW for the others.

Muon (Jordan and others 2024) makes each step's matrix nearly orthogonal. Scaled as AdamW's steps
are (Liu and others 2025), both take one rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from pytorch_optimizer import Muon
from pytorch_optimizer.optimizer.utils.matrix import zero_power_via_newton_schulz_5
from torch import Tensor, nn
from torch.nn import functional

from models.arrays import Floats
from models.terms import TERMS
from models.training.samples import (
    CENTRES,
    REJECTED,
    DetectorSample,
    Mixture,
    Named,
    Stock,
    detector_batch,
    refiner_batch,
)
from models.training.schedules import Schedule, has_halves

LAST: Final = frozenset({"head", "corners", "judge", "embed", "centres"})
"""The names of the output layers: they stay in 32 bits, and AdamW moves them."""


def _layer(inward: int, outward: int, stride: int = 1) -> nn.Sequential:
    """A convolution with batch normalisation and ReLU."""
    return nn.Sequential(
        nn.Conv2d(inward, outward, 3, stride, 1, bias=False),
        nn.BatchNorm2d(outward),
        nn.ReLU(inplace=True),
    )


class _ResidualBlock(nn.Module):
    """Two layers with a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _layer(width, width)
        self.second = nn.Sequential(
            nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.second(self.first(x)))


class DetectorNetwork(nn.Module):
    """(N, 3, h, w) -> (N, 7, h/4, w/4): heat logit, offset 2, log spread 2, yaw 2; h, w of 16s."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_layer(3, 16, 2), _layer(16, 32, 2))
        self.fine = _layer(32, 32)
        self.eighth = nn.Sequential(_layer(32, 64, 2), _ResidualBlock(64))
        self.sixteenth = nn.Sequential(_layer(64, 96, 2), _ResidualBlock(96))
        self.from_sixteenth = nn.Conv2d(96, 64, 1)
        self.mix_eighth = _layer(64, 64)
        self.from_eighth = nn.Conv2d(64, 32, 1)
        self.mix_quarter = _layer(32, 32)
        self.head = nn.Conv2d(32, 7, 1)
        nn.init.constant_(self.head.bias, 0.0)
        with torch.no_grad():
            self.head.bias[0] = -4.0

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.fine(self.stem(x))
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        up = functional.interpolate(self.from_sixteenth(sixteenth), scale_factor=2.0)
        eighth = self.mix_eighth(eighth + up)
        up = functional.interpolate(self.from_eighth(eighth), scale_factor=2.0)
        output: Tensor = self.head(self.mix_quarter(quarter + up))
        return output


class RefinerNetwork(nn.Module):
    """(N, 3, 64, 64) -> 16 corner offsets in half sides, and (N, 3): the logits of being a top
    and of lying flat, and the logarithm of how far the middles' difference may be off."""

    def __init__(self) -> None:
        super().__init__()
        cells = TERMS.corners.input.width // 16
        self.body = nn.Sequential(
            _layer(3, 32, 2), _layer(32, 64, 2), _ResidualBlock(64), _layer(64, 96, 2),
            _ResidualBlock(96),
            _layer(96, 96, 2), nn.Flatten(), nn.Linear(96 * cells**2, 192), nn.ReLU(),
        )  # fmt: skip
        self.corners = nn.Linear(192, 16)
        self.judge = nn.Linear(192, 3)
        nn.init.constant_(self.corners.weight, 0.0)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        seen = self.body(x)
        return self.corners(seen), self.judge(seen)


class ClassifierNetwork(nn.Module):
    """(N, 3, 48, 48) -> (N, 10) logits of the faces and none, and (N, 64) unit embeddings.

    `centres` (CENTRES, 64) are where the embeddings of each name belong; only training needs them.
    """

    def __init__(self, classes: int = 10, embedding: int = 64) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _layer(3, 32, 2), _layer(32, 64, 2), _ResidualBlock(64), _layer(64, 128, 2),
            _ResidualBlock(128),
            _layer(128, 192, 2),
        )  # fmt: skip
        self.embed = nn.Linear(192, embedding)
        self.judge = nn.Linear(192, classes)
        self.centres = nn.Parameter(torch.randn(CENTRES, embedding))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pooled = self.body(x).mean(dim=(2, 3))
        vector = self.embed(pooled)
        return self.judge(pooled), vector / vector.norm(dim=1, keepdim=True).clamp_min(1e-6)


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


COLOURS: Final = 3
"""The input planes of the first layer."""


class _Muon(Muon):
    """Muon in 32 bits everywhere. In the library's own 16 bits a step of the classifier took 0.59 s
    rather than 0.03 on a processor that emulates them.
    """

    @staticmethod
    def _orthogonalize(group: dict[str, Any], updates: list[Tensor]) -> list[Tensor]:
        return [
            zero_power_via_newton_schulz_5(
                update.reshape(len(update), -1),
                num_steps=group["ns_steps"],
                weights=group["ns_coeffs"],
                dtype=torch.float32,
            )
            for update in updates
        ]


def is_inner(name: str, weight: Tensor) -> bool:
    """Whether a weight is a matrix, or a stack of kernels, of a layer that is neither first nor
    last.
    """
    return weight.ndim > 1 and weight.shape[1] != COLOURS and LAST.isdisjoint(name.split("."))


def optimiser_of(network: nn.Module, schedule: Schedule) -> torch.optim.Optimizer:
    """Make the optimiser of a network; the caller sets its groups' `lr` each step."""
    inner = [p for name, p in network.named_parameters() if is_inner(name, p)]
    outer = [p for name, p in network.named_parameters() if not is_inner(name, p)]
    common = {"lr": schedule.rate, "weight_decay": schedule.decay}
    return _Muon(
        [
            {"params": inner, "use_muon": True, **common},
            {"params": outer, "use_muon": False, "betas": (0.9, 0.999), "eps": 1e-8, **common},
        ],
        use_adjusted_lr=True,
    )
