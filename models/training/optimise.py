"""The optimiser: Muon for inner layers of a network, AdamW for the others.

Muon (Jordan and others 2024) makes each step's matrix nearly orthogonal. Scaled as AdamW's steps
are (Liu and others 2025), both take one rate.
"""

from typing import Any, Final

import torch
from pytorch_optimizer import Muon
from pytorch_optimizer.optimizer.utils.matrix import zero_power_via_newton_schulz_5
from torch import Tensor, nn

from models.training.network import LAST
from models.training.schedules import Schedule

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
