"""Routes for the QR code by which a phone joins the table's Wi-Fi."""

from __future__ import annotations

from flask import Blueprint, Response, abort

from companion.service import requests
from companion.service.api import answer, app_state, current_browser, read_form, secret
from companion.service.network.addresses import qr_svg

wifi = Blueprint("wifi", __name__, url_prefix="/api")


@wifi.get("/wifi.svg")
def code() -> Response:
    """Return the picture of the code, where the host shows it to all or asks for it."""
    text = app_state().wifi.text_for(current_browser().role)
    if text is None:
        abort(404)
    response = Response(qr_svg(text), mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "no-store"
    return response


@wifi.post("/wifi")
def show() -> Response:
    """Show the code to all, or to the host alone."""
    app_state().wifi.show(read_form(requests.WifiRequest).to_all)
    app_state().publish()
    return answer(app_state().update(secret()))
