"""Where `webui`, its catalogues, the networks and games' texts are: the only place that knows."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

PACKED = Path(__file__).parent / "_data"
CHECKOUT = Path(__file__).parent.parent
LANGUAGES = ("en", "es", "fr", "is")
"""Those of the catalogues; the first where nothing says which."""
FOLDERS = {"webui": "webui/dist", "locales": "webui/locales", "models": "models"}


def resource_dir(name: str) -> Path:
    """The folder `webui`, `locales` or `models`: inside the wheel, or beside the package."""
    packed = PACKED / name
    return packed if packed.is_dir() else CHECKOUT / FOLDERS[name]


def package_text(package: str, *path: str) -> str | None:
    """Return a text file inside an importable package; None where it cannot be read."""
    if not package or not all(path):
        return None
    try:
        return files(package).joinpath(*path).read_text("utf-8")
    except (ImportError, OSError, TypeError, ValueError):
        return None
