"""The topics of one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table."""

    base: str
    """What they begin with: `monster-table/<table>`."""

    @property
    def status(self) -> str:
        """`online` or `offline`."""
        return f"{self.base}/status"

    @property
    def state(self) -> str:
        """The table's state."""
        return f"{self.base}/state"

    @property
    def press(self) -> str:
        """What buttons send."""
        return f"{self.base}/press"

    @property
    def card(self) -> str:
        """The table's card for hubs."""
        return f"{self.base}/card"

    @property
    def rows(self) -> str:
        """Pages of rows of its log."""
        return f"{self.base}/rows"

    @property
    def games(self) -> str:
        """The list of its games."""
        return f"{self.base}/games"

    @property
    def ask(self) -> str:
        """What a hub asks for."""
        return f"{self.base}/ask"
