"""Admission of requests: by Host, Origin, mark, content type, route and role, in this order.

The ASGI application asks before it reads a body, and Flask once more: a role may have changed.
Comparing Origin with Host alone is no defence against DNS rebinding: both are the attacker's.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.service.app_state import AppState
from companion.service.http.request_head import RequestHead
from companion.service.http.routes import CONTENT_TYPES, RANKS, Route, Routes, Work
from companion.service.network.addresses import host_is_ours
from companion.service.network.unknown_host import HEADERS, RefusedRequest
from companion.service.refusals import Answer, HttpError, error_answer
from companion.service.wire import Role, ViewerKind, You

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LONGEST_PATH = 300
LONGEST_QUERY = 300
KNOWN_TYPES = frozenset[str]().union(*CONTENT_TYPES.values())


@dataclass(frozen=True, slots=True)
class Admitted:
    """An admitted request: its route, and the browser that sent it."""

    route: Route
    you: You


class Guard:
    """Admits the requests of one service."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._routes = Routes()

    def admit(self, head: RequestHead) -> Admitted:
        """Return the route and the sender; raise HttpError where the request is refused."""
        status = self._foreign_status(head)
        if status:
            raise HttpError(status)
        if len(head.path) > LONGEST_PATH or len(head.query) > LONGEST_QUERY:
            raise HttpError(414)
        route = self._routes.find(head.method, head.path)
        wanted = CONTENT_TYPES[route.body]
        if wanted and head.media_type not in wanted:
            raise HttpError(415)
        you = self._app_state.browsers.you(head.secret)
        if RANKS.index(you.role) < RANKS.index(route.least):
            raise HttpError(403, _missing_role_key(you.role, route.least))
        # A stream says why it ends; a browser would not reconnect after a 403.
        if route.viewer not in {None, self.viewer(head)} and route.work is not Work.STREAM:
            raise HttpError(403, "error.no_viewer")
        return Admitted(route, you)

    def viewer(self, head: RequestHead) -> ViewerKind | None:
        """Return the kind of viewer that sent the request; None where its token is not valid."""
        return self._app_state.view_tokens.kind(head.viewer)

    def refusal(self, head: RequestHead, refused: HttpError) -> Answer:
        """Return the refusal as the sender can read it: a page with a link, or JSON."""
        request = RefusedRequest(head.method, head.path, head.accept, head.languages)
        if refused.status == 421 and request.wants_a_page:
            url = self._app_state.addresses.for_stranger(head.host, head.reached_at)
            page = self._app_state.unknown_host.page(request, url)
            headers = {**HEADERS, "Content-Length": str(len(page))}
            return Answer(421, page, tuple(headers.items()))
        return error_answer(refused)

    def _foreign_status(self, head: RequestHead) -> int:
        """Return the status of a foreign request: 421 for a host name that is not ours, 403 for
        another page's request, 415 for a content type we never take; 0 where it is ours.

        The advertised origin is ours beside the one that `Host` makes: a proxy may answer https.
        """
        if not host_is_ours(head.host, self._app_state.names, head.reached_at):
            return 421
        if head.origin not in {
            None,
            f"http://{head.host}",
            self._app_state.settings.advertise,
        }:
            return 403
        if head.method in SAFE_METHODS:
            return 0
        if head.origin is None or head.mark is None:
            return 403
        return 0 if head.media_type in KNOWN_TYPES else 415


def _missing_role_key(role: Role, least: Role) -> str:
    """Return why the role is not enough, as a catalogue key."""
    if role is Role.STRANGER:
        return "error.not_joined"
    return "error.not_yours" if least is Role.HOST else "error.only_watching"
