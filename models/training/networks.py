"""The three small networks (dense 3x3 convolutions only), the loss of each on a batch, and the
optimiser: Muon for inner layers, AdamW for the others.

Muon (Jordan and others 2024) makes each step's matrix nearly orthogonal. Scaled as AdamW's steps
are (Liu and others 2025), both take one rate.
"""

from typing import Any, Final

import torch
from pytorch_optimizer import Muon
from pytorch_optimizer.optimizer.utils.matrix import zero_power_via_newton_schulz_5
from torch import Tensor, nn
from torch.nn import functional

from models.terms import TERMS
from models.training.samples import REJECTED

LAST: Final = frozenset({"head", "corners", "judge", "embed", "centres"})
"""The names of the output layers: they stay in 32 bits, and AdamW moves them."""
COLOURS: Final = 3
"""The input planes of the first layer."""
SYMBOL_WEIGHT: Final = 0.35
"""The weight of a symbol as no face, relative to that of a face: there are many."""
SCALE: Final = 20.0
MARGIN: Final = 0.1
"""Scale and margin of the softmax of cosines (CosFace, Wang and others 2018)."""
NAMING: Final = 0.5
"""The weight of naming everything, relative to naming faces."""


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
        self.second = _layer(width, width)[:2]

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
        nn.init.zeros_(self.head.bias)
        nn.init.constant_(self.head.bias[:1], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        quarter = self.fine(self.stem(x))
        eighth = self.eighth(quarter)
        up = functional.interpolate(self.from_sixteenth(self.sixteenth(eighth)), scale_factor=2.0)
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
        nn.init.zeros_(self.corners.weight)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        seen = self.body(x)
        return self.corners(seen), self.judge(seen)


class ClassifierNetwork(nn.Module):
    """(N, 3, 48, 48) -> (N, 10) logits of the faces and none, and (N, 64) unit embeddings.

    `centres` (names, 64) are where the embeddings of each name belong; only training needs them.
    """

    def __init__(self, names: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _layer(3, 32, 2), _layer(32, 64, 2), _ResidualBlock(64), _layer(64, 128, 2),
            _ResidualBlock(128),
            _layer(128, 192, 2),
        )  # fmt: skip
        self.embed = nn.Linear(192, TERMS.classifier.embedding)
        self.judge = nn.Linear(192, len(TERMS.classifier.classes))
        self.centres = nn.Parameter(torch.randn(names, TERMS.classifier.embedding))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pooled = self.body(x).mean(dim=(2, 3))
        vector = self.embed(pooled)
        return self.judge(pooled), vector / vector.norm(dim=1, keepdim=True).clamp_min(1e-6)


def make_network(name: str, names: int) -> nn.Module:
    """Make a network with random weights; the classifier's embedding knows so many names."""
    if name == "classifier":
        return ClassifierNetwork(names)
    return DetectorNetwork() if name == "detector" else RefinerNetwork()


def loss_of(name: str, network: nn.Module, batch: list[Tensor]) -> Tensor:
    """The loss of the network on a batch of `training.samples`, whose crops are the first part."""
    crops, *goals = batch
    cuda = torch.cuda.is_available()
    halves = cuda or any(
        torch.cpu.get_capabilities().get(one) for one in ("amx_bf16", "avx512_bf16", "bf16")
    )
    # Where a processor emulates 16 bits, a step takes ten times as long as in 32.
    with torch.autocast("cuda" if cuda else "cpu", torch.bfloat16, enabled=halves):
        answers = network(crops)
    loss = {"detector": _detector, "corners": _corners, "classifier": _classifier}[name]
    return loss(network, answers, goals)


def _classifier(network: nn.Module, answers: tuple[Tensor, Tensor], goals: list[Tensor]) -> Tensor:
    """Cross-entropy of the face or none, and of the name among all."""
    (logits, vectors), (classes, numbers) = answers, goals
    each = functional.cross_entropy(logits.float(), classes, reduction="none")
    weights = torch.where(numbers >= REJECTED, SYMBOL_WEIGHT, 1.0)
    faces = (each * weights).sum() / weights.sum()
    named = numbers >= 0
    centres = network.centres / network.centres.norm(dim=1, keepdim=True)
    cosines = vectors[named].float() @ centres.T
    apart = cosines - MARGIN * functional.one_hot(numbers[named], len(centres))
    return faces + NAMING * functional.cross_entropy(SCALE * apart, numbers[named])


def _corners(_: nn.Module, answers: tuple[Tensor, Tensor], goals: list[Tensor]) -> Tensor:
    """Smooth L1 on the corners of true tops, and cross-entropy on top and flat."""
    (offsets, logits), (goal, judged) = (part.float() for part in answers), goals
    is_top, is_flat = judged.unbind(1)
    away = functional.smooth_l1_loss(offsets, goal, beta=0.03, reduction="none")
    away = away.reshape(-1, 2, 8).mean(2) @ away.new_tensor([0.5, 0.35])
    up, true = _upright(offsets), _upright(goal)
    upright = functional.smooth_l1_loss(up, true, beta=0.05, reduction="none").mean(1)
    # Laplace's law for the length of the error, whose scale the network gives with each answer.
    log_scale = logits[:, 2]
    doubt = (up - true).detach().norm(dim=1) * torch.exp(-log_scale) + 2 * log_scale
    corners = ((away + upright + 0.02 * doubt) * is_top).sum() / is_top.sum()
    entropy = functional.binary_cross_entropy_with_logits
    flat = entropy(logits[:, 1], is_flat, reduction="none") * is_top
    return 4 * corners + 0.4 * entropy(logits[:, 0], is_top) + 0.4 * flat.mean()


def _upright(offsets: Tensor) -> Tensor:
    """(N, 2) the offset of the top's middle from the base's, which shows how a die leans."""
    points = offsets.reshape(-1, 2, 4, 2).mean(2)
    return points[:, 0] - points[:, 1]


def _detector(_: nn.Module, answers: Tensor, goals: list[Tensor]) -> Tensor:
    """Penalty-reduced focal loss on the heat, L1 on the other outputs round each centre."""
    maps, (heats, goal) = answers.float(), goals
    heat, weight = heats.unbind(1)
    chance = torch.sigmoid(maps[:, 0])
    found = heat >= 0.999
    gain = functional.logsigmoid(maps[:, 0]) * (1 - chance) ** 2
    miss = functional.logsigmoid(-maps[:, 0]) * chance**2 * (1 - heat) ** 4
    total = -torch.where(found, gain, miss * weight).sum() / found.sum().clamp_min(1)
    share = goal[:, 6]
    scale = maps.new_tensor([1.0, 1.0, 2.0, 2.0, 1.0, 1.0])[None, :, None, None]
    away = functional.smooth_l1_loss(maps[:, 1:], goal[:, :6], beta=0.1, reduction="none")
    return total + ((away * scale).sum(1) * share).sum() / share.sum().clamp_min(1)


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


def optimiser_of(network: nn.Module, decay: float) -> torch.optim.Optimizer:
    """Make the optimiser of a network; the caller sets its groups' `lr` each step. Inner are
    matrices, or stacks of kernels, of layers that are neither first nor last.
    """
    inner: list[Tensor] = []
    outer: list[Tensor] = []
    for name, weight in network.named_parameters():
        is_inner = weight.ndim > 1 and weight.shape[1] != COLOURS
        (inner if is_inner and LAST.isdisjoint(name.split(".")) else outer).append(weight)
    adam = {"use_muon": False, "betas": (0.9, 0.999), "eps": 1e-8}
    groups = [{"params": inner, "use_muon": True}, {"params": outer, **adam}]
    return _Muon([group | {"weight_decay": decay} for group in groups], use_adjusted_lr=True)
