"""The three small networks: detector, corner refiner, classifier. Dense 3x3 convolutions only."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.terms import TERMS
from models.training.named import CENTRES

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
