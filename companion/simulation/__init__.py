"""Many random games: the rows that they leave, on one core, several, or a cluster."""

from companion.simulation.errors import SimulationError
from companion.simulation.folder import KINDS, RowsFolder
from companion.simulation.plan import MOST_SEED, Plan, SimulatedGame, SimulatedSeat, play_game
from companion.simulation.run import Totals, run
from companion.simulation.workforce import Workforce, cluster, processes

__all__ = [
    "KINDS",
    "MOST_SEED",
    "Plan",
    "RowsFolder",
    "SimulatedGame",
    "SimulatedSeat",
    "SimulationError",
    "Totals",
    "Workforce",
    "cluster",
    "play_game",
    "processes",
    "run",
]
