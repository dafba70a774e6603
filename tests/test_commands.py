"""The commands: what answers wrong input (a cause and a remedy in one line), their help, and
`cards`.
"""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import cv2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import SECTIONS, doctor, main
from companion.cli.options import DATA_VARIABLE, owner_name, why_wrong_settings
from companion.engine import RULESETS
from companion.service.settings import WrongSettingsError, read_settings
from companion.table.backup import back_up
from companion.table.database import FILE_NAME
from companion.table.log import EventLog
from tests.table.test_log_disk import NOBODY, nobody
from tests.table.test_table import play, started

CLIP = Path(__file__).parent / "clips" / "test_tokyo.mp4"
NOISE = bytes(range(256)) * 8
SERVERS = ("demo", "hub", "serve")
"""The commands that serve at once."""

# What is typed after `companion`, in the folder that `workspace` makes, and the line that comes.
WRONG = [
    # -- the command itself --
    ("serv", "No such command 'serv'. Did you mean 'serve'? companion --help lists all."),
    ("frobnicate", "No such command 'frobnicate'. companion --help lists all."),
    ("--", "Missing command. companion --help lists all."),
    ("--version=2", "Option '--version' does not take a value. companion --help lists all."),
    # -- serve, hub --
    ("serve extra", "Got unexpected extra argument (extra). companion serve --help lists all."),
    (
        "serve --prot 80",
        "No such option '--prot'. (Did you mean one of: '--host', '--port', '--profile'?)."
        " companion serve --help lists all.",
    ),
    (
        "serve --port abc",
        "Invalid value for '--port': 'abc' is not a valid integer range."
        " companion serve --help lists all.",
    ),
    (
        "serve --name http://x --data empty",
        "--name cannot be “http://x”. Give only a host name or IP address, such as"
        " raspberrypi.lan or"
        " 192.168.1.20.",
    ),
    (
        "serve --advertise table --data empty",
        "--advertise cannot be “table”. Give the address as phones open it, such as"
        " http://192.168.1.20:8080.",
    ),
    (
        "serve --host 192.0.2.77 --port 0 --data empty",
        "192.0.2.77 is no address of this machine. Leave out --host to listen on all of them.",
    ),
    (
        "serve --host fe80::1 --data empty",
        "No phone can open fe80::1: browsers take no link-local IPv6 address. Listen on all"
        " addresses with --host ::.",
    ),
    ("serve --game chess", "There is no game “chess”. Choose one of: new-york, tokyo."),
    (
        "serve --camera nothere --host 127.0.0.1 --port 0 --data empty",
        "There is no camera, file or folder “nothere”. Check the name.",
    ),
    (
        "serve --profile gone.json",
        "Cannot read gone.json: No such file or directory. Check the path.",
    ),
    (
        "serve --profile list.json --data empty",
        "list.json is not a profile of dice: Expected `object`, got `array`. Give a file made by"
        " companion calibrate.",
    ),
    ("serve --data noise.bin/below", "{here}/noise.bin is a file. Give a folder."),
    (
        "serve --data settings",
        "settings/settings.toml cannot be used: port: Expected `int | null`, got `str`. Correct"
        " that in the file.",
    ),
    ("hub", "Missing option '--mqtt'. companion hub --help lists all."),
    (
        "hub --mqtt mqtt.toml",
        "broker in mqtt.toml is not an address. Write it like mqtt://user@host:1883.",
    ),
    # -- setup, doctor, calibrate --
    (
        "setup --wifi-password-file notes.txt --data empty",
        "--wifi-password-file works only with --wifi-name. Add --wifi-name.",
    ),
    (
        "setup --wifi-name Den --no-wifi --data empty",
        "--wifi-name and --no-wifi exclude each other. Leave one of them out.",
    ),
    (
        "setup --wifi-name '' --data empty",
        "The name of a Wi-Fi has 1 to 32 bytes; a letter with an accent takes two. Correct"
        " --wifi-name.",
    ),
    (
        "setup --wifi-name Den --wifi-password-file noise.bin --data empty",
        "The first line of noise.bin is not a Wi-Fi password. Write one of 1 to 63"
        " characters there.",
    ),
    ("setup --wifi-name Den --wifi-password-file gone", "There is no file gone. Check the name."),
    ("doctor --bundle gone/help.zip", "There is no folder gone. Make it first."),
    (
        "calibrate box.json --game tokyo --from notes.txt",
        "Line 1 of notes.txt is not a labelled picture: JSON is malformed: invalid"
        " character (byte 0)."
        " Give lines as companion read --json prints them.",
    ),
    (
        "calibrate box.json --game tokyo --from labels.jsonl",
        "There is no file gone.jpg. Check the name.",
    ),
    # -- backup, restore --
    ("backup '' --data games", "Missing argument 'FILE'. companion backup --help lists all."),
    ("backup pipe --data games", "pipe is not a regular file. Give the name of a new one."),
    ("backup gone/a.zip --data games", "There is no folder gone. Make it first."),
    (
        "restore noise.bin --data new",
        "noise.bin is not a backup of this app. Give a file made by companion backup.",
    ),
    (
        "restore empty.bin --data games --force",
        "empty.bin is not a backup of this app. Give a file made by companion backup.",
    ),
    (
        "restore foreign/table.db --data new",
        "foreign/table.db is not a backup of this app. Give a file made by companion backup.",
    ),
    (
        "restore cut.db --data new",
        "The log in cut.db is damaged (database disk image is malformed). Nothing was changed; try"
        " an older backup.",
    ),
    (
        "restore evening.db --data games",
        "games holds games already. Add --force to replace them; they are moved to a"
        " folder inside it.",
    ),
    (
        "restore evening.db --data foreign",
        "foreign holds other files: table.db. Give a new folder with --data.",
    ),
    # -- export, log check --
    ("export g1", "There are no games in {home} yet. Name the folder where they are kept."),
    (
        "export g1 --data broken",
        "The games in broken/table.db cannot be read: file is not a database. companion log check"
        " says what is lost.",
    ),
    ("export g9 --data games", "There is no game “g9”. Choose another, such as g1."),
    (
        "export g1 --link --data games",
        "--link works only with --as bgstats. Add --as bgstats.",
    ),
    ("log chek", "No such command 'chek'. Did you mean 'check'? companion log --help lists all."),
    (
        "export g1 --data unplayed",
        "There are no games in unplayed yet. Name the folder where they are kept.",
    ),
    (
        "log check --data unplayed",
        "There are no games in unplayed yet. Name the folder where they are kept.",
    ),
    (
        "log check --data foreign",
        "foreign/table.db belongs to another program. Name the folder where your games are kept.",
    ),
    # -- read, watch --
    ("read dark.png", "Missing option '--game'. companion read --help lists all."),
    ("read empty --game tokyo", "empty is a folder. Give a file."),
    (
        "read 'a clip.mp4' --game tokyo",
        "a clip.mp4 is a video. Read it with companion watch 'a clip.mp4' --game tokyo",
    ),
    ("read notes.txt --game tokyo", "notes.txt is neither JPEG nor PNG. Save it as JPEG."),
    (
        "read evening.zip",
        "evening.zip is not a report of a misread roll. Save one on a phone with “Send"
        " this misread”.",
    ),
    (
        "watch 77 --game tokyo",
        "There is no camera /dev/video77. ls /dev/v4l/by-id lists the cameras.",
    ),
    (
        "watch 'a\nb' --game tokyo",
        "There is no camera, file or folder “a b”. Check the name.",
    ),
    (
        "watch empty --game tokyo",
        "There are no pictures in empty. Give a folder with JPEG or PNG files.",
    ),
    (
        "watch notes.txt --game tokyo",
        "notes.txt is no picture or video that can be read. Give another file.",
    ),
    (
        "watch http://127.0.0.1:9/live --game tokyo",
        "No camera answers at http://127.0.0.1:9. Check the address.",
    ),
    (
        "watch none --game tokyo",
        "There is no source to watch. Give a camera, a file or a folder.",
    ),
    # -- play, replay --
    (
        "play list.json events.jsonl",
        "list.json is not a position: Expected `object`, got `array`. docs/positions.md shows the"
        " form.",
    ),
    (
        "play position.json danced.jsonl",
        "danced.jsonl, line 1 is not an event: type: Invalid value 'Danced'."
        " docs/positions.md shows"
        " the forms.",
    ),
    (
        "replay empty",
        "There are no games in empty yet. Name the folder where they are kept.",
    ),
    (
        "replay noise.bin",
        "noise.bin is not a log of a game. Give a data folder, or a file made by companion export.",
    ),
    (
        "replay empty.bin",
        "No game begins in empty.bin. Give a log made by companion export.",
    ),
    (
        "replay events.jsonl --table g1",
        "events.jsonl holds one game alone. Leave out --table.",
    ),
    # -- simulate, cards --
    (
        "simulate --game tokyo --house wild",
        "This box has no house rule “wild”. Choose one of: no_bay.",
    ),
    (
        "simulate --game tokyo --jobs 2 --dask tcp://127.0.0.1:9",
        "--jobs and --dask exclude each other. Leave one of them out.",
    ),
    (
        "simulate --game tokyo --rows other --games 1",
        "other holds other files. Give a new or an empty folder for the rows.",
    ),
    (
        "cards --edition 1999",
        "There is no edition “1999” of this box. Choose one of: first, 2016.",
    ),
]

# The same for what was right to ask for, and failed (exit 1).
FAILED = [
    (
        "setup --camera nothere --data empty",
        "bad   camera        There is no camera, file or folder “nothere”. Check the name.",
    ),
    (
        "export g1 --as bgstats --data games",
        "The game g1 has not ended, and BG Stats takes finished ones only. Play it to its end"
        " first.",
    ),
    (
        "backup a.zip --data broken",
        "The log is damaged (file is not a database), so there is no backup. Start the service"
        " once: it keeps every row that is intact.",
    ),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with files that are right for some commands, and wrong for all others."""
    here = tmp_path_factory.mktemp("work")
    for name in ("broken", "empty", "foreign", "other", "settings", "unplayed"):
        (here / name).mkdir()
    table = started(here / "games", min(RULESETS))
    play(table, 2)
    (here / "position.json").write_bytes(msgspec.json.encode(table.snapshot().state.game))
    table.close()
    back_up(here / "games" / FILE_NAME, here / "evening.db")
    (here / "cut.db").write_bytes((here / "evening.db").read_bytes()[:90])
    with zipfile.ZipFile(here / "evening.zip", "w") as archive:
        archive.writestr("manifest.json", b"{}")
    with closing(sqlite3.connect(here / "foreign" / "table.db")) as database:
        database.execute("CREATE TABLE letters (text)")
    EventLog(here / "unplayed").close()
    cv2.imwrite(str(here / "dark.png"), np.full((480, 640, 3), 20, np.uint8))
    for name in ("clip.mp4", "a clip.mp4"):
        shutil.copy(CLIP, here / name)
    for name, content in {
        "broken/table.db": NOISE,
        "danced.jsonl": b'{"type": "Danced"}\n',
        "empty.bin": b"",
        "events.jsonl": b'{"type": "PutOff"}\n',
        "labels.jsonl": b'{"image": "gone.jpg", "game": "tokyo", "dice": []}\n',
        "list.json": b"[1, 2, 3]\n",
        "mqtt.toml": b'broker = "nothing"\n',
        "noise.bin": NOISE,
        "notes.txt": b"Dear all,\nsee you on Friday.\n",
        "other/letter.txt": b"Dear all,\n",
        "settings/settings.toml": b'port = "abc"\n',
    }.items():
        (here / name).write_bytes(content)
    os.mkfifo(here / "pipe")
    return here


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def at_work(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in the workspace, without a data folder of one's own; a server changes how its process
    logs and ends.
    """
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("XDG_DATA_HOME", str(workspace / "home"))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    for place, name in ((sys, "excepthook"), (threading, "excepthook"), (logging, "lastResort")):
        monkeypatch.setattr(place, name, getattr(place, name))
    handlers, level = logging.root.handlers[:], logging.root.level
    ends = signal.getsignal(signal.SIGTERM)
    yield workspace
    signal.signal(signal.SIGTERM, ends)
    logging.captureWarnings(False)
    logging.basicConfig(handlers=handlers, level=level, force=True)


def answered(typed: str) -> tuple[int, str]:
    """Type a command; return its exit status and what it prints."""
    ran = CliRunner().invoke(main, shlex.split(typed))
    return ran.exit_code, ran.output


@pytest.mark.parametrize(
    ("typed", "says", "status"),
    [*((typed, says, 2) for typed, says in WRONG), *((typed, says, 1) for typed, says in FAILED)],
    ids=lambda value: value if isinstance(value, str) and "--" in value else None,
)
def test_wrong_input_is_answered_in_one_line_and_changes_nothing(
    typed: str, says: str, status: int, at_work: Path
) -> None:
    before = contents(at_work)
    says = says.format(here=at_work, home=at_work / "home" / "monster-table")
    assert answered(typed) == (status, f"{says}\n")
    assert contents(at_work) == before


@pytest.mark.parametrize("game", ["TOKYO", "king of tokyo", "New York", "new_york", "NewYork"])
def test_a_game_is_known_in_any_case_and_by_its_box(game: str) -> None:
    ran = CliRunner().invoke(main, ["cards", "--missing", "--game", game])
    assert (ran.exit_code, ran.output) == (0, "")


@pytest.mark.parametrize(
    "typed",
    [
        "log check --data {closed}",
        "read {closed}/tray.jpg --game tokyo",
        "serve --data {closed}",
        "simulate --game tokyo --rows {closed}/rows",
    ],
)
def test_what_is_closed_to_the_user_is_said_to_be(typed: str, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    user = owner_name(os.getuid())
    words = typed.format(closed=closed).split()
    path = next(word for word in words if str(closed) in word)
    assert len([*main.commands.values()]) > 1  # imported by a user who may
    try:
        with nobody():
            ran = CliRunner().invoke(main, words)
    finally:
        closed.chmod(0o700)
    assert (ran.exit_code, ran.output) == (
        2,
        f"{path} belongs to {user}, and you may not open it. Run this as {user}: sudo -u {user}"
        " companion …\n",
    )


def test_settings_in_a_closed_folder_are_not_called_wrong(tmp_path: Path) -> None:
    """The default data folder comes by no option that would have looked at it."""
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    try:
        with nobody(), pytest.raises(WrongSettingsError) as wrong:
            read_settings(closed)
        with nobody():
            said = why_wrong_settings(closed, wrong.value)
    finally:
        closed.chmod(0o700)
    assert said.startswith(f"{closed / 'settings.toml'} belongs to {owner_name(os.getuid())}, and")


# -- whose the data folder is ---------------------------------------------------------------------

OF_A_FOLDER = ("backup one.zip", "doctor", "export g1", "log check", "setup")
PLACES = (
    "settings.toml", "starts", "table.db", "table.db-wal", "mqtt.toml", "listening",
    "invitation", "lock",
)  # fmt: skip


@pytest.fixture
def anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of another user, as root."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # each file of mine is then another user's
    return folder


@pytest.mark.parametrize("asked", OF_A_FOLDER)
@pytest.mark.parametrize("below", ["", "new/er"])
def test_root_is_told_whose_folder_it_is_and_changes_nothing(
    anothers: Path, asked: str, below: str
) -> None:
    ran = CliRunner().invoke(main, [*asked.split(), "--data", str(anothers / below)])
    assert ran.exit_code == 2
    assert f"{anothers} belongs to " in ran.stderr
    assert "Run this as that user, not as root: sudo -u " in ran.stderr
    assert [one.name for one in anothers.iterdir()] == ["kept"]


def test_a_container_asks_for_its_health_whoever_owns_the_volume(
    anothers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "HEALTHY_WITHIN_S", 0)
    command = ["doctor", "--health", "--port", "1", "--data", str(anothers)]
    ran = CliRunner().invoke(main, command)
    assert (ran.exit_code, ran.stderr) == (1, "")
    assert ran.stdout.startswith("bad   service")


@pytest.mark.parametrize("path", ["loop", "a" * 300])
def test_a_path_that_leads_nowhere_ends_with_a_sentence(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tmp_path / "loop").symlink_to("loop")
    status, said = answered(f"log check --data {tmp_path / path}")
    assert (status, said[: said.index(":")]) == (2, f"Cannot read {tmp_path / path}")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("asked", ["log check", "setup", "export g1"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, place: str, asked: str
) -> None:
    os.mkfifo(tmp_path / place)
    answered(f"{asked} --data {tmp_path}")
    assert (tmp_path / place).is_fifo()


# -- the help -------------------------------------------------------------------------------------


def described() -> dict[str, click.Command]:
    """Return every command and group by what is typed for it."""
    found: dict[str, click.Command] = {"": main}
    for name, command in main.commands.items():
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {each}": one for each, one in command.commands.items()}
    return found


def test_the_help_lists_every_command_below_a_heading() -> None:
    lines = CliRunner().invoke(main, []).output.splitlines()
    begins = [lines.index(f"{heading}:") for heading in SECTIONS]
    assert begins == sorted(begins)
    listed = [line.split()[0] for line in lines[begins[0] :] if line.startswith("  ")]
    assert [name for name in listed if name in main.commands] == list(main.commands)


@pytest.mark.parametrize("typed", described())
def test_help_fits_its_lines_and_is_not_cut(typed: str) -> None:
    ran = CliRunner(env={"COLUMNS": "80"}).invoke(main, [*typed.split(), "-h"])
    assert ran.exit_code == 0
    assert max(map(len, ran.output.splitlines())) <= 80
    assert "..." not in ran.output.replace("[ARGS]...", "").replace("IMAGE...", "")
    command = described()[typed]
    assert not typed or re.match(rf"Example: companion {typed}\b", command.epilog or "")


def test_a_server_alone_imports_what_serves() -> None:
    """And none of the others reads pictures or talks to a broker before it must."""
    program = (
        "import sys; from companion.cli import main; [main.commands[n] for n in sys.argv[1:]];"
        "print(*sorted({'cv2', 'dask', 'flask', 'numpy', 'onnxruntime', 'paho', 'uvicorn'}"
        " & sys.modules.keys()))"
    )

    def imported(*names: str) -> list[str]:
        command = [sys.executable, "-c", program, *names]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert imported(*(name for name in main.commands if name not in SERVERS)) == []
    assert imported(*SERVERS) == ["flask", "uvicorn"]


# -- cards ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "ids", "cards"), [("new-york", 66, 66), ("tokyo", 64, 66)])
def test_a_box_has_its_cards(game: str, ids: int, cards: int) -> None:
    ran = CliRunner().invoke(main, ["cards", "--game", game])
    lines = ran.stdout.splitlines()
    assert (len(lines), ran.stderr) == (ids, "")
    printed = CliRunner().invoke(main, ["cards", "--game", game, "--json"]).stdout.splitlines()
    rows = [msgspec.json.decode(line) for line in printed]
    assert sum(row["copies"] for row in rows) == cards
    assert sorted(row["name"] for row in rows) == [line.split()[1] for line in lines]


def test_cards_are_listed_as_an_edition_has_them() -> None:
    listed = {}
    for edition in ("first", "2016"):
        ran = CliRunner().invoke(main, ["cards", "--edition", edition, "--json"])
        rows = [msgspec.json.decode(line) for line in ran.stdout.splitlines()]
        assert {row["edition"] for row in rows} == {edition}
        listed[edition] = {(row["game"], row["name"]): row["cost"] for row in rows}
    first, later = listed["first"], listed["2016"]
    assert later.keys() < first.keys()
    dearer = [name for (_, name), cost in later.items() if cost != first["tokyo", name]]
    assert dearer == ["monster_batteries"]
