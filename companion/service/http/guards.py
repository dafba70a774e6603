"""Who may ask at all: Host, Origin, mark, content type, route and role, in this order.

The shell asks before it reads a body, and Flask once more, since a role may have changed meanwhile.
Comparing Origin with Host alone is no defence against a rebound name: both are the attacker's.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.service.app_state import Desk
from companion.service.http.routes import CONTENT_TYPES, RANKS, Route, Routes
from companion.service.network.addresses import host_is_ours
from companion.service.network.unknown_host import HEADERS, Came
from companion.service.refusals import Answer, NotHeardError, refusal
from companion.service.wire import Role, You

MARK = "X-Monster-Table"
"""A header no other page can send without asking first, and nobody answers when they ask."""
READING = frozenset({"GET", "HEAD", "OPTIONS"})
LONGEST_PATH = 300
LONGEST_QUERY = 300
KNOWN = frozenset[str]().union(*CONTENT_TYPES.values())


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a request decides whether it is heard. `reached_at`: our address it came in at;
    `secret`: the browser's cookie; `accept`, `languages`: how a refusal may look.
    """

    method: str
    path: str
    query: str
    host: str
    origin: str | None
    content_type: str
    mark: str | None
    reached_at: str
    secret: str | None
    accept: str
    languages: str

    @property
    def kind(self) -> str:
        """The content type without its parameters."""
        return self.content_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that is heard: the route it goes to, and who asks."""

    route: Route
    you: You


class Guard:
    """Admits the requests of one service."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._routes = Routes()

    def admit(self, request: Asked) -> Admitted:
        """The route, and who asks; NotHeardError where the request is not heard."""
        status = self._foreign(request)
        if status:
            raise NotHeardError(status)
        if len(request.path) > LONGEST_PATH or len(request.query) > LONGEST_QUERY:
            raise NotHeardError(414)
        route = self._routes.find(request.method, request.path)
        wanted = CONTENT_TYPES[route.body]
        if wanted and request.kind not in wanted:
            raise NotHeardError(415)
        you = self._desk.browsers.you(request.secret)
        if RANKS.index(you.role) < RANKS.index(route.least):
            raise NotHeardError(403, _lacking(you.role, route.least))
        return Admitted(route, you)

    def refusal(self, request: Asked, refused: NotHeardError) -> Answer:
        """The refusal in the form that the sender can read: a page that leads on, or JSON."""
        came = Came(request.method, request.path, request.accept, request.languages)
        if refused.status == 421 and came.wants_a_page:
            url = self._desk.addresses.for_stranger(request.host, request.reached_at)
            page = self._desk.unknown_host.page(came, url)
            headers = {**HEADERS, "Content-Length": str(len(page))}
            return Answer(421, page, tuple(headers.items()))
        return refusal(refused)

    def _foreign(self, request: Asked) -> int:
        """0, or the status: 421 not our name, 403 another page's, 415 no form of ours.

        What is advertised is an origin of ours beside the one that `Host` makes: a proxy may answer
        https.
        """
        if not host_is_ours(request.host, self._desk.names, request.reached_at):
            return 421
        if request.origin not in {None, f"http://{request.host}", self._desk.settings.advertise}:
            return 403
        if request.method in READING:
            return 0
        if request.origin is None or request.mark is None:
            return 403
        return 0 if request.kind in KNOWN else 415


def _lacking(role: Role, least: Role) -> str:
    """Why the role is not enough, as a catalogue key."""
    if role is Role.STRANGER:
        return "error.not_joined"
    return "error.not_yours" if least is Role.HOST else "error.only_watching"
