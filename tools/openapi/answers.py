"""What each route answers, and which query it reads; tests and `make fuzz` hold it to the service.

Refusals are the same for all routes of a kind (`document.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from companion.engine import Odds
from companion.service import requests, wire

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Sent:
    """The answer of a route where all is well.

    `form`: the type of its JSON, or of each message of its stream; `query`: the
    parameter that it reads; `cookie`: whether it sets one; `empty`: whether 204 is an answer too;
    `refuses`: further statuses.
    """

    form: Any = None
    kind: str = JSON
    query: str = ""
    cookie: bool = False
    empty: bool = False
    refuses: tuple[int, ...] = ()


UPDATE: Final = Sent(wire.Update)
DONE: Final = Sent(requests.Done)
SETUP: Final = Sent(wire.SetupView)
STATISTICS: Final = Sent(wire.StatisticsView)
PAGE: Final = Sent(kind="text/html", refuses=(503,))
SVG: Final = "image/svg+xml"
JPEG: Final = "image/jpeg"

ANSWERS: Final[dict[tuple[str, str], Sent]] = {
    ("GET", "/"): PAGE,
    ("GET", "/j"): PAGE,
    ("GET", "/assets/<path:name>"): Sent(kind="*/*"),
    ("GET", "/locales/<language>.json"): Sent(dict[str, str | dict[str, str]]),
    ("GET", "/icon.svg"): Sent(kind=SVG),
    ("GET", "/favicon.ico"): Sent(kind="", empty=True),
    ("GET", "/api/stream"): Sent(wire.Update, EVENTS),
    ("GET", "/api/health"): Sent(requests.HealthAnswer),
    ("GET", "/api/state"): Sent(wire.Update, cookie=True),
    ("GET", "/api/log"): Sent(requests.LogAnswer),
    ("GET", "/api/clause/<clause>"): Sent(requests.ClauseAnswer),
    ("GET", "/api/explain/<int:seat>/<what>"): Sent(requests.WhyAnswer, query="card"),
    ("GET", "/api/time"): Sent(wire.TimeView),
    ("GET", "/api/time/<int:row>"): Sent(wire.TimeMoment),
    ("GET", "/api/forgotten"): Sent(wire.ForgottenView),
    ("POST", "/api/forgotten"): Sent(wire.ForgottenView),
    ("GET", "/api/odds"): Sent(Odds, query="keep"),
    ("GET", "/api/games"): Sent(requests.GamesAnswer),
    ("GET", "/api/games/<game>"): Sent(requests.PastGame),
    ("GET", "/api/games/<game>/story"): Sent(wire.StoryView),
    ("GET", "/api/games/<game>/scores.csv"): Sent(kind="text/csv"),
    ("GET", "/api/games/<game>/log.jsonl"): Sent(kind="application/jsonl"),
    ("GET", "/api/games/<game>/bgstats"): Sent(requests.PlayAnswer, query="lang"),
    ("GET", "/api/games/<game>/bgstats.svg"): Sent(kind=SVG, query="lang"),
    ("GET", "/api/scores.csv"): Sent(kind="text/csv"),
    ("GET", "/api/statistics"): STATISTICS,
    ("GET", "/api/names"): Sent(requests.NamesAnswer),
    ("POST", "/api/names"): STATISTICS,
    ("GET", "/api/tray.jpg"): Sent(kind=JPEG, query="proposal", refuses=(404,)),
    ("GET", "/api/crop/<proposal>/<int:die>.jpg"): Sent(kind=JPEG),
    ("GET", "/api/misread/<proposal>.zip"): Sent(kind="application/zip", query="faces"),
    ("GET", "/api/qr.svg"): Sent(kind=SVG, refuses=(404,)),
    ("GET", "/api/wifi.svg"): Sent(kind=SVG, refuses=(404,)),
    ("POST", "/api/join"): Sent(wire.Update, cookie=True),
    ("POST", "/api/seat"): UPDATE,
    ("POST", "/api/withdraw"): UPDATE,
    ("POST", "/api/claim"): UPDATE,
    ("POST", "/api/leave"): UPDATE,
    ("POST", "/api/host"): UPDATE,
    ("POST", "/api/sign-out"): UPDATE,
    ("POST", "/api/code"): UPDATE,
    ("POST", "/api/address"): UPDATE,
    ("POST", "/api/seen"): UPDATE,
    ("POST", "/api/commands"): DONE,
    ("POST", "/api/take-up"): UPDATE,
    ("POST", "/api/preview"): Sent(requests.PreviewAnswer),
    ("POST", "/api/keeps"): Sent(requests.KeepsAnswer),
    ("POST", "/api/coach"): Sent(requests.CoachAnswer),
    ("POST", "/api/read-again"): DONE,
    ("POST", "/api/fuse"): UPDATE,
    ("GET", "/api/setup"): SETUP,
    ("GET", "/api/setup.jpg"): Sent(kind=JPEG, empty=True),
    ("POST", "/api/setup"): SETUP,
    ("POST", "/api/boxes"): SETUP,
    ("GET", "/api/boxes/<box>"): Sent(kind="application/octet-stream"),
    ("POST", "/api/remember"): DONE,
    ("POST", "/api/boxes/file"): SETUP,
    ("POST", "/api/demo"): DONE,
    ("POST", "/api/demo/throw"): DONE,
    ("POST", "/api/demo/clear"): DONE,
    ("POST", "/api/drift"): DONE,
    ("POST", "/api/camera"): DONE,
    ("GET", "/tv"): PAGE,
    ("GET", "/overlay"): PAGE,
    ("POST", "/api/tv/join"): Sent(requests.Nothing, cookie=True),
    ("POST", "/api/overlay/join"): Sent(requests.Nothing, cookie=True),
    ("GET", "/api/tv/stream"): Sent(wire.ViewerView, EVENTS),
    ("GET", "/api/overlay/stream"): Sent(wire.ViewerView, EVENTS),
    ("GET", "/api/tv/qr.svg"): Sent(kind=SVG, refuses=(404,)),
    ("GET", "/api/tv/wifi.svg"): Sent(kind=SVG, refuses=(404,)),
    ("GET", "/api/tv/story"): Sent(wire.StoryView),
    ("GET", "/api/viewers"): Sent(requests.ViewersAnswer),
    ("POST", "/api/viewers"): Sent(requests.ViewersAnswer),
    ("POST", "/api/wifi"): UPDATE,
    ("POST", "/api/photo"): DONE,
}
"""By method and path, as `companion.service.http.routes` has them."""
