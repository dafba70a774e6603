"""The shipped networks as networks to train: what their eight-bit files say, in 32 bits again.

The files carry neither checkpoints nor the norms of the layers, which exporting folds into the
weights before them. What is lost to eight bits is little, and a few hundred steps mend it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from models.training.export import made

WEIGHED: Final = ("Conv", "Gemm")
SHARES: Final = {"classifier": 0.3, "corners": 0.5, "detector": 0.5}
"""How much of what is exported is the network as it became, the rest being as it was: what lies
between the two reads prints that neither was trained on better than either (Wortsman and others
2022). Chosen on the val split, but for the detector's."""
BATCHES: Final = 16
"""From so many the norms of a mean are found."""
Parameters = NDArray[np.float32]
State = Mapping[str, Tensor]


def parameters(path: Path) -> list[tuple[Parameters, Parameters]]:
    """Weights and biases of every layer that has them, in the order in which they are used."""
    graph = onnx.load(path).graph
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    scaled = {
        node.output[0]: _scaled(*(held[name] for name in node.input))
        for node in graph.node
        if node.op_type == "DequantizeLinear" and node.input[0] in held
    }
    known = {name: np.asarray(values, np.float32) for name, values in held.items()} | scaled
    layers = [node.input for node in graph.node if node.op_type in WEIGHED]
    return [(known[weight], known[bias]) for _, weight, bias in layers]


def _scaled(whole: NDArray[np.int_], scale: Parameters, zero: NDArray[np.int_]) -> Parameters:
    """What the whole numbers stand for; a scale for all, or for each of the first axis."""
    shape = (-1,) + (1,) * (whole.ndim - 1)
    away = whole.astype(np.float32) - zero.astype(np.float32).reshape(shape)
    return np.asarray(away * scale.reshape(shape), np.float32)


def begun_as(name: str, path: Path) -> nn.Module:
    """The network of that name, answering as the file does but for what its eight bits round; its
    norms pass on what they are given. ValueError where the file holds another network."""
    network = made(name)
    layers = [part for part in network.modules() if isinstance(part, nn.Conv2d | nn.Linear)]
    found = parameters(path)
    if [tuple(layer.weight.shape) for layer in layers] != [weight.shape for weight, _ in found]:
        raise ValueError(f"{path} holds another network than the {name} of this recipe")
    norms = iter([part for part in network.modules() if isinstance(part, nn.BatchNorm2d)])
    with torch.no_grad():
        for layer, (weight, bias) in zip(layers, found, strict=True):
            layer.weight.copy_(torch.tensor(weight))
            if layer.bias is not None:
                layer.bias.copy_(torch.tensor(bias))
                continue
            norm = next(norms)
            norm.weight.fill_((1 + norm.eps) ** 0.5)
            norm.bias.copy_(torch.tensor(bias))
    return network


def settle(network: nn.Module, show: Callable[[nn.Module], object]) -> None:
    """The norms expect what the layers before them make of what `show` shows the network, as they
    do after training; what the network answers is as before."""
    network.eval()
    norms = [part for part in network.modules() if isinstance(part, nn.BatchNorm2d)]
    hooks = [norm.register_forward_pre_hook(_expect) for norm in norms]
    with torch.no_grad():
        show(network)
    for hook in hooks:
        hook.remove()


def mean_of(
    name: str, was: State, became: State, show: Callable[[nn.Module, int], object]
) -> nn.Module:
    """The network of that name whose weights lie its share of the way from what they were to what
    they became, its norms found from BATCHES of what `show` shows it."""
    network = made(name)
    whole = {key for key, value in was.items() if not value.dtype.is_floating_point}
    network.load_state_dict(
        {
            key: became[key] if key in whole else torch.lerp(value, became[key], SHARES[name])
            for key, value in was.items()
        }
    )
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.reset_running_stats()
            part.momentum = None  # all batches count alike
    network.train()
    with torch.no_grad():
        for number in range(BATCHES):
            show(network, number)
    return network.eval()


def _expect(norm: nn.Module, given: tuple[Tensor, ...]) -> None:
    assert isinstance(norm, nn.BatchNorm2d)
    assert norm.running_mean is not None
    assert norm.running_var is not None
    mean, variance = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3))
    slope = norm.weight / (norm.running_var + norm.eps).sqrt()
    norm.bias += slope * (mean - norm.running_mean)
    norm.weight.copy_(slope * (variance + norm.eps).sqrt())
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
