"""From where on a condition of the machine is worth a notice."""

from __future__ import annotations

WARM_C, HOT_C = 75.0, 80.0
"""A Raspberry Pi slows down from 80 °C on."""
LOW_MEMORY = 120 << 20
SLOW_BYTES_A_SECOND = 2 << 20
SLOW_SYNC_S, STALLING_SYNC_S = 0.2, 2.0
"""The time after which a row is safely on the disk: each command waits for it."""
