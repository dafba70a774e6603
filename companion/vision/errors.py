"""Errors of cameras, photos and networks: a key of the catalogue and its parameters."""

from __future__ import annotations

from collections.abc import Callable


class VisionError(Exception):
    """An error with the `key` of a sentence in the catalogue and the `params` of its gaps."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params

    def __reduce__(self) -> tuple[Callable[..., VisionError], tuple[object, ...]]:
        # Exceptions are rebuilt from their positional arguments; these hold named ones.
        return _rebuilt, (type(self), self.key, self.params)


class SourceError(VisionError):
    """A source cannot be opened or has stopped."""


class PhotoError(VisionError):
    """A photo cannot be read as a picture."""


class ReaderError(VisionError):
    """The networks are missing or do not fit their contract, or their process has died."""


def _rebuilt(kind: type[VisionError], key: str, params: dict[str, str | int]) -> VisionError:
    return kind(key, **params)
