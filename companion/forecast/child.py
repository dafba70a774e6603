"""The forecasts' process: answers one question after the other, until nobody asks any more.

It may be killed at any moment, and it ends by itself when the service is gone. The service imports
nothing from here.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import msgspec

from companion.engine import BROKEN, Position
from companion.forecast.advice import advise
from companion.forecast.messages import (
    AdviceAsked,
    AdviceFound,
    AnyAsked,
    AnyFound,
    Failed,
    StoryFound,
)
from companion.forecast.network import ForecastError, by_turn, forecaster, load_contract

BEHIND: Final = 10
"""The niceness: a tap is answered first."""
_ASKED: Final = msgspec.json.Decoder(AnyAsked)


def answer(asked: AnyAsked, folder: Path) -> AnyFound:
    """Answer by the networks of `folder`; `Failed` says why not."""
    game = asked.position if isinstance(asked, AdviceAsked) else asked.turns[0][1]
    try:
        judge = forecaster(folder, game.rules)
        measured = load_contract(folder).networks[game.rules].measured
        if isinstance(asked, AdviceAsked):
            return AdviceFound(advise(judge, Position.of(asked.position)), measured)
        turns = by_turn(judge, ((row, Position.of(game)) for row, game in asked.turns))
        return StoryFound(turns, measured)
    except ForecastError as wrong:
        return Failed(wrong.key, wrong.params)
    except BROKEN:
        return Failed("error.forecast.position")


def run(service: Connection, folder: Path) -> None:
    """Answer until the service hangs up: then EOFError."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(BEHIND)
    while True:
        asked = _ASKED.decode(service.recv_bytes())
        service.send_bytes(msgspec.json.encode(answer(asked, folder)))


if __name__ == "__main__":
    with Connection(int(sys.argv[1])) as line, suppress(EOFError):
        run(line, Path(sys.argv[2]))
