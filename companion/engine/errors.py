"""What the engine raises where it is asked for what the rules do not allow."""

from __future__ import annotations


class IllegalEvent(Exception):  # noqa: N818 - an event that is illegal, no fault of the program
    """The rules do not allow this event now. `key` names why; nothing has changed."""

    def __init__(self, key: str, **params: int | str) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params
