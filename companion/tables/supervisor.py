"""All tables of a machine: which of them are kept running, by the file that names them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from companion.tables.kept import KeepPatience, KeptTable
from companion.tables.settings import (
    FILE_NAME,
    TablesError,
    TableSettings,
    camera_taken,
    read_tables,
    rival,
)

_LOG = logging.getLogger(__name__)


class Supervisor:
    """Keeps the open tables of the machine running, each by a task of its own.

    `command` makes the command of a table's process; `follow` is called after each change of a
    table, `refuse` with each new problem of the file.
    """

    def __init__(
        self,
        root: Path,
        command: Callable[[TableSettings, str], Sequence[str]],
        runtime: Path,
        follow: Callable[[KeptTable], None],
        refuse: Callable[[TablesError], None],
        patience: KeepPatience | None = None,
    ) -> None:
        self._root, self._command, self._runtime = root, command, runtime
        self._follow, self._refuse = follow, refuse
        self._patience = patience or KeepPatience()
        self.tables = read_tables(root)
        """All tables, the closed ones too. TablesError where the file is wrong at the start; later
        a wrong file changes nothing."""
        self.problem: TablesError | None = None
        """What is wrong with the file now; the tables are those of before."""
        self.kept: dict[str, KeptTable] = {}
        self.without_camera: dict[str, TablesError] = {}
        """Tables that are served without their camera, since another reads it."""
        self._keeping: dict[str, asyncio.Task[None]] = {}
        self._seen: object = None

    async def run(self) -> None:
        """Keep the tables running until this is cancelled."""
        self._seen = _stamp(self._root)
        try:
            while True:
                # What is wrong with one table ends no other.
                [failed] = await asyncio.gather(self._apply(), return_exceptions=True)
                if failed is not None:
                    _LOG.error("the tables are not as their file says", exc_info=failed)
                await asyncio.sleep(self._patience.look_s)
                self._look()
        finally:
            await self._end(tuple(self._keeping))

    def _look(self) -> None:
        """Read the file again where it has changed."""
        stamp = _stamp(self._root)
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self.tables, self.problem = read_tables(self._root), None
        except TablesError as wrong:
            self.problem = wrong
            self._refuse(wrong)

    async def _apply(self) -> None:
        """Start, end, and start anew what differs from the file, or failed to keep running."""
        wanted = {one.name: one for one in self.tables if one.open}
        await self._end(
            [
                name
                for name, keeping in self._keeping.items()
                if keeping.done() or self.kept[name].settings != wanted.get(name)
            ]
        )
        await self._end([name for name in self.without_camera if self._camera_is_free(name)])
        for name, table in wanted.items():
            if name not in self._keeping:
                self._start(table)

    def _camera_is_free(self, name: str) -> bool:
        return rival(self.kept[name].settings, self._reading()) is None

    def _start(self, table: TableSettings) -> None:
        """Start a table; one whose camera another has is served without it."""
        camera, other = table.camera, rival(table, self._reading())
        if other is not None:
            self.without_camera[table.name] = camera_taken(table, other)
            self._refuse(self.without_camera[table.name])
            camera = "none"
        kept = KeptTable(
            table, self._command(table, camera), self._runtime, self._follow, self._patience
        )
        self.kept[table.name] = kept
        self._keeping[table.name] = asyncio.create_task(kept.keep(), name=table.name)

    def _reading(self) -> list[TableSettings]:
        """Return the tables that run with their cameras."""
        running = (self.kept[name].settings for name in self._keeping)
        return [one for one in running if one.name not in self.without_camera]

    async def _end(self, names: Sequence[str]) -> None:
        """End these tables, all at once."""
        tasks = [self._keeping.pop(name) for name in names]
        for task in tasks:
            task.cancel()
        for failed in await asyncio.gather(*tasks, return_exceptions=True):
            if not isinstance(failed, asyncio.CancelledError):
                _LOG.error("a table was not kept running", exc_info=failed)
        for name in names:
            self.without_camera.pop(name, None)
            del self.kept[name]


def _stamp(root: Path) -> object:
    """Return what changes whenever the file does; None where there is none."""
    try:
        found = (root / FILE_NAME).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
