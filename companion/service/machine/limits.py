"""From where on the state of the machine is worth a notice."""

from __future__ import annotations

WARM_C, HOT_C = 75.0, 80.0
"""A Raspberry Pi slows down from 80 °C on."""
