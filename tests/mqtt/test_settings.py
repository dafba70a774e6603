"""The settings of the broker: what is accepted, and each refusal in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.cli.words import sentence
from companion.errors import KeyedError
from companion.mqtt.settings import default_table, read_settings


def written(folder: Path, *lines: str) -> Path:
    path = folder / "mqtt.toml"
    path.write_text("\n".join(lines))
    return path


def refused(path: Path) -> str:
    with pytest.raises(KeyedError) as wrong:
        read_settings(path, path.parent)
    text = sentence(wrong.value.key, **wrong.value.params)
    assert text != wrong.value.key
    assert "{" not in text
    return wrong.value.key


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("mqtt://broker.lan", ("broker.lan", 1883, False)),
        ("mqtts://broker.lan", ("broker.lan", 8883, True)),
        ("mqtts://[::1]:1", ("::1", 1, True)),
    ],
)
def test_an_address_alone_is_enough(
    tmp_path: Path, address: str, expected: tuple[str, int, bool]
) -> None:
    settings = read_settings(written(tmp_path, f'broker = "{address}"'), tmp_path)
    assert (settings.broker.host, settings.broker.port, settings.broker.tls) == expected
    assert settings.topic("state") == f"monster-table/{default_table(tmp_path)}/state"


def test_two_folders_of_one_machine_are_two_tables(tmp_path: Path) -> None:
    assert default_table(tmp_path / "a") != default_table(tmp_path / "b")
    assert default_table(tmp_path) == default_table(tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "", "broker.lan", "http://broker.lan", "mqtt://", "mqtt://broker.lan:0",
        "mqtt://broker.lan:65536", "mqtt://broker.lan/topic", "mqtt://broker.lan?a", "mqtt://[::1",
        f"mqtt://{'a' * 70}",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    expected = "error.mqtt.broker" if address else "error.mqtt.file"
    assert refused(written(tmp_path, f'broker = "{address}"')) == expected


@pytest.mark.parametrize(
    "line",
    [
        "password = 'secret'", "table = 'Window'", "table = 'a/b'", "table = '#'", "topic = '+'",
        "topic = '/a'", "names = 'Ann'", "language = 'de'", "home_assistant = 1", "topic = ''",
        "broken", f"topic = '{'x' * 70_000}'", "names = [1]", "table = 'a\\n'", 'table = "a\\n"',
    ],
)  # fmt: skip
def test_a_setting_that_is_wrong_is_refused(tmp_path: Path, line: str) -> None:
    assert refused(written(tmp_path, 'broker = "mqtt://b"', line)) == "error.mqtt.file"


def with_password(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    secret = folder / "secret"
    secret.write_bytes(content)
    secret.chmod(mode)
    return written(folder, 'broker = "mqtt://ann@b"', 'password_file = "secret"')


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640])
def test_a_password_that_only_its_owner_and_group_can_read(tmp_path: Path, mode: int) -> None:
    settings = read_settings(with_password(tmp_path, b"secret word\n", mode), tmp_path)
    assert settings.broker.password == "secret word"
    assert "secret" not in repr(settings.broker)


@pytest.mark.parametrize("mode", [0o604, 0o602, 0o601, 0o644, 0o777])
def test_a_password_that_is_open_to_everybody_is_refused(tmp_path: Path, mode: int) -> None:
    assert refused(with_password(tmp_path, b"secret", mode)) == "error.mqtt.password_open"


@pytest.mark.parametrize("content", [b"", b"\n", b"a\nb\n", b"\xff", b"x" * 1025, b"a\x00"])
def test_a_password_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    assert refused(with_password(tmp_path, content)) == "error.mqtt.password_form"


def test_a_password_in_the_address_or_without_a_user_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 'broker = "mqtt://ann:secret@b"')
    assert refused(path) == "error.mqtt.password_in_file"
    with_password(tmp_path, b"secret")
    path = written(tmp_path, 'broker = "mqtt://b"', 'password_file = "secret"')
    assert refused(path) == "error.mqtt.no_user"


@pytest.mark.parametrize("line", ['password_file = "a\\u0000b"', 'ca_file = "a\\nb"'])
def test_a_file_whose_name_cannot_be_is_refused(tmp_path: Path, line: str) -> None:
    assert refused(written(tmp_path, 'broker = "mqtts://ann@b"', line)) == "error.mqtt.file"


def test_a_file_or_a_certificate_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "mqtt.toml") == "error.unreadable"
    path = written(tmp_path, 'broker = "mqtts://b"', 'ca_file = "nowhere"')
    assert refused(path) == "error.unreadable"
    os.mkfifo(tmp_path / "nowhere")
    assert refused(path) == "error.unreadable"
