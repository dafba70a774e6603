"""How good a network for win chances is, in one sentence."""

from __future__ import annotations

from typing import Final

from companion.service.wire import Words

EQUAL: Final = "constant_brier"
"""The score of equal chances, in the contract."""


def measured_words(measured: dict[str, float]) -> Words:
    """Return its Brier score beside that of equal chances, or that nobody has measured it. The last
    score of the contract is that of the network that is shipped.
    """
    scores = [value for name, value in measured.items() if name.endswith("_brier")]
    if len(scores) < 2 or "games" not in measured or EQUAL not in measured:
        return Words(key="forecast.unmeasured")
    return Words(
        key="forecast.measured",
        args={
            "count": round(measured["games"]),
            "score": f"{scores[-1]:.3f}",
            "equal": f"{measured[EQUAL]:.3f}",
        },
    )
