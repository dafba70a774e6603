"""Routes of televisions and overlays, and of the host who lets them in. Their streams are in
`http/stream.py`.
"""

from __future__ import annotations

from flask import Blueprint, Response, abort, request

from companion.resources import LANGUAGES
from companion.service import requests
from companion.service.api import answer, app_state, read_form
from companion.service.http.guard import viewer_cookie
from companion.service.network.addresses import qr_svg
from companion.service.people.browser import COOKIE_S
from companion.service.wire import Role, ViewerKind
from companion.table import RefusedError

tv = Blueprint("tv", __name__, url_prefix="/api")
GROUP = 4
"""Signs of an overlay's token between two hyphens."""


@tv.post("/tv/join")
def join_tv() -> Response:
    """Let a television in by its token or code, and set its cookie."""
    return _joined(ViewerKind.TV)


@tv.post("/overlay/join")
def join_overlay() -> Response:
    """Let an overlay in by its token, and set its cookie."""
    return _joined(ViewerKind.OVERLAY)


@tv.get("/tv/qr.svg")
def qr() -> Response:
    """Return the QR code by which a phone joins, for a television."""
    invitation = app_state().browsers.invitation
    if not invitation.open:
        abort(404)
    return Response(qr_svg(app_state().join_url(invitation.token)), mimetype="image/svg+xml")


@tv.get("/tv/wifi.svg")
def wifi() -> Response:
    """Return the QR code of the table's Wi-Fi, for a television, where the host shows it to all."""
    text = app_state().wifi.text_for(Role.STRANGER)
    if text is None:
        abort(404)
    response = Response(qr_svg(text), mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "no-store"
    return response


@tv.get("/tv/story")
def story() -> Response:
    """Return the story of the game on the table, once it has ended, for a television."""
    return answer(app_state().stories.current())


@tv.get("/viewers")
def viewers() -> Response:
    """Return the addresses and the code of televisions and overlays."""
    return answer(_viewers())


@tv.post("/viewers")
def change_viewers() -> Response:
    """Make new tokens for one kind of viewers, or choose the language of all."""
    form, tokens = read_form(requests.ViewersRequest), app_state().view_tokens
    if form.language is not None:
        if form.language not in LANGUAGES:
            raise RefusedError("error.form.wrong", field="language")
        tokens.choose_language(form.language)
    if form.renew is not None:
        tokens.renew(form.renew)
    app_state().publish()
    return answer(_viewers())


def _joined(kind: ViewerKind) -> Response:
    form = read_form(requests.ViewerJoinRequest)
    tokens, state = app_state().view_tokens, app_state()
    token = tokens.admit(kind, request.remote_addr or "", form.token, form.code)
    response = answer(requests.Nothing())
    response.set_cookie(
        viewer_cookie(state.cookie),
        token,
        max_age=COOKIE_S,
        httponly=True,
        samesite="Strict",
        path=f"/api/{kind}",
    )
    return response


def _viewers() -> requests.ViewersAnswer:
    state = app_state()
    base, tokens = state.base_url, state.view_tokens.shown()
    overlay = "-".join(
        tokens.overlay[at : at + GROUP] for at in range(0, len(tokens.overlay), GROUP)
    )
    return requests.ViewersAnswer(
        address=f"{base}/tv",
        code=tokens.code,
        tv=f"{base}/tv#{tokens.tv}",
        overlay=f"{base}/overlay#{overlay}",
        language=tokens.language,
        watching=state.hub.viewers(ViewerKind.TV),
    )
