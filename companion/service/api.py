"""The JSON API: a function for each route. Errors are catalogue keys; a 409 carries a new view."""

from __future__ import annotations

from importlib.metadata import version

import msgspec
from flask import Response, abort, current_app, request

from companion import engine
from companion.engine import Position
from companion.errors import KeyedError
from companion.forecast.messages import AdviceAsked
from companion.service import requests, wire
from companion.service.app_state import AppState
from companion.service.http.guard import admitted, viewer_cookie
from companion.service.machine.joining import qr_svg
from companion.service.people.browsers import COOKIE_S
from companion.service.people.rights import check_may_send
from companion.service.views.logbook import conflict_of
from companion.service.views.past import games_answer, time_moment, time_view
from companion.service.views.preview import (
    coach_answer,
    keeps_answer,
    preview_answer,
    with_dice,
    with_reasons,
)
from companion.service.views.reasons import why
from companion.service.views.words import clauses
from companion.service.wire import Role, ViewerKind, Words
from companion.service.wire_pages import Conflict
from companion.table import RefusedError, SeatSetup

FORBIDDEN = frozenset(
    {"error.closed", "error.host_from_terminal", "error.not_joined", "error.not_yours"}
    | {"error.only_watching", "error.wrong_code", "error.wrong_view_code"}
)
CSV = "text/csv; charset=utf-8"
GROUP = 4
"""Signs of an overlay's token between two hyphens."""
NO_DIE = "-"
"""Among faces: this is no die."""
PHOTO = "error.photo."
"""Keys that begin so refuse a body of the right form that is no picture of dice."""


def app_state() -> AppState:
    """Return the state of the service that got this request."""
    found: AppState = current_app.extensions["app_state"]
    return found


def secret() -> str | None:
    """Return the cookie of the browser that sent this request."""
    return admitted().secret


def answer(value: object, status: int = 200) -> Response:
    """Return the value as a JSON response."""
    return Response(msgspec.json.encode(value), status, mimetype="application/json")


def refusal(refused: KeyedError, conflict: Conflict | None = None) -> Response:
    """Return the refusal as an ErrorAnswer: 409 with a new view if the sender's was outdated."""
    error = Words(key=refused.key, args=refused.params)
    is_outdated = isinstance(refused, RefusedError) and refused.outdated
    if is_outdated and app_state().browsers.you(secret()).role is not Role.STRANGER:
        update = app_state().update(secret())
        return answer(requests.ErrorAnswer(error=error, update=update, conflict=conflict), 409)
    if refused.key == "error.too_many_tries":
        return answer(requests.ErrorAnswer(error=error), 429)
    status = 403 if refused.key in FORBIDDEN else 422 if refused.key.startswith(PHOTO) else 400
    return answer(requests.ErrorAnswer(error=error), status)


def health() -> Response:
    """Return that the service answers, and which version it is."""
    state = app_state()
    return answer(
        requests.HealthAnswer(
            version=version("monster-table"),
            saved=state.table.saved,
            safe=bool(state.settings.safe),
            table=state.settings.title,
        )
    )


def state() -> Response:
    """Return the newest update, and renew the cookie."""
    return with_cookie(answer(app_state().update(secret())), secret() or "")


def log() -> Response:
    """Return all rows of the log."""
    return Response(app_state().log_answer(), mimetype="application/json")


def clause_of(clause: str) -> Response:
    """Return one clause of a rulebook."""
    found = clauses().get(clause)
    if found is None:
        abort(404)
    return answer(found)


def explain(seat: int, what: str) -> Response:
    """Return the reasons for a number of a Monster."""
    card = request.args.get("card", "")
    return answer(why(app_state().table.snapshot(), seat, what, card))


def join(form: requests.JoinRequest) -> Response:
    """Let the browser in by a token or code, and set its cookie."""
    known = secret() or ""
    if admitted().you.role is Role.STRANGER:
        known, _ = app_state().browsers.join(request.remote_addr or "", form.token, form.code)
    elif form.token is not None:
        app_state().browsers.show_token(known, form.token)
    app_state().demo.seat_host(known)
    app_state().publish_beside()
    return with_cookie(answer(app_state().update(known)), known)


def seat(form: requests.SeatRequest) -> Response:
    """Seat the browser, or ask the seat's holder for it."""
    app_state().browsers.sit(secret() or "", form.seat, take_over=form.take_over)
    return published_update()


def sit(form: SeatSetup) -> Response:
    """Make a seat for the browser at a table that has not started, or change its own."""
    app_state().sit(secret() or "", form)
    return published_update()


def withdraw(_: requests.Nothing) -> Response:
    """Drop the browser's request for a seat."""
    app_state().browsers.withdraw(secret() or "")
    return published_update()


def claim(form: requests.ClaimRequest) -> Response:
    """Give the seat to the browser that asks for it, or keep it: for its holder and the host."""
    app_state().browsers.answer(secret() or "", form.by, form.seat, give=form.give)
    return published_update()


def leave(_: requests.Nothing) -> Response:
    """Take the browser from its seat; it goes on watching."""
    app_state().browsers.leave_seat(secret() or "")
    return published_update()


def host(form: requests.HostRequest) -> Response:
    """Make another browser host; if the host is lost, at the request of any seated browser."""
    app_state().browsers.hand_over(secret() or "", form.to)
    return published_update()


def sign_out(form: requests.SignOutRequest) -> Response:
    """Remove a browser, or all others, on the host's wish.

    Televisions are to be let in again: they show the new code, and one may be in the same hands.
    """
    app_state().browsers.sign_out(secret() or "", form.who)
    kinds = wire.ViewerKind if form.who is None else (wire.ViewerKind.TV,)
    app_state().view_tokens.renew(*kinds)
    return published_update()


def code(form: requests.CodeRequest) -> Response:
    """Replace the code and token that let browsers in, or close the table."""
    app_state().browsers.renew_invitation(is_open=form.open)
    return published_update()


def address(form: requests.AddressRequest) -> Response:
    """Put this address of the table on the QR code."""
    if not app_state().addresses.choose(form.address):
        raise RefusedError("error.no_such_address", outdated=True)
    return published_update()


def seen(form: requests.SeenRequest) -> Response:
    """Mark a notice as seen, so that phones no longer show it."""
    app_state().mark_seen(form.notice)
    return published_update()


def commands(command: requests.Command) -> Response:
    """Apply all events of the command, or none of them."""
    try:
        rev = app_state().submit(admitted().you, command)
    except RefusedError as refused:
        now = app_state().table.snapshot()
        if not refused.outdated or command.table != now.game_id:
            raise
        return refusal(refused, conflict_of(command.events, command.base_rev, now))
    return answer(requests.Done(rev=rev))


def games() -> Response:
    """Return the games of the log, each as a line of the list."""
    return answer(games_answer(app_state().table))


def past(game: str) -> Response:
    """Return one game of the log, to look at."""
    return Response(app_state().past_games.look_at(_known(game)), mimetype="application/json")


def take_up(form: requests.TakeUpRequest) -> Response:
    """Make that game the current one again; the one before stays in the list."""
    app_state().table.resume(form.id)
    return published_update()


def preview(form: requests.PreviewRequest) -> Response:
    """Return what these dice would do; nothing changes."""
    position = app_state().table.snapshot().state.game_position()
    known = position.rules.faces
    foreign = [face for face in (*form.faces, *form.order) if face not in known]
    if foreign:
        raise RefusedError("error.wrong_face", face=foreign[0])
    found = preview_answer(position, form.faces, form.order, form.rethrown)
    if form.why:
        found = with_reasons(found, position, form.faces, form.order, form.rethrown)
    return answer(found)


def photo() -> Response:
    """Read the dice of a photo and propose them."""
    if app_state().settings.safe:
        raise RefusedError("error.safe_mode", outdated=False)
    app_state().tray.read_photo(request.get_data(cache=False))
    return done()


def read_again(_: requests.Nothing) -> Response:
    """Ask the camera for a new reading of the tray."""
    app_state().tray.read_again()
    return done()


def put_out_fuse(form: requests.FuseRequest) -> Response:
    """Put out the fuse: somebody touched a phone. Any browser may, since it only leaves a tap."""
    app_state().auto_apply.cancel(form.id)
    return answer(app_state().update(secret()))


def setup() -> Response:
    """Return the state of the set-up and the boxes that are kept."""
    return answer(app_state().setup.view())


def camera_picture() -> Response:
    """Return what the camera sees, small."""
    picture = app_state().setup.picture()
    # Before the first picture an image without content is no error to a browser's console.
    return Response(picture, 204 if picture is None else 200, mimetype="image/jpeg")


def take_setup_step(form: requests.SetupRequest) -> Response:
    """Take a step of the set-up."""
    app_state().setup.take(form)
    return published_setup()


def handle_box(form: requests.BoxRequest) -> Response:
    """Choose, put away, rename or delete a box of dice."""
    app_state().setup.handle(form)
    return published_setup()


def exported_box(box: str) -> Response:
    """Return a box of dice as a file to keep elsewhere."""
    content = app_state().setup.export(box)
    if content is None:
        abort(404)
    return _file(content, "application/octet-stream", f"dice-{box}.json")


def import_box() -> Response:
    """Keep and use the box of dice in this file."""
    app_state().setup.bring_back(request.get_data(cache=False))
    return published_setup()


def drift(form: requests.DriftRequest) -> Response:
    """Answer what the camera has noticed between rolls."""
    app_state().tray.answer_drift(form.act)
    return done()


def demo(form: requests.DemoRequest) -> Response:
    """Put demo dice into the tray, with a game to try them in; or read the camera of before."""
    if form.on:
        if app_state().settings.safe:
            raise RefusedError("error.safe_mode")
        app_state().demo.turn_on(secret())
    else:
        app_state().demo.turn_off()
    app_state().publish()
    return done()


def throw_demo_dice(form: requests.DemoThrowRequest) -> Response:
    """Throw demo dice for the roll that is awaited, for whoever may enter it."""
    check_may_send(admitted().you, (engine.DiceRolled(()),), app_state().table.snapshot())
    app_state().tray.throw_demo_dice(form.proposal, form.keep)
    return done()


def clear_demo_dice(_: requests.Nothing) -> Response:
    """Take all demo dice out of the tray."""
    app_state().tray.clear_demo_dice()
    return done()


def camera(_: requests.Nothing) -> Response:
    """Read the dice with the camera that was plugged in."""
    app_state().tray.use_source(app_state().cameras.take())
    return done()


def tray_picture() -> Response:
    """Return the picture of a proposal's dice as they were read."""
    return _jpeg(app_state().tray.picture(request.args.get("proposal", "")))


def crop(proposal: str, die: int) -> Response:
    """Return the picture of one die as it was read."""
    return _jpeg(app_state().tray.crop(proposal, die))


def misread(proposal: str) -> Response:
    """Return a report of a misread roll, with the faces of its dice as the phone has them."""
    said = request.args.get("faces")
    faces = None if said is None else tuple(_face_or_none(one) for one in said.split(","))
    return _file(app_state().tray.misread_report(proposal, faces), "application/zip", "misread.zip")


def qr() -> Response:
    """Return the QR code by which another phone joins."""
    invitation = app_state().browsers.invitation
    if not invitation.open:
        abort(404)
    return _picture(qr_svg(f"{app_state().base_url}/j#{invitation.token}"))


def wifi() -> Response:
    """Return the QR code of the table's Wi-Fi, if the host shows it to all or asks for it."""
    text = app_state().wifi.text_for(admitted().you.role)
    if text is None:
        abort(404)
    return _picture(qr_svg(text))


def show_wifi(form: requests.WifiRequest) -> Response:
    """Show the code to all, or to the host alone."""
    app_state().wifi.show(form.to_all)
    return published_update()


def join_viewer(form: requests.JoinRequest) -> Response:
    """Let a television or an overlay in by its token, and set its cookie."""
    kind = ViewerKind(request.path.split("/")[2])
    token = app_state().view_tokens.admit(kind, form.token)
    return _with_view_token(answer(requests.Nothing()), kind, token)


def pair_tv(form: requests.PairRequest) -> Response:
    """Let a television in once the host has scanned its code, and set its cookie."""
    token = app_state().view_tokens.token_for(form.pair)
    found = answer(requests.PairAnswer(let_in=token is not None))
    return found if token is None else _with_view_token(found, ViewerKind.TV, token)


def tv_pair(pair: str) -> Response:
    """Return the QR code by which the host's phone lets this television in."""
    return _picture(qr_svg(f"{app_state().base_url}/#tv-{pair}"))


def tv_story() -> Response:
    """Return the story of the game on the table, once it has ended, for a television."""
    return answer(app_state().stories.story(app_state().table.snapshot().game_id))


def viewers() -> Response:
    """Return the addresses of televisions and overlays."""
    state = app_state()
    base, tokens = state.base_url, state.view_tokens.shown()
    overlay = "-".join(
        tokens.overlay[at : at + GROUP] for at in range(0, len(tokens.overlay), GROUP)
    )
    shown = requests.ViewersAnswer(
        address=f"{base}/tv",
        tv=f"{base}/tv#{tokens.tv}",
        overlay=f"{base}/overlay#{overlay}",
        language=tokens.language,
        watching=state.hub.viewers(ViewerKind.TV),
    )
    return answer(shown)


def change_viewers(form: requests.ViewersRequest) -> Response:
    """Let a television in, make new tokens for one kind of viewers, or choose the language."""
    tokens = app_state().view_tokens
    if form.language is not None:
        tokens.choose_language(form.language)
    if form.let_in is not None:
        tokens.let_in(form.let_in)
    if form.renew is not None:
        tokens.renew(form.renew)
    app_state().publish()
    return viewers()


def statistics() -> Response:
    """Return the statistics of the finished games that are counted."""
    return Response(app_state().archive.statistics_answer(), mimetype="application/json")


def names() -> Response:
    """Return who has played, to suggest for a seat."""
    return answer(app_state().archive.known_names())


def change_names(form: requests.NamesRequest) -> Response:
    """Merge two names of one person, or take them apart."""
    app_state().archive.change_names(form)
    return statistics()


def card_names() -> Response:
    """Return what cards are called in the table's box."""
    state = app_state()
    return answer(requests.CardNamesAnswer(names=dict(state.card_names.of(state.tray.game))))


def name_card(form: requests.CardNameRequest) -> Response:
    """Remember what a card is called in the table's box."""
    state = app_state()
    state.card_names.put(state.tray.game, form.card, form.name)
    return card_names()


def all_scores() -> Response:
    """Return the scores of all finished games as a file."""
    return _file(app_state().archive.all_scores().encode(), CSV, "scores.csv")


def scores(game: str) -> Response:
    """Return the scores of one game as a file."""
    content = app_state().archive.scores(_known(game))
    return _file(content.encode(), CSV, f"scores-{game}.csv")


def rows(game: str) -> Response:
    """Return the rows of a finished game as a file that `companion replay` reads."""
    content = app_state().archive.rows(_known(game))
    return _file(content, "application/jsonl; charset=utf-8", f"log-{game}.jsonl")


def story(game: str) -> Response:
    """Return the story of a finished game."""
    return answer(app_state().stories.story(_known(game)))


def play(game: str) -> Response:
    """Return the links that hand a finished game to BG Stats."""
    return answer(app_state().archive.play(_known(game), request.args.get("lang", "")))


def play_qr(game: str) -> Response:
    """Return the QR code of the link for BG Stats."""
    found = app_state().archive.play(_known(game), request.args.get("lang", ""))
    return _picture(qr_svg(found.link, dense=True))


def done() -> Response:
    """Return that the request was done, with the table's revision."""
    return answer(requests.Done(rev=app_state().table.snapshot().rev))


def with_cookie(response: Response, value: str, name: str = "", path: str = "/") -> Response:
    """Return the answer with a cookie, by default that of a browser that has joined."""
    name = name or app_state().cookie
    response.set_cookie(name, value, max_age=COOKIE_S, httponly=True, samesite="Strict", path=path)
    return response


def published_update() -> Response:
    """Return the newest update, which all others get too."""
    app_state().publish_beside()
    return answer(app_state().update(secret()))


def published_setup() -> Response:
    """Return the state of the set-up; other phones see which box is in use."""
    app_state().publish()
    return answer(app_state().setup.view())


def _jpeg(picture: bytes | None) -> Response:
    if picture is None:
        abort(404)
    response = Response(picture, mimetype="image/jpeg")
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


def _face_or_none(name: str) -> engine.Face | None:
    """Return the face of that name, None for NO_DIE; RefusedError for any other word."""
    if name == NO_DIE:
        return None
    try:
        return engine.Face(name)
    except ValueError as unknown:
        raise RefusedError("error.wrong_face", face=name) from unknown


def _with_view_token(response: Response, kind: ViewerKind, token: str) -> Response:
    return with_cookie(response, token, viewer_cookie(app_state().cookie), f"/api/{kind}")


def _known(game: str) -> str:
    """Return the name of a game of the log; 404 if there is none."""
    if game not in app_state().log.games:
        abort(404)
    return game


def _file(content: bytes, kind: str, name: str) -> Response:
    """Return a file to keep."""
    response = Response(content, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _picture(svg: bytes) -> Response:
    return Response(svg, mimetype="image/svg+xml")


def forgotten() -> Response:
    """Return where the table's numbers differ from the rules."""
    return answer(app_state().score_audit.view())


def act_on_forgotten(form: requests.ForgottenRequest) -> Response:
    """Leave what is found as it is, or ask about it again."""
    return answer(app_state().score_audit.act(form))


def time_line() -> Response:
    """Return the turns and branches of the game that is played."""
    return answer(time_view(app_state().table.snapshot()))


def time_at(row: int) -> Response:
    """Return the table as it was after a row."""
    return answer(time_moment(app_state().table.snapshot(), row))


def keeps(form: requests.PreviewRequest) -> Response:
    """Return which of these dice the seat of this phone may sensibly keep."""
    return answer(keeps_answer(_deciding(form)))


def coach(form: requests.PreviewRequest) -> Response:
    """Return what the answers of the open decision leave the seat of this phone."""
    position = _deciding(form)
    found = app_state().forecasts.advice(AdviceAsked(position.game))
    return answer(coach_answer(position, found))


def _deciding(form: requests.PreviewRequest) -> Position:
    """Return the position in which this phone's seat decides about the dice it has sent."""
    state = app_state().table.snapshot().state
    return with_dice(state, admitted().you.seat, form.faces, form.rethrown)
