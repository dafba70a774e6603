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
from companion.forecast import (
    Forecaster,
    ForecastError,
    advise,
    by_turn,
    forecaster,
    load_contract,
    turning_point,
)
from companion.forecasting.messages import (
    AdviceAsked,
    AdviceFound,
    AnswerFound,
    AnyAsked,
    AnyFound,
    Failed,
    NetworkFound,
    StoryAsked,
    StoryFound,
    TurnFound,
)

BEHIND: Final = 10
"""The niceness: a tap is answered first."""
_ASKED: Final = msgspec.json.Decoder(AnyAsked)


def answer(asked: AnyAsked, folder: Path) -> AnyFound:
    """Answer by the networks of `folder`; `Failed` says why not."""
    game = asked.position if isinstance(asked, AdviceAsked) else asked.turns[0][1]
    try:
        judge = forecaster(folder, game.rules)
        network = NetworkFound(load_contract(folder).networks[game.rules].measured)
        if isinstance(asked, AdviceAsked):
            return _advice(judge, asked, network)
        return _story(judge, asked, network)
    except ForecastError as wrong:
        return Failed(wrong.key, wrong.params)
    except BROKEN:
        return Failed("error.forecast.position")


def _advice(judge: Forecaster, asked: AdviceAsked, network: NetworkFound) -> AdviceFound:
    found = advise(judge, Position.of(asked.position))
    if found is None:
        return AdviceFound(None, network)
    return AdviceFound(
        seat=found.seat,
        network=network,
        compares=found.compares,
        now=found.now,
        answers=tuple(AnswerFound(one.chance, one.event, one.keep) for one in found.answers),
        left_out=found.left_out,
    )


def _story(judge: Forecaster, asked: StoryAsked, network: NetworkFound) -> StoryFound:
    turns = by_turn(judge, ((row, Position.of(game)) for row, game in asked.turns))
    turned = turning_point(turns)
    return StoryFound(
        turns=tuple(
            TurnFound(one.turn, one.row, one.seat, one.chances, one.ended) for one in turns
        ),
        turned=None if turned is None else turns.index(turned),
        network=network,
    )


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
