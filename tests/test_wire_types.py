"""The phone's types are generated, and up to date."""

from __future__ import annotations

import re

from tools.wire_types import TARGET, wire_typescript

FOR_OTHER_PROGRAMS = {"safe", "version"}
"""Fields that the page does not read: what is asked to watch over a service."""


def test_the_committed_types_are_those_of_the_wire() -> None:
    assert TARGET.read_text(encoding="utf-8") == wire_typescript()


def test_what_a_phone_sends_may_leave_defaults_out_and_what_it_gets_is_whole() -> None:
    text = wire_typescript()
    assert "proposal_id?: string | null" in text
    assert "box: readonly [number, number, number, number]" in text
    assert 'export type Role = "host" | "player" | "spectator" | "stranger";' in text


def test_the_page_reads_every_field_that_it_is_sent() -> None:
    fields = set(re.findall(r"[\s{](\w+)\??: ", wire_typescript()))
    folder = TARGET.parent
    sources = [path for path in folder.rglob("*.ts*") if path != TARGET]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    words = set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)))
    assert len(fields) > 150
    assert fields - words == FOR_OTHER_PROGRAMS
