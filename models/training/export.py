"""Export the three networks as ONNX, one file each, with the contract beside them.

`python -m models.training.export`; `models.training.quantise` makes of them what is shipped.
"""

import subprocess
from pathlib import Path
from typing import Final

import msgspec
import torch
from torch import nn

from models.places import CACHE, FLOATS, HERE
from models.terms import TERMS, write_contract
from models.training.networks import ClassifierNetwork, DetectorNetwork, RefinerNetwork

OPSET: Final = 17
SHAPES: Final = {"detector": (304, 512), "corners": (64, 64), "classifier": (48, 48)}
OUTPUTS: Final = {
    "detector": ("maps",),
    "corners": ("offsets", "judgements"),
    "classifier": ("logits", "embedding"),
}


def make_network(name: str) -> nn.Module:
    """Make a fresh network by name."""
    return {
        "detector": DetectorNetwork,
        "corners": RefinerNetwork,
        "classifier": ClassifierNetwork,
    }[name]()


def export(name: str, network: nn.Module, target: Path) -> None:
    """Write a network to TARGET/NAME.onnx, with a variable batch (and detector size)."""
    target.mkdir(parents=True, exist_ok=True)
    network.eval()
    axes = {"image": {0: "batch"}, **{output: {0: "batch"} for output in OUTPUTS[name]}}
    if name == "detector":
        axes["image"] |= {2: "height", 3: "width"}
        axes["maps"] |= {2: "rows", 3: "columns"}
    torch.onnx.export(
        network.to(memory_format=torch.contiguous_format),
        (torch.zeros(1, 3, *SHAPES[name]),),
        str(target / f"{name}.onnx"),
        input_names=["image"],
        output_names=list(OUTPUTS[name]),
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )


def load_network(name: str, path: Path) -> nn.Module:
    """Load a network from its checkpoint, or make an untrained one without."""
    network = make_network(name)
    if path.exists():
        network.load_state_dict(torch.load(path, weights_only=True)["best"])
    return network


def commit() -> str:
    """The commit of the checkout, for the contract."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def write_raw(target: Path) -> None:
    """Write the contract before measurement to TARGET/dice.json."""
    write_contract(msgspec.structs.replace(TERMS, commit=commit()), target)


def main(weights: Path = CACHE / "weights", target: Path = FLOATS) -> None:
    """Export all three networks and the contract; an untrained network is written raw."""
    for name in SHAPES:
        export(name, load_network(name, weights / f"{name}.pt"), target)
    write_raw(target)


if __name__ == "__main__":
    main()
