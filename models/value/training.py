"""The network, its training and its export.

Every seat goes through one encoder and is then compared with the others, so seats are alike: only
their features tell them apart. A weighted sum of a seat's features is added to its score, since
few games must teach that stars and health are good.
"""

from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from companion.forecast.features import editions_of, seat_features, table_features
from companion.forecast.network import INPUTS, OUTPUT
from models.value.play import SEED, Data

OPSET: Final = 17
WIDTH: Final = 64
DROPPED: Final = 0.4
"""The share of hidden numbers left out of each step."""
NAMES_DROPPED: Final = 0.3
"""How often the name of a card is hidden in a step: most names occur in few games."""
NAMES: Final = ("card:", "shop:")
AVERAGED: Final = 0.99
"""How much of the averaged weights each step keeps; they are what is measured and exported."""
BATCH: Final = 512
EPOCHS: Final = 6
RATE: Final = 3e-3
DECAY: Final = 0.1
HELD_BACK: Final = 10
"""One game of so many chooses the epoch and is not trained on."""
_OUT: Final = 1e4
"""Subtracted from the score of a seat that is out."""


class ValueNetwork(nn.Module):
    """Win chances of each seat, from features of the seats and of the table."""

    def __init__(self, seat: int, table: int) -> None:
        super().__init__()
        self.seat = nn.Linear(seat, WIDTH)
        self.table = nn.Linear(table, WIDTH, bias=False)
        self.hidden = nn.Linear(WIDTH, WIDTH)
        self.compare = nn.Linear(3 * WIDTH, WIDTH)
        self.score = nn.Linear(WIDTH, 1)
        self.plain = nn.Linear(seat, 1, bias=False)
        self.dropped = nn.Dropout(DROPPED)
        nn.init.zeros_(self.score.weight)
        nn.init.zeros_(self.plain.weight)

    def forward(self, seats: Tensor, table: Tensor, living: Tensor) -> Tensor:
        """Return the chances, (positions, seats); they are 0 for the dead and 1 in all."""
        return torch.softmax(self.scores(seats, table, living), dim=1)

    def scores(self, seats: Tensor, table: Tensor, living: Tensor) -> Tensor:
        """Return the logits of the chances."""
        alive = living.unsqueeze(2)
        first = self.dropped(torch.relu(self.seat(seats) + self.table(table).unsqueeze(1)))
        own = self.dropped(torch.relu(self.hidden(first))) * alive
        total = own.sum(dim=1, keepdim=True)
        others = (total - own) / torch.clamp(alive.sum(dim=1, keepdim=True) - 1, min=1.0)
        most = own.amax(dim=1, keepdim=True).expand_as(own)
        compared = torch.relu(self.compare(torch.cat((own, others, most), dim=2)))
        scores = self.score(compared) + self.plain(seats)
        return scores.squeeze(2) + (living - 1) * _OUT


def train(data: Data, game: str, start: Path | None = None) -> tuple[ValueNetwork, float]:
    """Train a network of a game, from `start` or from random weights; return the averaged weights
    of the best epoch and their log loss on the games held back.
    """
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    network = ValueNetwork(data.seats.shape[2], data.table.shape[1])
    if start is not None:
        network.load_state_dict(torch.load(start, weights_only=True))
    held = data.of(data.game % HELD_BACK == 0)
    seen = data.of(data.game % HELD_BACK != 0)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * (len(seen.game) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    averaged = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED))
    order = np.random.default_rng(SEED)
    best, kept = float("inf"), network.state_dict()
    for epoch in range(EPOCHS):
        network.train()
        shuffled = order.permutation(len(seen.game))
        for begin in range(0, len(shuffled), BATCH):
            batch = hidden(seen.of(shuffled[begin : begin + BATCH]), game, order)
            optimiser.zero_grad()
            loss_of(network, batch).backward()
            optimiser.step()
            schedule.step()
            averaged.update_parameters(network)
        loss = held_back_loss(averaged.module, held)
        print(f"epoch {epoch + 1}: log loss {loss:.4f} on games held back", flush=True)
        if loss < best:
            weights = averaged.module.state_dict()
            best, kept = loss, {name: one.clone() for name, one in weights.items()}
    network.load_state_dict(kept)
    return network, best


def hidden(data: Data, game: str, chance: np.random.Generator) -> Data:
    """Return the positions with some names hidden: each stays in a position or is hidden there."""
    editions = editions_of(game)
    seats, table = data.seats.copy(), data.table.copy()
    for array, features in ((seats, seat_features(editions)), (table, table_features(editions))):
        named = [column for column, name in enumerate(features) if name.startswith(NAMES)]
        drawn = chance.random((len(array), len(named))) >= NAMES_DROPPED
        array[..., named] *= drawn if array.ndim == 2 else drawn[:, None]
    return data._replace(seats=seats, table=table)


def loss_of(network: ValueNetwork, data: Data) -> Tensor:
    """Return the log loss; if nobody won, those who lived share the game."""
    seats, table, living, won = (
        torch.from_numpy(np.asarray(one, np.float32))
        for one in (data.seats, data.table, data.living, data.won())
    )
    logs = torch.log_softmax(network.scores(seats, table, living), dim=1)
    return -(won * logs).sum(dim=1).mean()


@torch.no_grad()
def held_back_loss(network: ValueNetwork, data: Data) -> float:
    """Return the mean log loss, in parts that fit into memory."""
    network.eval()
    parts = np.array_split(np.arange(len(data.game)), len(data.game) // (8 * BATCH) + 1)
    losses = [float(loss_of(network, data.of(part))) for part in parts]
    return float(np.average(losses, weights=[len(part) for part in parts]))


def export(network: ValueNetwork, path: Path) -> None:
    """Write the network as ONNX, with any number of positions and seats."""
    path.parent.mkdir(parents=True, exist_ok=True)
    network.eval()
    example = (
        torch.zeros(1, 2, network.seat.in_features),
        torch.zeros(1, network.table.in_features),
        torch.ones(1, 2),
    )
    axes = {name: {0: "positions", 1: "seats"} for name in ("seats", "living", OUTPUT)}
    torch.onnx.export(
        network, example, str(path), input_names=list(INPUTS), output_names=[OUTPUT],
        dynamic_axes={**axes, "table": {0: "positions"}}, opset_version=OPSET, dynamo=False,
    )  # fmt: skip
