"""Errors that people read: each is the key of a sentence in the catalogues."""

from __future__ import annotations

from functools import partial
from typing import Self


class KeyedError(Exception):
    """An error with the `key` of a sentence and the `params` of its gaps."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key, params)
        self.key, self.params = key, params

    def __reduce__(self) -> tuple[partial[Self], tuple[()]]:
        # Exceptions are rebuilt from their positional arguments; these hold named ones.
        return partial(type(self), self.key, **self.params), ()
