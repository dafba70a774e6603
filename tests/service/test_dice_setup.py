"""Boxes of dice over HTTP, and the set-up from begin to the box in use, with a scripted camera."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import msgspec
import pytest

from companion.engine import RULESETS, Face
from companion.service.dice.shelf import MOST_BOXES, BoxShelf
from companion.service.settings import Settings
from companion.table import RefusedError
from companion.vision.box.box import Box, Origin, Print, encode_box
from companion.vision.box.pngs import is_plain_png
from companion.vision.box.profile import Profile
from tests.service.served import Browser, Json, serving

GAME = next(iter(RULESETS))
FACES = RULESETS[GAME].faces


def png(width: int = 8, height: int = 8, kind: int = 2, rows: bytes | None = None) -> bytes:
    """Make a grey PNG."""
    raw = bytes(height * (1 + width * {0: 1, 2: 3, 6: 4}.get(kind, 3))) if rows is None else rows
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
        (b"IDAT", zlib.compress(raw)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )


def box(name: str = "Ana’s box", picture: bytes | None = None) -> Box:
    faces: dict[Face, tuple[Print, ...]] = {
        face: (Print(picture=picture or png()),) for face in FACES
    }
    return Box(name=name, game=GAME, faces=faces)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no picture",
        png()[:-1],
        png()[:20],
        png(257, 8),
        png(8, 0),
        png(rows=bytes(10)),
        png(rows=bytes(8 * 25 + 1)),
        png().replace(b"IEND", b"IENE"),
        png(kind=3),
    ],
)
def test_a_print_that_is_no_plain_small_png_is_refused(content: bytes) -> None:
    assert not is_plain_png(content)


@pytest.mark.parametrize("kind", [0, 2, 6])
def test_a_plain_small_png_is_taken(kind: int) -> None:
    assert is_plain_png(png(256, 256, kind))


def test_a_shelf_keeps_boxes_and_which_is_in_use_over_a_restart(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    assert shelf.kept() == ()
    first, second = shelf.add(box("one")), shelf.add(box("two"))
    assert shelf.chosen(GAME) == second
    shelf.choose(first.id)
    shelf.rename(first.id, "first")
    again = BoxShelf(tmp_path)
    assert [one.name for one in again.kept()] == ["first", "two"]
    chosen = again.chosen(GAME)
    assert chosen is not None
    assert chosen.name == "first"
    assert again.profile(Profile()).dice == {GAME: box().pictures()}
    again.delete(first.id)
    assert again.chosen(GAME) is None
    assert BoxShelf(tmp_path).profile(Profile()).dice == {}


def test_a_box_of_the_same_name_is_replaced_and_another_may_not_take_it(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    assert shelf.add(box("one")).id == shelf.add(box("one")).id
    two = shelf.add(box("two"))
    with pytest.raises(RefusedError, match=r"error\.box\.same_name"):
        shelf.rename(two.id, "one")


def test_a_shelf_is_bounded_and_skips_what_is_no_box(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    for number in range(MOST_BOXES):
        shelf.add(box(f"box {number}"))
    with pytest.raises(RefusedError, match=r"error\.box\.many"):
        shelf.add(box("one too many"))
    shelf.add(box("box 3"))
    (tmp_path / "00000000.json").write_text("{")
    (tmp_path / "index.json").write_text('{"chosen": 3}')
    again = BoxShelf(tmp_path)
    assert len(again.kept()) == MOST_BOXES
    assert again.chosen(GAME) is None


def test_a_remembered_die_is_kept_apart_from_enrolled_ones(tmp_path: Path) -> None:
    shelf = BoxShelf(tmp_path)
    print_ = Print(picture=png(9, 9), origin=Origin.CORRECTED)
    with pytest.raises(RefusedError, match=r"error\.box\.unknown"):
        shelf.remember(GAME, ((FACES[0], print_),))
    kept = shelf.add(box())
    shelf.remember(GAME, ((FACES[0], print_),))
    content = shelf.content(kept.id)
    assert content is not None
    prints = msgspec.json.decode(content, type=Box).faces[FACES[0]]
    assert [one.origin for one in prints] == [Origin.ENROLLED, Origin.CORRECTED]


def post_file(browser: Browser, content: bytes) -> tuple[int, Json]:
    headers = {
        "Origin": browser.origin,
        "X-Monster-Table": "1",
        "Content-Type": "application/octet-stream",
    }
    status, body = browser.send("POST", "/api/boxes/file", headers, content)
    return status, json.loads(body)


def test_boxes_are_imported_exported_and_managed_by_the_host_alone(tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=GAME)
    with serving(settings) as served:
        host, other = Browser(served).join(), Browser(served).join()
        content = encode_box(box("Ana"))
        assert post_file(other, content)[0] == 403
        status, view = post_file(host, content)
        assert status == 200
        (line,) = view["boxes"]
        assert (line["name"], line["chosen"], line["prints"]) == ("Ana", True, len(FACES))
        assert served.app_state.update(None).view.tray.box == "Ana"
        path = f"/api/boxes/{line['id']}"
        status, exported = host.send("GET", path, {}, None)
        assert (status, exported) == (200, content)
        assert other.send("GET", path, {}, None)[0] == 403
        assert host.send("GET", "/api/boxes/ffffffff", {}, None)[0] == 404
        form = {"act": "rename", "id": line["id"], "name": "Ben"}
        assert host.ask("POST", "/api/boxes", form)[1]["boxes"][0]["name"] == "Ben"
        assert host.ask("POST", "/api/boxes", {**form, "name": " x"})[0] == 400
        put_away = host.ask("POST", "/api/boxes", {"act": "put_away"})[1]
        assert not put_away["boxes"][0]["chosen"]
        assert served.app_state.update(None).view.tray.box is None
        assert host.ask("POST", "/api/boxes", {"act": "delete", "id": line["id"]})[1]["boxes"] == []
        assert host.ask("POST", "/api/boxes", {"act": "choose", "id": line["id"]})[0] == 409


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"{", "error.box.form"),
        (encode_box(box(picture=b"no picture")), "error.box.picture"),
        (b'{"format": 99}', "error.box.newer"),
        (b'{"name": "a", "game": "chess", "faces": {}}', "error.box.form"),
    ],
)
def test_a_file_that_is_no_box_is_refused_with_its_reason(
    tmp_path: Path, content: bytes, key: str
) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=GAME)
    with serving(settings) as served:
        status, body = post_file(Browser(served).join(), content)
        assert (status, body["error"]["key"]) == (400, key)
        assert served.app_state.setup.view().boxes == ()


def test_without_a_camera_no_set_up_begins(tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=GAME)
    with serving(settings) as served:
        host = Browser(served).join()
        for act, key in (("begin", "error.no_camera"), ("skip", "error.setup.over")):
            assert host.ask("POST", "/api/setup", {"act": act})[1]["error"]["key"] == key
        assert not host.ask("GET", "/api/setup")[1]["running"]
        assert host.send("GET", "/api/setup.jpg", {}, None) == (204, b"")


def test_a_face_of_another_game_is_no_die_to_remember(tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=GAME)
    with serving(settings) as served:
        host = Browser(served).join()
        assert host.ask("POST", "/api/seat", {"seat": 0})[0] == 200
        form = {"proposal": "none", "die": 0, "face": Face.HEAL}
        status, body = host.ask("POST", "/api/remember", form)
        assert (status, body["error"]["key"]) == (409, "error.setup.no_print")
