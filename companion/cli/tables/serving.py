"""`companion serve` where there are several tables: a process for each, and the front page."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import click
import msgspec

from companion.cli.output import CANNOT_PRINT
from companion.cli.words import refuse, sentence
from companion.service.machine.logs import is_journal
from companion.service.machine.manager import ServiceManager
from companion.service.machine.starts import Starts
from companion.service.machine.supervision import Supervision
from companion.service.network.addresses import in_url, own_names, parse_ip, qr_terminal
from companion.service.network.listening import Listening, remove_listening, write_listening
from companion.service.network.phone_addresses import PhoneAddresses
from companion.service.settings import Settings
from companion.service.workers import Workers
from companion.tables import TablesError, TableSettings, folder_in
from companion.tables.front import FrontPage, FrontRow, FrontServer
from companion.tables.kept import Ended, Joining, KeepPatience, KeptTable, State
from companion.tables.supervisor import Supervisor

SERVE = ("-P", "-c", "from companion.cli import main; main()", "serve")


def serve_tables(
    settings: Settings,
    sock: socket.socket,
    manager: ServiceManager,
    starts: Starts,
    passed_on: Sequence[str],
    mqtt: Path | None,
) -> None:
    """Serve all tables of the machine until a signal ends it.

    `settings` are those of the front page: its port, the data folder that names the tables.
    `passed_on`: options for the process of each table; `mqtt`: the file that one of them names.
    """
    with sock, tempfile.TemporaryDirectory(prefix="monster-table-") as runtime:
        try:
            tables = ManyTables(settings, Path(runtime), passed_on)
        except TablesError as wrong:
            refuse(wrong.key, **wrong.params)
        write_listening(settings.data, Listening.of(settings.host, settings.port, mqtt))
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(tables.serve(sock, manager, starts))
        finally:
            remove_listening(settings.data)


def end_with_input() -> None:
    """End this table's process once its standard input ends: its keeper is gone."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                continue
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="keeper", daemon=True).start()


@dataclass
class ManyTables:
    """All tables, and the front page; `runtime` is a folder that nobody else may enter."""

    settings: Settings
    runtime: Path
    passed_on: Sequence[str] = ()
    patience: KeepPatience = field(default_factory=KeepPatience)

    def __post_init__(self) -> None:
        settings = self.settings
        self.supervisor = Supervisor(
            settings.data,
            partial(command_of, settings, self.passed_on),
            self.runtime,
            self._follow,
            self._refuse,
            self.patience,
        )
        self._addresses = PhoneAddresses(settings)
        self._printing = Workers("printing", 1)
        self._printed: dict[str, Joining] = {}

    async def serve(self, sock: socket.socket, manager: ServiceManager, starts: Starts) -> None:
        """Keep the tables running and answer for the front page."""
        settings = self.settings
        hosts = (settings.host,) if parse_ip(settings.host) is None else ()
        advertised = urlsplit(settings.advertise or "").hostname
        names = own_names((*settings.names, *hosts, *((advertised,) if advertised else ())))
        page = FrontPage(self._rows, names, self._addresses, settings)
        self.front = server = FrontServer(page, settings)
        with Supervision(manager, starts, ()) as supervision:
            keeping = asyncio.create_task(self.supervisor.run())
            keeping.add_done_callback(lambda _: server.stop())  # also where it failed
            try:
                await server.run(sock, partial(self._on_ready, supervision))
            finally:
                keeping.cancel()
                await asyncio.wait((keeping,))
                self._addresses.close()
        if not keeping.cancelled():
            keeping.result()

    def _on_ready(self, supervision: Supervision) -> None:
        self._print(sentence("tables.front", url=self._addresses.best))
        self._addresses.watch()
        supervision.ready(sentence("serve.status", url=self._addresses.best))

    def _rows(self) -> list[FrontRow]:
        return [self._row(table) for table in self.supervisor.tables]

    def _row(self, table: TableSettings) -> FrontRow:
        kept = self.supervisor.kept.get(table.name)
        taken = self.supervisor.without_camera.get(table.name)
        return FrontRow(
            table.shown,
            table.port,
            State.CLOSED if kept is None else kept.state,
            advertise_of(self.settings, table),
            without_camera="" if taken is None else str(taken.params["other"]),
            refused=kept is not None and kept.ended is Ended.REFUSED,
        )

    def _follow(self, kept: KeptTable) -> None:
        """Print how phones join a table, and that one has stopped. Never waits for the terminal."""
        name, joining = kept.settings.name, kept.joining
        if kept.state is State.AGAIN and kept.ended is not None:
            self._printed.pop(name, None)
            reason = sentence(f"tables.ended.{kept.ended}")
            self._print(
                sentence("tables.ended", name=name, reason=reason, seconds=f"{kept.wait_s:.3g}")
            )
        if joining is not None and self._printed.get(name) != joining:
            self._printed[name] = joining
            self._printing.submit(_print_joining, kept.settings, joining)

    def _refuse(self, wrong: TablesError) -> None:
        self._print(sentence(wrong.key, **wrong.params))

    def _print(self, line: str) -> None:
        self._printing.submit(_print_line, line)


def command_of(
    root: Settings, passed_on: Sequence[str], table: TableSettings, camera: str
) -> Sequence[str]:
    """Return the command of one table's process, which reads its camera in the machine's file: a
    password is no word of a command line.
    """
    options = {
        "--table": table.name,
        "--title": table.shown,
        "--machine": str(root.data.absolute()),
        "--host": root.host,
        "--port": str(table.port),
        "--data": str(folder_in(root.data, table).absolute()),
        "--camera": camera if camera != table.camera else None,
        "--profile": table.profile,
        "--game": table.game,
        "--advertise": advertise_of(root, table),
    }
    given = [word for option, value in options.items() if value for word in (option, value)]
    names = [word for name in root.names for word in ("--name", name)]
    return (sys.executable, *SERVE, *given, *names, *passed_on)


def advertise_of(root: Settings, table: TableSettings) -> str | None:
    """Return the address that a table's phones are given: its own, else the machine's with the
    table's port.
    """
    if table.advertise or not root.advertise:
        return table.advertise
    parts = urlsplit(root.advertise)
    host = parse_ip(parts.hostname or "") or parts.hostname or ""
    return f"{parts.scheme}://{in_url(host)}:{table.port}"


def _print_line(line: str) -> None:
    with suppress(*CANNOT_PRINT):
        click.echo(line, err=True)


def _print_joining(table: TableSettings, joining: Joining) -> None:
    """Print a table's QR code and address, and for a script one line of JSON; no token for a
    journal.
    """
    name = sentence("tables.table", name=table.shown)
    if is_journal(sys.stderr):
        command = f"companion tables show {table.name}"
        how = [sentence("serve.journal", url=joining.url, command=command)]
    else:
        join = sentence("serve.join", url=joining.join, code=joining.code)
        how = [qr_terminal(joining.join), join]
    _print_line("\n".join((name, *how)))
    if sys.stdout is None or sys.stdout.isatty() or is_journal(sys.stdout):
        return
    with suppress(*CANNOT_PRINT):
        line = {"table": table.name, **msgspec.to_builtins(joining)}
        click.echo(msgspec.json.encode(line).decode())
