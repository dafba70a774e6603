"""Paths of packaged files: the phone app, its catalogues, the networks, and texts of games."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

PACKED = Path(__file__).parent / "_data"
CHECKOUT = Path(__file__).parent.parent
LANGUAGES = ("en", "es", "fr", "is")
"""The catalogues' languages; the first is the default."""
FOLDERS = {"webui": "webui/dist", "locales": "webui/locales", "models": "models"}


def resource_dir(name: str) -> Path:
    """Return the folder `webui`, `locales` or `models`: inside the wheel, or in the checkout."""
    packed = PACKED / name
    return packed if packed.is_dir() else CHECKOUT / FOLDERS[name]


def package_text(package: str, *path: str) -> str | None:
    """Return a text file of an importable package; None if it cannot be read."""
    if not package or not all(path):
        return None
    try:
        return files(package).joinpath(*path).read_text("utf-8")
    except (ImportError, OSError, TypeError, ValueError):
        return None
