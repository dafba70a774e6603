"""A browser of services that run in processes of their own, known by their addresses alone."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec

from companion.service import wire
from tests.waiting import WITHIN_S

Json = dict[str, Any]
Answer = tuple[int, bytes]


@dataclass
class Person:
    """One browser: it keeps cookies by the name of the machine, whatever the port, as all do."""

    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def ask(self, url: str, path: str, body: object = None, origin: str = "") -> Answer:
        """Send one request to a table."""
        headers = {"Cookie": self.cookie, "X-Monster-Table": "1"}
        if body is not None:
            headers |= {"Origin": origin or url, "Content-Type": "application/json"}
        port = urlsplit(url).port
        assert port is not None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WITHIN_S)
        with closing(connection):
            method = "GET" if body is None else "POST"
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            cookie = answer.getheader("Set-Cookie")
            if cookie:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read()

    def join(self, link: str) -> None:
        """Scan the QR code of a table."""
        url, _, token = link.partition("/j#")
        status, answer = self.ask(url, "/api/join", {"token": token})
        assert status == 200, answer

    def view(self, url: str) -> wire.View:
        return self.update(url).view

    def update(self, url: str) -> wire.Update:
        status, answer = self.ask(url, "/api/state")
        assert status == 200, answer
        return msgspec.json.decode(answer, type=wire.Update)

    def say(self, url: str, command_id: str, *events: Json) -> int:
        rev = self.view(url).rev
        body = {"command_id": command_id, "base_rev": rev, "events": events}
        status, answer = self.ask(url, "/api/commands", body)
        assert status == 200, answer
        return int(json.loads(answer)["rev"])
