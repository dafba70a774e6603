"""What keeps a simulation from running."""

from __future__ import annotations


class SimulationError(Exception):
    """A simulation that cannot begin or go on; `key` and `params` are its sentence."""

    def __init__(self, key: str, **params: str | int) -> None:
        self.key, self.params = key, params
        super().__init__(key)
