from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from companion.engine import RULESETS
from companion.service.app import create_app
from companion.service.settings import Settings
from tests.service.phone import Phone, Start, app_state_of
from tests.service.served import Served, loopback, serving


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as running:

        def started(**settings: Any) -> Flask:
            running.close()
            app = create_app(Settings(tmp_path, **settings))
            running.callback(app_state_of(app).close)
            return app

        yield started


@pytest.fixture
def app(start: Start) -> Flask:
    return start()


@pytest.fixture
def host(app: Flask) -> Phone:
    return Phone(app).join()


@pytest.fixture(params=sorted(RULESETS))
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(loopback(tmp_path)) as served:
        yield served
