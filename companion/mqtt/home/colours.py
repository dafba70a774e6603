"""The colour of each Monster's picture, for a lamp in the colour of whose turn it is."""

from __future__ import annotations

from typing import Final

COLOURS: Final = {
    "puffin_rex": "#ff9a3c",
    "old_scree": "#bdb6a6",
    "lampmoth": "#c9a4ff",
    "inkwell": "#7d97ff",
    "kelp_auntie": "#2fc7a4",
    "spinella": "#83cf8a",
    "crabminster": "#f08a72",
    "snailquake": "#f2a3d6",
    "wispwool": "#efe6cf",
    "pylonna": "#cfc04e",
    "tuskadon": "#c99562",
    "drizzla": "#9fb4d6",
}
"""Those of the phone app (`webui/src/art/monsters/monsters.ts`), by the picture's id."""
NO_COLOUR: Final = "#ffffff"


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue of `#rrggbb`, as a lamp takes them."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue
