"""The OpenAPI document is valid and has every route; `make fuzz` holds it to the service."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from companion.service.app import ROUTES
from companion.service.http.guard import CSRF_HEADER
from companion.service.http.routes import CONTENT_TYPES, Body, Route
from companion.service.wire import Role
from tools.schemas import ANSWERS, document, operation_path

DOCUMENT: dict[str, Any] = json.loads(json.dumps(document()))
OPERATIONS = {
    (method.upper(), path): operation
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}


def of(route: Route) -> dict[str, Any]:
    found: dict[str, Any] = OPERATIONS[route.method, operation_path(route.path)]
    return found


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """The part itself, if it only refers to another one."""
    while (ref := part.get("$ref")) is not None:
        part = DOCUMENT
        for name in ref.removeprefix("#/").split("/"):
            part = part[name]
    return part


def test_it_is_a_valid_document() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert [str(wrong) for wrong in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_it_has_every_route_and_no_other() -> None:
    routes = {(route.method, route.path) for route in ROUTES}
    assert ANSWERS.keys() == routes
    assert OPERATIONS.keys() == {(method, operation_path(path)) for method, path in routes}
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_a_route_says_what_it_takes_and_who_may_ask(route: Route) -> None:
    operation = of(route)
    parameters = [resolved(each) for each in operation.get("parameters", [])]
    headers = {each["name"] for each in parameters if each["in"] == "header" and each["required"]}
    assert headers == ({CSRF_HEADER, "Origin"} if route.method == "POST" else set())
    content = operation.get("requestBody", {}).get("content", {})
    assert content.keys() == CONTENT_TYPES[route.body]
    assert ("schema" in content.get("application/json", {})) is (route.body is Body.JSON)
    assert ("security" in operation) or route.least is Role.STRANGER
    assert operation["summary"]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_refusal_of_a_route_has_one_form(route: Route) -> None:
    for status, answer in of(route)["responses"].items():
        if status[0] in "45":
            schema = resolved(answer)["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorAnswer"}, status
