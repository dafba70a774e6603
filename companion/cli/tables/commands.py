"""`companion tables`: add, list, close and open tables of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, Unpack

import click
import msgspec

from companion.cli.options.folders import DATA, refuse_anothers, root_folder
from companion.cli.options.games import GAME
from companion.cli.options.values import Folder, InputFile, Number
from companion.cli.usage import CommandGroup
from companion.cli.words import FAILED, refuse, refuse_by, sentence
from companion.service.machine.invitation_file import read_invitation
from companion.service.machine.settings_file import WrongSettingsError, read_settings
from companion.service.network.addresses import qr_terminal
from companion.service.network.listening import read_listening
from companion.service.settings import Settings
from companion.storage.files import is_there
from companion.table.log import FILE_NAME
from companion.tables import TablesError, TableSettings, folder_in, folder_of, read_tables
from companion.tables.cameras import lasting_name
from companion.tables.settings import add_table, free_port, set_open
from companion.vision.readings import SourceError


class AddOptions(TypedDict):
    """The options of `tables add`."""

    camera: str
    port: int | None
    folder: Path | None
    title: str
    game: str | None
    profile: Path | None
    advertise: str | None


@click.group(cls=CommandGroup, epilog="Example: companion tables list")
def tables() -> None:
    """Manage several tables on this machine."""


@tables.command("add", epilog="Example: companion tables add bar --camera 1")
@click.argument("name")
@DATA
@click.option(
    "--camera",
    metavar="SOURCE",
    default="none",
    show_default=True,
    help="The camera, as for serve.",
)
@click.option("--port", type=Number(1, 65535), help="Its port; by default the first free one.")
@click.option("--folder", type=Folder(), help="Its data folder; by default tables/NAME.")
@click.option("--title", metavar="TITLE", default="", help="Its name for people, if not NAME.")
@click.option("--game", type=GAME, help="The game to begin with.")
@click.option("--profile", type=InputFile(), help="What companion calibrate has learned.")
@click.option("--advertise", metavar="URL", help="The address to show its phones.")
def add(name: str, data: Path | None, **given: Unpack[AddOptions]) -> None:
    """Add a table. A running service opens it at once."""
    root = root_folder(data)
    folder, profile = given["folder"], given["profile"]
    if folder is not None:
        refuse_anothers(folder)
    try:
        table = msgspec.convert(
            {
                "name": name,
                "port": given["port"] or free_port(read_tables(root), _front_port(root)),
                "camera": lasting_name(given["camera"]),
                "data": "" if folder is None else str(folder.absolute()),
                "title": given["title"].strip(),
                "game": given["game"],
                "profile": None if profile is None else str(profile.absolute()),
                "advertise": given["advertise"],
            },
            TableSettings,
        )
        add_table(root, table)
    except msgspec.ValidationError as wrong:
        if "`$.name`" in str(wrong):
            refuse("error.tables.name", name="".join(filter(str.isprintable, name)))
        field = str(wrong).rpartition("`$.")[2].rstrip("`")
        cause = sentence("error.usage.value", name=f"--{field}", given=str(given.get(field)))
        refuse_by(f"{cause} {sentence('error.usage.look', path='companion tables add')}")
    except (TablesError, SourceError) as wrong:
        refuse(wrong.key, **wrong.params)
    click.echo(
        sentence("tables.added", name=name, port=table.port, path=str(folder_in(root, table)))
    )
    if is_there(root / FILE_NAME) and folder_in(root, table) != root:
        click.echo(sentence("tables.games_before", path=str(root)), err=True)


@tables.command("list", epilog="Example: companion tables list")
@DATA
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a table.")
def list_tables(data: Path | None, as_json: bool) -> None:
    """List the tables of this machine."""
    root = root_folder(data)
    for table in _read(root):
        folder = str(folder_in(root, table))
        if as_json:
            shown = {"title": table.shown, "camera": table.camera_shown, "data": folder}
            found = {**msgspec.to_builtins(table), **shown}
            click.echo(msgspec.json.encode(found).decode())
            continue
        key = "tables.open" if table.open else "tables.closed"
        click.echo(
            sentence(key, name=table.shown, port=table.port, camera=table.camera_shown, path=folder)
        )


@tables.command("show", epilog="Example: companion tables show bar")
@click.argument("name")
@DATA
def show(name: str, data: Path | None) -> None:
    """Show the QR code and the code of a table."""
    root = root_folder(data)
    try:
        folder = folder_of(root, name)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)
    refuse_anothers(folder)
    joining = read_invitation(folder)
    if joining is None:
        click.echo(sentence("tables.not_served", name=name), err=True)
        raise SystemExit(FAILED)
    click.echo(qr_terminal(joining.links[0]))
    click.echo(sentence("serve.join", url=joining.links[0], code=joining.code))


@tables.command("close", epilog="Example: companion tables close bar")
@click.argument("name")
@DATA
def close(name: str, data: Path | None) -> None:
    """Close a table. Its games, its port and its players' seats are kept."""
    _set_open(root_folder(data), name, is_open=False)


@tables.command("open", epilog="Example: companion tables open bar")
@click.argument("name")
@DATA
def open_again(name: str, data: Path | None) -> None:
    """Open a table again."""
    _set_open(root_folder(data), name, is_open=True)


def _front_port(root: Path) -> int:
    """Return the port of the front page: the running one's, else what is kept."""
    running = read_listening(root)
    if running is not None:
        return running.port
    try:
        return read_settings(root).port or Settings(data=root).port
    except WrongSettingsError:
        return Settings(data=root).port


def _read(root: Path) -> tuple[TableSettings, ...]:
    try:
        return read_tables(root)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)


def _set_open(root: Path, name: str, *, is_open: bool) -> None:
    try:
        set_open(root, name, is_open=is_open)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)
    click.echo(sentence("tables.now_open" if is_open else "tables.now_closed", name=name))
