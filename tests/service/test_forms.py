"""Every field of a request is bounded by its type; a value out of bounds is refused in one
sentence that names the field."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from msgspec import inspect

from companion.engine import EDITIONS, RULESETS
from companion.service.app import ROUTES
from companion.table import Input
from tests import golden_logs as golden
from tests.service.phone import Json, Phone

FORMS = {f"{route.method} {route.path}": route for route in ROUTES if route.decoder}


def unbounded(type_: inspect.Type, at: str) -> Iterator[str]:
    """The places in a type where something may be as large as its sender likes."""
    match type_:
        case inspect.Metadata(type=inner):
            yield from unbounded(inner, at)
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from unbounded(field.type, f"{at}.{field.encode_name}")
        case inspect.UnionType(types=types):
            for n, each in enumerate(types):
                yield from unbounded(each, f"{at}|{n}")
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            if type_.max_length is None:
                yield at
            yield from unbounded(item, f"{at}[]")
        case inspect.TupleType(item_types=items):
            for n, each in enumerate(items):
                yield from unbounded(each, f"{at}[{n}]")
        case inspect.StrType() | inspect.BytesType():
            if type_.max_length is None:
                yield at
        case inspect.IntType() | inspect.FloatType():
            if (type_.ge is None and type_.gt is None) or (type_.le is None and type_.lt is None):
                yield at
        case inspect.DictType(key_type=key, value_type=value):
            if type_.max_length is None:
                yield at
            yield from unbounded(key, f"{at}{{}}")
            yield from unbounded(value, f"{at}{{:}}")
        case inspect.EnumType() | inspect.LiteralType() | inspect.BoolType() | inspect.NoneType():
            return
        case _:
            yield f"{at}: {type_}"


@pytest.mark.parametrize("name", FORMS)
def test_every_field_of_a_form_that_comes_in_is_bounded(name: str) -> None:
    assert list(unbounded(inspect.type_info(FORMS[name].form), name)) == []


def test_every_event_of_the_golden_logs_is_within_bounds() -> None:
    events = [row.event for path in golden.FOLDER.glob("*/*.jsonl") for row in golden.read(path)]
    assert len(events) > 1000
    for event in events:
        assert msgspec.json.decode(msgspec.json.encode(event), type=Input) == event


def test_every_id_of_the_rules_is_within_bounds() -> None:
    for rules in EDITIONS.values():
        ids = (*rules.cards, *rules.places, *rules.house, rules.name)
        assert max(map(len, ids)) <= 48, "with room for who carries it"
        assert rules.players_max <= 6
        assert rules.dice_max <= 8


def command(**event: object) -> Json:
    return {"command_id": "x" * 8, "base_rev": 0, "events": [event]}


@pytest.mark.parametrize(
    ("path", "body", "key", "args"),
    [
        (
            "/api/preview",
            {"faces": [], "order": ["energy"] * 4_000},
            "long",
            {"field": "order", "most": 9},
        ),
        ("/api/preview", {"faces": [], "rethrown": [8]}, "range", {"field": "rethrown[0]"}),
        ("/api/preview", {"faces": [10**30]}, "wrong", {"field": "faces[0]"}),
        ("/api/preview", {}, "missing", {"field": "faces"}),
        ("/api/seat", {"seat": 0, "x" * 60_000: 1}, "wrong", {"field": "{}"}),
        (
            "/api/commands",
            command(type="AheadSaid", seat=0, ahead={"to": ["outside"] * 5_000}),
            "long",
            {"field": "events[0].ahead.to", "most": 16},
        ),
        (
            "/api/commands",
            command(
                type="TableSet",
                game="tokyo",
                edition="first",
                seats=[{"player": "a" + "\u0301\u0316" * 4_000, "monster": "puffin_rex"}],
            ),
            "long",
            {"field": "events[0].seats[0].player", "most": 400},
        ),
        ("/api/commands", command(type="x" * 50_000), "wrong", {"field": "events[0].type"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_breaks_a_bound_is_refused_by_name_and_changes_nothing(
    host: Phone, path: str, body: Json, key: str, args: Json
) -> None:
    host.set_up(next(iter(RULESETS)))
    before = host.view()
    answer = host.post(path, body)
    assert answer.status_code == 400
    assert (answer.json or {})["error"] == {"key": f"error.form.{key}", "args": args}
    after = host.view()
    assert (after.rev, after.log, after.people) == (before.rev, before.log, before.people)
