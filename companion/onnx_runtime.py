"""ONNX Runtime, imported with its telemetry off; whoever runs a network imports it from here.

From 1.29 on the official builds for Linux and macOS report sessions and models to their maker over
the internet, and keep an identifier of the machine in the user's cache folder, as the library's own
privacy page says. The variable is read once, when the library starts, so the order matters.
"""

from __future__ import annotations

import os
from typing import Final

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime
from onnxruntime.capi.onnxruntime_pybind11_state import (
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
)
from onnxruntime.capi.onnxruntime_pybind11_state import (
    NotImplemented as NotSupported,
)

BAD_NETWORK: Final = (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NotSupported)
"""What is raised for a file that is no network, or one that this version cannot run."""


def session_options(threads: int) -> onnxruntime.SessionOptions:
    """Return the options of a quiet session that computes in `threads` threads."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A spinning thread eats a core between two calls, on a machine that has other work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


__all__ = ["BAD_NETWORK", "onnxruntime", "session_options"]
