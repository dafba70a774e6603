"""Wrong input to every command, and the one line that answers it: a cause and a remedy."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.cli.options.folders import DATA_VARIABLE, why_wrong_settings
from companion.cli.options.values import owner_name
from companion.engine import RULESETS
from companion.service.settings import WrongSettingsError, read_settings
from companion.table.backup import back_up
from companion.table.database import FILE_NAME
from companion.table.log import EventLog
from tests.table.test_table import play, started
from tests.waiting import WITHIN_S

CLIP = Path(__file__).parent / "clips" / "test_tokyo.mp4"
NOISE = bytes(range(256)) * 8
NOBODY = 65_534
IN_OWN_PROCESS = ("serve", "hub")
"""Commands that change how a process logs and ends."""

# What is typed after `companion`, in the folder that `workspace` makes, and the line that comes.
WRONG = [
    # -- the command itself --
    ("serv", "companion has no command “serv”. Did you mean serve?"),
    ("frobnicate", "companion has no command “frobnicate”. companion --help lists all."),
    ("--colour", "companion has no option --colour. companion --help lists all."),
    ("--", "companion needs a command. companion --help lists all."),
    ("--version=2", "--version takes no value. Give --version alone."),
    # -- serve, hub --
    ("serve extra", "companion serve does not take “extra”. Leave it out."),
    ("serve two words", "companion serve does not take “two words”. Leave it out."),
    ("serve --prot 80", "companion serve has no option --prot. Did you mean --port?"),
    ("serve --port", "--port has no value. Give a whole number from 0 to 65535."),
    ("serve --port abc", "--port cannot be “abc”. Give a whole number from 0 to 65535."),
    ("serve --port 70000", "--port cannot be “70000”. Give a whole number from 0 to 65535."),
    ("serve --port 80.5", "--port cannot be “80.5”. Give a whole number from 0 to 65535."),
    ("serve --safe=yes", "--safe takes no value. Give --safe alone."),
    ("serve --name", "--name has no value. companion serve --help lists all."),
    (
        "serve --name http://x --data empty",
        "--name cannot be “http://x”. Give a name or number alone, such as raspberrypi.lan or"
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
    ("serve --game", "--game has no value. Choose one of: new-york, tokyo."),
    ("serve --game chess", "There is no game “chess”. Choose one of: new-york, tokyo."),
    (
        "serve --camera nothere --host 127.0.0.1 --port 0 --data empty",
        "There is no camera, file or folder “nothere”. Check the name.",
    ),
    ("serve --profile gone.json", "There is no file gone.json. Check the name."),
    ("serve --profile empty", "empty is a folder. Give a file."),
    (
        "serve --profile list.json --data empty",
        "list.json is no profile of dice: it must be an object, not a list. Give a file made by"
        " companion calibrate.",
    ),
    ("serve --data noise.bin", "noise.bin is a file. Give a folder."),
    ("serve --data noise.bin/below", "{here}/noise.bin is a file. Give a folder."),
    (
        "serve --data settings",
        "settings/settings.toml cannot be used: port must be a whole number, not text. Correct"
        " that in the file.",
    ),
    (
        "serve --data toml",
        "toml/settings.toml cannot be used: Invalid value (at line 1, column 8). Correct that in"
        " the file.",
    ),
    ("serve --mqtt gone.toml", "There is no file gone.toml. Check the name."),
    ("demo --game chess", "There is no game “chess”. Choose one of: new-york, tokyo."),
    ("demo --port abc", "--port cannot be “abc”. Give a whole number from 0 to 65535."),
    ("demo --data noise.bin", "noise.bin is a file. Give a folder."),
    ("hub", "--mqtt is missing. For example: companion hub --mqtt mqtt.toml"),
    ("hub --mqtt empty", "empty is a folder. Give a file."),
    (
        "hub --mqtt noise.bin",
        "noise.bin cannot be used: it is no text. docs/home-assistant.md shows what it may hold.",
    ),
    (
        "hub --mqtt mqtt.toml",
        "broker in mqtt.toml is no address. Write it like mqtt://user@host:1883.",
    ),
    # -- setup, doctor, calibrate --
    ("setup --port 0", "--port cannot be “0”. Give a whole number from 1 to 65535."),
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
        "The first line of noise.bin is no Wi-Fi password. Write one of 1 to 63 signs there.",
    ),
    ("setup --wifi-name Den --wifi-password-file gone", "There is no file gone. Check the name."),
    ("setup --data noise.bin", "noise.bin is a file. Give a folder."),
    ("setup --data ''", "--data is missing. For example: companion setup --camera 0"),
    ("doctor --bundle empty", "empty is a folder. Give a file."),
    ("doctor --bundle gone/help.zip", "There is no folder gone. Make it first."),
    ("doctor --data noise.bin", "noise.bin is a file. Give a folder."),
    (
        "calibrate",
        "PROFILE is missing. For example: companion calibrate box.json --game tokyo --from"
        " labels.jsonl",
    ),
    ("calibrate box.json", "--game is missing. Choose one of: new-york, tokyo."),
    (
        "calibrate box.json --game tokyo",
        "--from is missing. For example: companion calibrate box.json --game tokyo --from"
        " labels.jsonl",
    ),
    (
        "calibrate box.json --game tokyo --from empty.bin",
        "empty.bin holds no pictures of tokyo. Give lines as companion read --json prints them.",
    ),
    (
        "calibrate box.json --game tokyo --from notes.txt",
        "Line 1 of notes.txt is no labelled picture: it is no JSON, invalid character (byte 0)."
        " Give lines as companion read --json prints them.",
    ),
    (
        "calibrate box.json --game tokyo --from labels.jsonl",
        "There is no file gone.jpg. Check the name.",
    ),
    (
        "calibrate noise.bin --game tokyo --from labels.jsonl",
        "noise.bin is no profile of dice: it is no JSON, invalid character (byte 0). Give a file"
        " made by companion calibrate.",
    ),
    # -- backup, restore --
    ("backup", "FILE is missing. For example: companion backup evening.db"),
    ("backup '' --data games", "FILE is missing. For example: companion backup evening.db"),
    ("backup a.zip b.zip", "companion backup does not take “b.zip”. Leave it out."),
    (
        "backup a.zip --data gone",
        "There are no games in gone yet. Name the folder where they are kept.",
    ),
    ("backup empty --data games", "empty is a folder. Give a file."),
    ("backup pipe --data games", "pipe is no ordinary file. Give the name of a new one."),
    ("backup gone/a.zip --data games", "There is no folder gone. Make it first."),
    ("backup noise.bin/a.zip --data games", "noise.bin is a file. Give a folder."),
    ("restore gone.zip", "There is no file gone.zip. Check the name."),
    (
        "restore noise.bin --data new",
        "noise.bin is no backup of this app. Give a file made by companion backup.",
    ),
    (
        "restore cut.db --data new",
        "The log in cut.db is damaged (database disk image is malformed). Nothing was changed; try"
        " an older backup.",
    ),
    (
        "restore evening.db --data games",
        "games holds games already. Add --force to replace them; they are kept beside.",
    ),
    (
        "restore evening.db --data foreign",
        "foreign holds other files: table.db. Give a new folder with --data.",
    ),
    ("restore evening.db --data noise.bin", "noise.bin is a file. Give a folder."),
    # -- export, statistics, log check --
    ("export", "TABLE is missing. For example: companion export g3 --as csv"),
    ("export g1", "There are no games in {home} yet. Name the folder where they are kept."),
    (
        "export g1 --data unplayed",
        "There are no games in unplayed yet. Name the folder where they are kept.",
    ),
    (
        "export g1 --data broken",
        "The games in broken/table.db cannot be read: file is not a database. companion log check"
        " says what is lost.",
    ),
    (
        "export g1 --data foreign",
        "foreign/table.db belongs to another program. Name the folder where your games are kept.",
    ),
    ("export g9 --data games", "There is no game “g9”. Choose another, such as g1."),
    (
        "export g1 --as pdf --data games",
        "--as cannot be “pdf”. Choose one of: jsonl, csv, bgstats.",
    ),
    (
        "export g1 --link --data games",
        "--link works only with --as bgstats. Add --as bgstats.",
    ),
    (
        "statistics --data other",
        "There are no games in other yet. Name the folder where they are kept.",
    ),
    ("statistics g1", "companion statistics does not take “g1”. Leave it out."),
    ("log", "companion log needs a command. Choose one of: check."),
    ("log chek", "companion log has no command “chek”. Did you mean check?"),
    ("log check", "There are no games in {home} yet. Name the folder where they are kept."),
    (
        "log check --data unplayed",
        "There are no games in unplayed yet. Name the folder where they are kept.",
    ),
    (
        "log check --data foreign",
        "foreign/table.db belongs to another program. Name the folder where your games are kept.",
    ),
    # -- read, watch --
    ("read", "IMAGE is missing. For example: companion read tray.jpg --game tokyo"),
    ("read dark.png", "--game is missing. Choose one of: new-york, tokyo."),
    ("read gone.jpg --game tokyo", "There is no file gone.jpg. Check the name."),
    (
        "read empty --game tokyo",
        "empty is a folder. Give the pictures in it, such as empty/*.jpg.",
    ),
    (
        "read 'a clip.mp4' --game tokyo",
        "a clip.mp4 is a video. Read it with companion watch 'a clip.mp4' --game tokyo",
    ),
    ("read notes.txt --game tokyo", "notes.txt is neither JPEG nor PNG. Save it as JPEG."),
    (
        "read evening.zip",
        "evening.zip is no report of a misread roll. Save one on a phone with “Send this misread”.",
    ),
    (
        "read dark.png --game tokyo --expect six",
        "--expect cannot be “six”. Give a whole number from 0 to 20.",
    ),
    (
        "read dark.png --game tokyo --profile cut.json",
        "cut.json is no profile of dice: it ends too early. Give a file made by companion"
        " calibrate.",
    ),
    ("watch", "SOURCE is missing. For example: companion watch 0 --game tokyo"),
    ("watch clip.mp4", "--game is missing. Choose one of: new-york, tokyo."),
    (
        "watch 77 --game tokyo",
        "There is no camera /dev/video77. ls /dev/v4l/by-id lists the cameras.",
    ),
    (
        "watch '' --game tokyo",
        "There is no camera, file or folder “”. Check the name.",
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
    # -- play, replay, audit, forecast --
    (
        "play position.json",
        "EVENTS is missing. For example: companion play position.json events.jsonl --json",
    ),
    ("play position.json empty", "empty is a folder. Give a file."),
    (
        "play list.json events.jsonl",
        "list.json is no position: it must be an object, not a list. "
        "docs/positions.md shows the form.",
    ),
    (
        "play position.json danced.jsonl",
        "danced.jsonl, line 1 is no event: type cannot be 'Danced'. "
        "docs/positions.md shows the forms.",
    ),
    (
        "play position.json events.jsonl --stop-at dinner",
        "--stop-at cannot be “dinner”. Choose one of: turn-end.",
    ),
    ("replay gone", "There is no file gone. Check the name."),
    (
        "replay empty",
        "There are no games in empty yet. Name the folder where they are kept.",
    ),
    (
        "replay noise.bin",
        "noise.bin is no log of a game. Give a data folder, or a file made by companion export.",
    ),
    (
        "replay empty.bin",
        "No game begins in empty.bin. Give a log made by companion export.",
    ),
    (
        "replay events.jsonl --table g1",
        "events.jsonl holds one game alone. Leave out --table.",
    ),
    ("audit games --table g9", "There is no game “g9”. Choose another, such as g1."),
    ("forecast g9 --data games", "There is no game “g9”. Choose another, such as g1."),
    # -- simulate, cards --
    ("simulate", "--game is missing. Choose one of: new-york, tokyo."),
    (
        "simulate --game tokyo --players 7",
        "--players cannot be “7”. Give a whole number from 2 to 6.",
    ),
    (
        "simulate --game tokyo --offers nan",
        "--offers cannot be “nan”. Give a number from 0 to 1.",
    ),
    (
        "simulate --game tokyo --edition 1999",
        "There is no edition “1999” of this box. Choose one of: first, 2016.",
    ),
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
    ("cards more", "companion cards does not take “more”. Leave it out."),
]

# The same for what was right to ask for, and failed (exit 1).
FAILED = [
    (
        "setup --camera nothere --data empty",
        "bad   camera        There is no camera, file or folder “nothere”. Check the name.",
    ),
    (
        "setup --camera '' --data empty",
        "bad   camera        There is no camera, file or folder “”. Check the name.",
    ),
    (
        "setup --camera http://127.0.0.1:9/live --data empty",
        "bad   camera        No camera answers at http://127.0.0.1:9. Check the address.",
    ),
    (
        "export g1 --as bgstats --data games",
        "The game g1 has not ended, and BG Stats takes finished ones only. Play it to its end"
        " first.",
    ),
    (
        "backup a.zip --data broken",
        "The log is damaged (file is not a database), so there is no backup. Start the service"
        " once: it goes on with what is proven.",
    ),
]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with files that are right for some commands, and wrong for all others."""
    here = tmp_path_factory.mktemp("work")
    for name in ("broken", "empty", "foreign", "other", "settings", "toml", "unplayed"):
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
        "cut.json": b'{"sheet": ',
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
        "toml/settings.toml": b"port = = 3\n",
    }.items():
        (here / name).write_bytes(content)
    os.mkfifo(here / "pipe")
    return here


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def at_work(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in the workspace, without a data folder of one's own."""
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("XDG_DATA_HOME", str(workspace / "home"))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    return workspace


def answered(typed: str) -> tuple[int, str]:
    """Type a command; return its exit status and what it prints."""
    words = shlex.split(typed)
    if words[0] not in IN_OWN_PROCESS:
        ran = CliRunner().invoke(main, words)
        return ran.exit_code, ran.output
    done = subprocess.run(
        [sys.executable, "-m", "companion", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    return done.returncode, done.stdout


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


@pytest.mark.parametrize("game", ["Tokyo", "TOKYO", "king of tokyo", "King of Tokyo"])
def test_a_game_is_known_in_any_case_and_by_its_box(game: str) -> None:
    ran = CliRunner().invoke(main, ["cards", "--missing", "--game", game])
    assert (ran.exit_code, ran.output) == (0, "")


@pytest.mark.parametrize("game", ["New York", "new_york", "NEW-YORK", "NewYork"])
def test_the_words_of_a_game_are_joined_by_anything(game: str) -> None:
    ran = CliRunner().invoke(main, ["simulate", "--game", game, "--games", "1", "--json"])
    assert msgspec.json.decode(ran.stdout)["game"] == "new-york"


def test_every_command_is_given_wrong_input() -> None:
    asked = {typed.split()[0] for typed, _ in (*WRONG, *FAILED)}
    assert set(main.commands) <= asked


@contextmanager
def nobody() -> Iterator[None]:
    """Lose the rights of root, if this is root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize(
    "typed",
    [
        "doctor --data {closed}",
        "export g1 --data {closed}",
        "log check --data {closed}",
        "read {closed}/tray.jpg --game tokyo",
        "serve --data {closed}",
        "setup --data {closed}",
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
