"""The contract `value.json`, and the networks that it names: a position in, win chances out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from msgspec import Meta

from companion.engine import Position
from companion.errors import KeyedError
from companion.forecast.features import Encoded, Encoder, Floats
from companion.forecast.messages import Chances, TurnChances
from companion.onnx_runtime import BAD_NETWORK, onnxruntime, session_options

FOLDER: Final = "value"
"""The folder of the networks, in that of all networks."""
NAME: Final = "value.json"
VERSION: Final = 1
"""The version of the features; a contract of another one is refused."""
MOST_BYTES: Final = 300_000
"""The largest network that is loaded."""
INPUTS: Final = ("seats", "table", "living")
OUTPUT: Final = "chances"

FeatureName = Annotated[str, Meta(min_length=1, max_length=64)]
FileName = Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,60}\.onnx$")]


class NetworkTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One network: its file, its features in order, each with the number it is divided by, and
    what was measured."""

    file: FileName
    seat: Annotated[dict[FeatureName, float], Meta(max_length=1000)]
    table: Annotated[dict[FeatureName, float], Meta(max_length=1000)]
    measured: dict[str, float] = {}


class Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `value.json`; `networks` by the game's name."""

    version: int
    seed: int
    commit: str
    networks: dict[str, NetworkTerms]


class ForecastError(KeyedError):
    """A network is missing or does not fit."""


_CONTRACT: Final = msgspec.json.Decoder(Contract)


def load_contract(folder: Path) -> Contract:
    """Load the folder's contract. ForecastError if it is missing, malformed or of another
    version."""
    path = folder / NAME
    try:
        contract = _CONTRACT.decode(path.read_bytes())
    except OSError as error:
        raise ForecastError("error.forecast.missing", path=str(path)) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise _misfit(path, str(error)) from error
    if contract.version != VERSION:
        raise _misfit(path, f"version {contract.version}, not {VERSION}")
    return contract


def _misfit(path: Path, reason: str) -> ForecastError:
    return ForecastError("error.forecast.contract", path=str(path), reason=reason)


class Forecaster:
    """The network of one game, loaded."""

    def __init__(self, game: str, encoder: Encoder, session: onnxruntime.InferenceSession) -> None:
        self.game = game
        self.encoder = encoder
        self._session = session

    @classmethod
    def load(cls, folder: Path, game: str) -> Forecaster:
        """Load the network of a game from the folder of the contract.

        Raises ForecastError: `error.forecast.game` if the contract has none for this game, else
        what is missing or does not fit.
        """
        contract = load_contract(folder)
        terms = contract.networks.get(game)
        if terms is None:
            known = ", ".join(contract.networks)
            raise ForecastError("error.forecast.game", game=game, known=known)
        try:
            encoder = Encoder(terms.seat, terms.table)
        except ValueError as error:
            raise _misfit(folder / NAME, str(error)) from error
        session = _session(folder / terms.file)
        shapes = {one.name: one.shape for one in session.get_inputs()}
        widths = (len(terms.seat), len(terms.table))
        found = [shapes[name][-1] if name in shapes else None for name in INPUTS[:2]]
        outputs = [one.name for one in session.get_outputs()]
        if found != [*widths] or set(shapes) != set(INPUTS) or outputs != [OUTPUT]:
            raise _misfit(folder / terms.file, "other features than in the contract")
        return cls(game, encoder, session)

    def chances(self, positions: Sequence[Position]) -> tuple[Chances, ...]:
        """Return the win chances in each of these positions, which have equally many seats.

        If the game is over its winners share 1; if nobody won, all have 0.
        """
        still = [position for position in positions if position.game.ended is None]
        judged = iter(self.judge(self.encoder.encode(still))) if still else iter(())
        return tuple(
            tuple(float(chance) for chance in next(judged))
            if position.game.ended is None
            else _of_winners(position)
            for position in positions
        )

    def judge(self, encoded: Encoded) -> Floats:
        """Return the network's answer, (positions, seats), for games that are not over."""
        inputs = dict(zip(INPUTS, (encoded.seats, encoded.table, encoded.living), strict=True))
        found: Any = self._session.run([OUTPUT], inputs)[0]
        return np.asarray(found, np.float32)


def _of_winners(position: Position) -> Chances:
    ended = position.game.ended
    winners = () if ended is None else ended.winners
    seats = range(len(position.game.monsters))
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in seats)


def _session(path: Path) -> onnxruntime.InferenceSession:
    """Load a network for running in one thread."""
    options = session_options(threads=1)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ForecastError("error.forecast.missing", path=str(path)) from error
    if size > MOST_BYTES:
        raise _misfit(path, f"{size} bytes, more than {MOST_BYTES}")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except BAD_NETWORK as error:
        raise ForecastError("error.forecast.network", path=str(path)) from error


@cache
def forecaster(folder: Path, game: str) -> Forecaster:
    """Return the network of a game, loaded once for each folder and game."""
    return Forecaster.load(folder, game)


def by_turn(
    forecaster: Forecaster, positions: Iterable[tuple[int, Position]]
) -> tuple[TurnChances, ...]:
    """Return the chances at the beginning of each turn, and at the end of the game.

    `positions`: those after each row of one game, oldest first, with the rows' numbers. What comes
    before the first turn is left out.
    """
    found: list[tuple[int, Position]] = []
    for row, position in positions:
        ended, number = position.game.ended is not None, position.game.turn.number
        last = found[-1][1].game if found else None
        if ended and last is not None and last.ended is not None:
            continue
        if number and (ended or last is None or last.turn.number != number):
            found.append((row, position))
    if not found:
        return ()
    chances = forecaster.chances([position for _, position in found])
    return tuple(
        TurnChances(
            turn=position.game.turn.number,
            row=row,
            seat=position.game.turn.active,
            chances=one,
            ended=position.game.ended is not None,
        )
        for (row, position), one in zip(found, chances, strict=True)
    )
