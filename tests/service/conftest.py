from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from companion.engine import RULESETS
from companion.service.app import create_app
from companion.service.settings import Settings
from tests.service.phone import Phone, app_state_of
from tests.service.served import Served, serving


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app = create_app(Settings(data=tmp_path))
    yield app
    app_state_of(app).close()


@pytest.fixture
def host(app: Flask) -> Phone:
    phone = Phone(app)
    phone.join()
    return phone


@pytest.fixture(params=sorted(RULESETS))
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(Settings(data=tmp_path, host="127.0.0.1", port=0)) as served:
        yield served
