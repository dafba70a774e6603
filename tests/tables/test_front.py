"""The front page: what strangers may see of the tables, and what they may not."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from companion.cli.doctor.health import ask_health
from companion.service.network.listening import Listening
from companion.tables.settings import add_table, set_open
from tests.ports import free_port
from tests.tables.running import Running, fetch, name_tables, running
from tests.waiting import WITHIN_S

TITLE = "Bei <Örn> & Co"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Four tables: two open ones that name one camera, a closed one, one that cannot start."""
    folder = tmp_path_factory.mktemp("tables")
    root = folder / "data"
    camera = "http://127.0.0.1:9/camera"
    name_tables(root, window=camera, shut="none", broken="none")
    set_open(root, "shut", is_open=False)
    (root / "tables").mkdir()
    (root / "tables" / "broken").write_text("in the way of its folder")
    text = (root / "tables.json").read_text()
    one = f'{{"name": "bar", "title": "{TITLE}", "port": {free_port()}, "camera": "{camera}"}}'
    (root / "tables.json").write_text(text.replace('"tables": [', f'"tables": [{one}, ', 1))
    (folder / "run").mkdir()
    with running(root, folder / "run", hotspot=True) as tables:
        for name in ("bar", "window"):
            tables.joining(name)
        tables.until(lambda: "Cannot start" in tables.front())
        tables.until(lambda: tables.front().count("<a ") == 2)
        yield tables


def test_it_lists_every_table_and_leads_to_the_open_ones(found: Running) -> None:
    page = found.front()
    rows = re.findall(r"<li>.*?</li>", page)
    assert [re.findall("<b>(.*?)</b>", row)[0] for row in rows] == [
        "Bei &lt;Örn&gt; &amp; Co", "window", "shut", "broken",
    ]  # fmt: skip
    links = re.findall(r'<a href="(.*?)">', page)
    urls = [found.joining(name).url for name in ("bar", "window")]
    assert links == [f"{url}/" for url in urls]
    assert "Closed" in rows[2]
    assert "Cannot start" in rows[3]


def test_a_camera_is_read_by_the_first_table_that_names_it(found: Running) -> None:
    page = found.front()
    rows = re.findall(r"<li>.*?</li>", page)
    assert "Without a camera: table bar has it" in rows[1]
    assert "Without a camera" not in rows[0]
    assert set(found.many.supervisor.without_camera) == {"window"}


def test_it_gives_nothing_of_any_table_away(found: Running) -> None:
    answers = [fetch(found.port, path)[1] for path in ("/", "/state", "/api/health")]
    for name in ("bar", "window"):
        joining = found.joining(name)
        for secret in (joining.code, joining.join.partition("#")[2]):
            assert all(secret.encode() not in answer for answer in answers)


def test_its_health_has_the_form_of_a_tables(found: Running) -> None:
    answer = ask_health(Listening("127.0.0.1", found.port))
    assert answer is not None
    assert (answer.version, answer.saved, answer.safe) == (version("monster-table"), True, False)


@pytest.mark.parametrize(
    ("language", "head"),
    [("is", "Hvaða borð?"), ("fr-CA,en;q=0.5", "Quelle table ?"), ("tlh", "Which table?")],
)
def test_it_speaks_the_browsers_language(found: Running, language: str, head: str) -> None:
    status, page = fetch(found.port, "/", **{"Accept-Language": language})
    assert (status, f"<h1>{head}</h1>" in page.decode()) == (200, True)


@dataclass
class Reply:
    status: int
    body: bytes
    headers: dict[str, str]


def asked(found: Running, method: str, path: str, **headers: str) -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=WITHIN_S)
    with closing(connection):
        connection.request(method, path, None, headers)
        answer = connection.getresponse()
        return Reply(answer.status, answer.read(), dict(answer.getheaders()))


def test_a_foreign_host_name_is_refused_and_sees_no_table(found: Running) -> None:
    reply = asked(found, "GET", "/", Host="evil.example", Accept="text/html")
    assert reply.status == 421
    for table in found.many.supervisor.tables:
        assert str(table.port).encode() not in reply.body
    assert b"rn&gt;" not in reply.body
    assert f"http://127.0.0.1:{found.port}".encode() in reply.body
    assert asked(found, "GET", "/state", Host="evil.example").status == 421


PROBE = {"Host": "connectivitycheck.gstatic.com"}


def test_in_a_hotspot_it_answers_phones_that_look_for_the_internet(found: Running) -> None:
    assert asked(found, "GET", "/generate_204", **PROBE).status == 204
    assert asked(found, "GET", "/", **PROBE).status == 421
    apple = asked(found, "GET", "/hotspot-detect.html", Host="captive.apple.com")
    assert (apple.status, b"Success" in apple.body) == (200, True)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("POST", "/", 405),
        ("DELETE", "/state", 405),
        ("GET", "/api/state", 404),
        ("GET", "/../tables.json", 404),
        ("GET", "/tables.json", 404),
        ("GET", "/icon.svg", 200),
        ("GET", "/favicon.ico", 204),
    ],
)
def test_what_it_answers(found: Running, method: str, path: str, status: int) -> None:
    reply = asked(found, method, path)
    assert reply.status == status
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    if method == "HEAD":
        assert reply.body == b""


def test_the_address_of_a_page_is_that_of_the_browsers_host_name(found: Running) -> None:
    reply = asked(found, "GET", "/", Host=f"localhost:{found.port}")
    port = found.kept("window").settings.port
    assert f'<a href="http://localhost:{port}/">' in reply.body.decode()


def test_a_table_that_is_added_and_closed_while_it_runs(tmp_path: Path) -> None:
    root = tmp_path / "data"
    name_tables(root, window="none")
    (tmp_path / "run").mkdir()
    with running(root, tmp_path / "run") as tables:
        tables.joining("window")
        assert asked(tables, "GET", "/generate_204", **PROBE).status == 421, "no hotspot"
        pid, state = tables.pid("window"), fetch(tables.port, "/state")
        [table] = tables.many.supervisor.tables
        port = free_port()
        add_table(root, type(table)(name="bar", port=port))
        url = tables.joining("bar").url
        assert fetch(tables.port, "/state") != state
        set_open(root, "bar", is_open=False)
        tables.until(lambda: "bar" not in tables.many.supervisor.kept)
        assert "Closed" in tables.front()
        with pytest.raises(ConnectionRefusedError):
            fetch(int(url.rpartition(":")[2]), "/")
        (root / "tables.json").write_text("nonsense")
        tables.until(lambda: tables.many.supervisor.problem is not None)
        right = f'{{"version": 1, "tables": [{{"name": "window", "port": {table.port}}}]}}'
        (root / "tables.json").write_text(right)
        tables.until(lambda: tables.many.supervisor.problem is None)
        assert tables.pid("window") == pid, "a wrong file ends no table"
        wrong = f'{{"name": "bad", "port": {port}, "camera": "csi:front"}}'
        (root / "tables.json").write_text(right.replace("]", f", {wrong}]"))
        tables.until(lambda: "bad" in tables.many.supervisor.kept)
        assert tables.pid("window") == pid, "nor does a camera that is none"
