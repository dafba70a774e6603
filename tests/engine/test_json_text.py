"""Mistakes in hand-written JSON: each is reported as one sentence that names the field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.engine.reading import (
    LONGEST_WORD,
    PositionError,
    in_one_line,
    json_mistake,
    read_position,
)

WHOLE = '{"rules": "tokyo", "monsters": [{%s}, {}]}'
MARK = "it begins with a byte order mark; save it as UTF-8 without one"

SLIPS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "it is empty"),
    "only space": (b" \n", "it is empty"),
    "a byte order mark": (b"\xef\xbb\xbf" + (WHOLE % "").encode(), MARK),
    "UTF-16": ((WHOLE % "").encode("utf-16"), MARK),
    "Latin-1": (
        (WHOLE % '"place": "caf\xe9"').encode("latin-1"),
        "byte 46 is no UTF-8; save it as UTF-8",
    ),
    "a field twice": (
        (WHOLE % '"health": 3, "health": 9').encode(),
        "health stands twice in one object, not once",
    ),
    "a number of many digits": (
        (WHOLE % f'"stars": {"9" * 5000}').encode(),
        "stars is a number of 5000 digits, not of at most 18",
    ),
    "one of a list": (
        (WHOLE % '"reached": [-%s]' % ("9" * 19)).encode(),
        "reached is a number of 19 digits, not of at most 18",
    ),
    "no number": ((WHOLE % '"energy": NaN').encode(), "energy is NaN, not a number that can be"),
    "beyond all numbers": (
        (WHOLE % '"energy": -1e999').encode(),
        "energy is -1e999, not a number that can be",
    ),
    "lists without end": (b"[" * 200_000, "it is nested too deeply"),
}


@pytest.mark.parametrize("name", SLIPS)
def test_it_is_one_sentence_of_a_position(name: str) -> None:
    text, sentence = SLIPS[name]
    with pytest.raises(PositionError) as refused:
        read_position(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", [name for name in SLIPS if not SLIPS[name][1].endswith("empty")])
@pytest.mark.parametrize("more", [(), ("--json",)], ids=["", "json"])
def test_it_is_one_sentence_of_a_line_of_events(
    name: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    text, sentence = SLIPS[name]
    position, events = tmp_path / "position.json", tmp_path / "events.jsonl"
    position.write_text(WHOLE % "", "utf-8")
    events.write_bytes(text)
    ran = CliRunner().invoke(main, ["play", str(position), str(events), *more])
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert (
        ran.stderr
        == f"{events}, line 1 is no event: {sentence}. docs/positions.md shows the forms.\n"
    )


@pytest.mark.parametrize("text", [WHOLE % '"health": 3', "[1.5, -2, 1e3]", '{"a": [{"a": 1}]}'])
def test_nothing_is_said_of_what_is_right(text: str) -> None:
    assert json_mistake(text.encode()) == ""


@pytest.mark.parametrize("text", ["{", "{'a': 1}", "roll 3", '{"a": 1,}'])
def test_the_grammar_is_the_decoders_business(text: str) -> None:
    assert json_mistake(text.encode()) == ""


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\u2028", r"\u2028"),
        ("tokyo\ud800", r"tokyo\ud800"),
        ("x" * 100_000, "x" * LONGEST_WORD + "…"),
        ("ísland ♥", "ísland ♥"),
    ],
    ids=ascii,
)
def test_a_word_breaks_no_line_and_floods_none(word: str, shown: str) -> None:
    assert in_one_line(f"no place {word} there") == f"no place {shown} there"


def test_so_does_one_in_a_position_and_one_in_an_event(tmp_path: Path) -> None:
    position, events = tmp_path / "position.json", tmp_path / "events.jsonl"
    position.write_text(json.dumps({"rules": "to\nkyo", "monsters": [{}, {}]}), "utf-8")
    events.write_text('{"type": "CardShown", "slot": 0, "name": "win\\nks"}', "utf-8")
    ran = CliRunner().invoke(main, ["play", str(position), str(events)])
    assert r"no game to\nkyo" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    position.write_text(WHOLE % "", "utf-8")
    ran = CliRunner().invoke(main, ["play", str(position), str(events)])
    assert (ran.exit_code, len(ran.stderr.splitlines())) == (1, 1)
    assert r"win\nks" in ran.stderr
