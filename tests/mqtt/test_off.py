"""MQTT is off by default: no code of it is loaded, and a service without the extra works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from companion.cli.serve import publishing
from companion.mqtt.discovery import discovery_message
from companion.mqtt.messages import Said, rgb
from companion.mqtt.settings import Broker, MqttFile, MqttSettings
from companion.resources import LANGUAGES
from companion.service.app import create_app
from companion.service.settings import Safe, Settings
from companion.service.views.view import COLOURS
from tests.service.phone import app_state_of

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import sys
from pathlib import Path
from companion.cli import main
imported = list(main.commands.values())
from companion.cli.serve import publishing
from companion.service.app_state import AppState
from companion.service.settings import Safe, Settings
state = AppState(Settings(data=Path(sys.argv[1])))
with publishing(state, None):
    print([name for name in sys.modules if name.startswith(("paho", "companion.mqtt"))])
state.close()
"""


def test_no_code_of_mqtt_is_imported_when_it_is_off(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert ran.stdout == "[]\n"


def test_wrong_settings_in_the_folder_are_printed_and_those_named_end_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mqtt.toml"
    path.write_text("broker = 1")
    app = create_app(Settings(data=tmp_path))
    with publishing(app_state_of(app), None):
        assert str(path) in capsys.readouterr().err
    with pytest.raises(SystemExit) as end, publishing(app_state_of(app), path):
        pass
    app_state_of(app).close()
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert str(path) in printed
    assert printed.count("\n") == 1


def test_safe_mode_publishes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mqtt.toml"
    path.write_text("broker = 1")
    safe = app_state_of(create_app(Settings(data=tmp_path, safe=Safe.ASKED)))
    with publishing(safe, path):
        assert capsys.readouterr().err == ""
    safe.close()


def test_the_colours_are_those_of_the_phone_app() -> None:
    source = (ROOT / "webui" / "src" / "art" / "monsters.tsx").read_text("utf-8")
    assert dict(re.findall(r'id: "(\w+)",\s+field: "(#\w+)"', source)) == COLOURS
    assert rgb("#ff9a3c") == (255, 154, 60)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entity_has_a_name_of_its_own_in_each_language(language: str) -> None:
    file = MqttFile(broker="mqtt://broker.lan", language=language)
    settings = MqttSettings(Broker("broker.lan", 1883, tls=False), file, "window")
    parts = discovery_message(settings, "Table", "http://table")["components"]
    names = [part["name"] for part in parts.values()]
    assert len(set(names)) == len(names)
    assert not any("." in name or "{" in name for name in names)


def test_the_blueprint_reads_what_a_sentence_has() -> None:
    text = (ROOT / "packaging" / "blueprints" / "monster_table_speaks.yaml").read_text("utf-8")
    read = set(re.findall(r"attributes\.get\('(\w+)'", text))
    assert read == {"who", "text", "late_s"} < {one.name for one in msgspec.structs.fields(Said)}
    assert "who.rgb" in text
    inputs = re.findall(r"^    (\w+):$", text.partition("triggers:")[0], re.MULTILINE)
    assert {*inputs} == {*re.findall(r"!input (\w+)", text)}


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "home-assistant.md").read_text("utf-8")
    for setting in msgspec.structs.fields(MqttFile):
        assert f"| `{setting.name}` |" in page
