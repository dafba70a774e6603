"""The phone's types are generated, and up to date."""

from tools.wire_types import TARGET, wire_typescript


def test_the_committed_types_are_those_of_the_wire() -> None:
    assert TARGET.read_text(encoding="utf-8") == wire_typescript()


def test_what_a_phone_sends_may_leave_defaults_out_and_what_it_gets_is_whole() -> None:
    text = wire_typescript()
    assert "readonly proposal_id?: string | null;" in text
    assert "readonly box: readonly [number, number, number, number];" in text
    assert 'export type Role = "host" | "player" | "spectator" | "stranger";' in text
