"""Requests made of the types of forms, valid, invalid and endless, for every route."""

from __future__ import annotations

import asyncio
import random
import re
import string
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import inspect

from companion.engine import RULESETS
from companion.service.app import ROUTES
from companion.service.app_state import AppState
from companion.service.http.routes import CONTENT_TYPES, Body, Route, Work
from companion.service.requests import decoded
from companion.service.settings import Limits, Settings
from companion.service.views.view import MONSTERS
from companion.table import Input, RefusedError
from tests.crowd import Line, connected
from tests.service.served import serving

ENDLESS = 1e9
UNTHROTTLED = replace(
    Limits(),
    per_s=ENDLESS,
    burst=ENDLESS,
    wrong_codes_per_minute=10**9,
)
FORMS: dict[str, Any] = {"event": Input} | {
    route.path: route.form for route in ROUTES if route.form is not None
}
ODD_TEXTS = (
    "",
    " ",
    "\0",
    "\u202e",
    "é" * 40,
    "🙂" * 70,
    "\ud83d",
    "../..",
    "<svg>",
    "{}",
    "x" * 500,
)
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "",
    "x" * 9000,
    [],
    {},
    [[[[]]]],
    [0] * 5000,
    {"a": 1},
)


@dataclass
class Maker:
    """Makes JSON values of a type; one field in so many is wrong."""

    chance: random.Random
    wrong: float = 0.05

    def value(self, type_: inspect.Type) -> Any:
        """Something like a value of the type."""
        if self.chance.random() < self.wrong:
            return self.chance.choice((*ODD_VALUES, *ODD_TEXTS))
        return self._right(type_)

    def _right(self, type_: inspect.Type) -> Any:
        draw = self.chance
        match type_:
            case inspect.Metadata(type=inner):
                return self.value(inner)
            case inspect.StructType():
                return self._struct(type_)
            case inspect.UnionType(types=types):
                return self.value(draw.choice(types))
            case inspect.VarTupleType(item_type=item, max_length=most):
                count = draw.choice((0, 1, 2, most or 3, (most or 3) + 1))
                return [self.value(item) for _ in range(count)]
            case inspect.TupleType(item_types=items):
                return [self.value(item) for item in items]
            case inspect.FloatType(ge=ge, le=le):
                return draw.choice((ge, le, draw.uniform(ge or 0, le or 99), (le or 0) + 0.5))
            case inspect.EnumType(cls=cls):
                return draw.choice(list(cls)).value
            case inspect.StrType(max_length=most):
                return self._text(most or 64)
            case inspect.IntType(ge=ge, le=le):
                return draw.choice(
                    (ge, le, draw.randint(ge or 0, min(le or 99, 99)), (le or 0) + 1)
                )
            case inspect.BoolType():
                return draw.random() < 0.5
            case inspect.NoneType():
                return None
        raise TypeError(f"nothing is made of {type_}")

    def _struct(self, type_: inspect.StructType) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if type_.tag_field is not None:
            made[type_.tag_field] = type_.tag
        for each in type_.fields:
            if each.required or self.chance.random() < 0.5:
                made[each.encode_name] = self.value(each.type)
        if self.chance.random() < self.wrong:
            made[self._text(9)] = 1
        return made

    def _text(self, most: int) -> str:
        draw = self.chance
        known = [*RULESETS, *MONSTERS, "first", "outside", "stay", "x" * most, "x" * (most + 1)]
        letters = "".join(draw.choices(string.printable, k=draw.randrange(12)))
        return draw.choice((draw.choice(known), letters, draw.choice(ODD_TEXTS)))

    def body(self, form: Any) -> bytes:
        """A body for this form, now and then torn or no JSON at all."""
        made = encoded(self.value(inspect.type_info(form)))
        if self.chance.random() < self.wrong:
            at = self.chance.randrange(len(made) + 1)
            made = made[:at] + self.chance.randbytes(self.chance.randrange(3)) + made[at + 1 :]
        return made


def encoded(value: Any) -> bytes:
    """Encode the value as JSON; strings that UTF-8 cannot encode stay broken."""
    return msgspec.json.encode(_bytes_free(value))


def _bytes_free(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {_bytes_free(key): _bytes_free(each) for key, each in value.items()}
        case list():
            return [_bytes_free(each) for each in value]
        case int() if value.bit_length() > 63:
            return msgspec.Raw(str(value).encode())
    return value


@dataclass
class Sent:
    """The results of many requests."""

    statuses: Counter[int] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = ", ".join(f"{count} × {status}" for status, count in sorted(self.statuses.items()))
        wrong = [*self.broken, *self.changed]
        return f"{counts}; {len(self.changed)} refused and changed something" + (
            f": {wrong[:3]}" if wrong else ""
        )


def over_http(count: int) -> Sent:
    """Send so many requests to each route of a service, as its host."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Settings(Path(folder), host="127.0.0.1", port=0, limits=UNTHROTTLED)) as served,
    ):
        return asyncio.run(_all_routes(served.app_state, served.port, count))


async def _all_routes(app_state: AppState, port: int, count: int) -> Sent:
    sent, chance = Sent(), random.Random(count)
    line = await _host(app_state, port)
    await _say_a_game(line)
    for number in range(count):
        for route in ROUTES:
            if route.work is Work.STREAM or (route.body is Body.PHOTO and number % 10):
                continue
            line = await _one(
                app_state, line, route, Maker(chance, chance.choice((0, 0.02, 0.2))), sent
            )
    line.writer.close()
    return sent


async def _host(app_state: AppState, port: int) -> Line:
    line = await connected(port)
    await line.join(app_state.browsers.invitation.terminal)
    return line


async def _say_a_game(line: Line) -> None:
    seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(3)]
    table = {"type": "TableSet", "game": next(iter(RULESETS)), "edition": "first", "seats": seats}
    events = [table, {"type": "GameStarted", "first": 0}]
    command = {"command_id": "the-new-game", "base_rev": 0, "events": events}
    status, _, answer = await line.ask("POST", "/api/commands", command)
    assert status == 200, answer


async def _one(app_state: AppState, line: Line, route: Route, maker: Maker, sent: Sent) -> Line:
    """One request; the line to send the next one on."""
    method, path = route.method, _path(route.path, maker)
    kind = maker.chance.choice([*CONTENT_TYPES[route.body], "application/json"])
    body = maker.body(route.form) if route.form is not None else None
    if route.body is Body.PHOTO:
        head = maker.chance.choice((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b""))
        body = head + maker.chance.randbytes(200)
    before = _state(app_state)
    status, headers, answer = await line.send(method, path, body or b"", {"Content-Type": kind})
    sent.statuses[status] += 1
    if status >= 500:
        sent.broken.append(
            f"{method} {path[:80]} {(body or b'')[:200]!r}: {status} {answer[:100]!r}"
        )
    if status >= 400 and _state(app_state) != before:
        sent.changed.append(f"{method} {path[:80]} {(body or b'')[:200]!r}: {status}")
    if app_state.browsers.you(line.secret).role != "host":
        line.writer.close()
        return await _host(app_state, line.port)
    if headers.get("connection") == "close":
        line.writer.close()
        again = await connected(line.port)
        again.headers = line.headers
        return again
    return line


def _state(app_state: AppState) -> tuple[object, ...]:
    """Return the state that no refused request may change."""
    shown, people = app_state.table.snapshot(), app_state.browsers.people()
    persons = tuple((person.id, person.role, person.seat) for person in people.persons)
    return (
        shown.table,
        shown.rev,
        app_state.tray.view(shown, None).proposal,
        persons,
        people.claims,
        app_state.browsers.invitation,
    )


def _path(written: str, maker: Maker) -> str:
    """Fill in the route's variable parts, and now and then add a query."""
    draw = maker.chance

    def part(found: re.Match[str]) -> str:
        if found[1]:
            return str(draw.choice((0, 1, 5, 6, 99, 10**200, -1)))
        known = ("en", "energy", "price", "NY-1", "g1-1", "index.html")
        return quote(draw.choice((*known, *ODD_TEXTS)).encode("utf-8", "replace"), safe="")

    path = re.sub(r"<(int:)?[^>]*>", part, written)
    query = ("", "?keep=0,1", "?keep=" + "9" * 200, "?card=jets", "?proposal=%00", "?" + "&" * 250)
    return path + (draw.choice(query) if draw.random() < 0.3 else "")


def into_decoders(count: int, lengths: tuple[int, ...]) -> tuple[Counter[str], list[str]]:
    """Decode so many bodies for each form, and long ones; return what came back, how often, and
    what must not be.
    """
    chance, counts, broken = random.Random(count), Counter[str](), list[str]()
    for name, form in FORMS.items():
        decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(form)
        bodies: list[Callable[[], bytes]] = [
            *(lambda form=form: Maker(chance, 0.1).body(form) for _ in range(count)),
            *(lambda n=n, form=form: long_body(n, form, chance) for n in lengths for _ in range(9)),
        ]
        for make in bodies:
            body = make()
            try:
                decoded(body, decoder)
                counts["taken"] += 1
            except RefusedError as refused:
                counts[refused.key] += 1
                if len(str(refused.params)) > 300:
                    broken.append(f"{name}: a refusal as long as what was sent")
            except Exception as failure:
                broken.append(f"{name}: {type(failure).__name__} for {body[:80]!r}")
    return counts, broken


def long_body(length: int, form: Any, chance: random.Random) -> bytes:
    """Make a body of so many bytes: one long string, many entries, or nested brackets."""
    first = _first_field(form)
    text = chance.choice(("x", "\\u0301", "é", '\\"', "[{"))
    shapes = (
        lambda: b'"' + (text * (length // len(text))).encode() + b'"',
        lambda: f'{{"{first}":"{text * (length // len(text))}"}}'.encode(),
        lambda: f'{{"{first}":[{"0," * (length // 2)}0]}}'.encode(),
        lambda: f'{{"{first}":[{"{}," * (length // 3)}{{}}]}}'.encode(),
        lambda: b"{" + b'"a":0,' * (length // 6) + b'"a":0}',
        lambda: b"[" * 1_000 + b"]" * 1_000,
        lambda: b"[" * length,
        lambda: b'{"a":' * (length // 5),
        lambda: b"9" * length,
    )
    return chance.choice(shapes)()


def _first_field(form: Any) -> str:
    info = inspect.type_info(form)
    types = info.types if isinstance(info, inspect.UnionType) else (info,)
    fields = [
        each.encode_name for t in types if isinstance(t, inspect.StructType) for each in t.fields
    ]
    return fields[0] if fields else "x"
