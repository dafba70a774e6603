"""What scripts are served with: the commands of the documents, `play` with all that it prints, and
sentences that speak to no phone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.play import answer_to
from companion.cli.words import sentence
from companion.engine import Position, read_position
from tests.properties import reading
from tools.schemas import schema

ROOT = Path(__file__).parent.parent
COMMANDS = (ROOT / "docs" / "commands.md").read_text("utf-8")
POSITIONS = (ROOT / "docs" / "positions.md").read_text("utf-8")
FILES = re.findall(r"```json ([\w.]+)\n(.*?)```", COMMANDS, re.DOTALL)
CONSOLES = re.findall(r"```console\n\$ companion ([^\n]*)\n(.*?)```", COMMANDS, re.DOTALL)
TYPES = schema("event")["discriminator"]

Json = dict[str, Any]


# -- the documents --------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "shown"), CONSOLES, ids=lambda text: text[:60])
def test_a_command_of_the_documents_prints_what_they_show(
    typed: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES:
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(main, typed.split()).output
    wanted = ".*".join(re.escape(part) for part in shown.split("…"))
    assert re.fullmatch(wanted, printed, re.DOTALL), printed


def test_the_documents_show_play_with_each_of_its_options() -> None:
    shown = " ".join(typed for typed, _ in CONSOLES if typed.startswith("play "))
    assert "--stop-at turn-end" in shown
    assert "--json" in shown
    assert any("is not allowed" in printed for _, printed in CONSOLES)


def test_every_kind_of_event_stands_in_an_example_that_is_tried() -> None:
    tried = re.findall(r"```json events\n(.*?)```", POSITIONS, re.DOTALL)
    tried += [text for name, text in FILES if name.endswith(".jsonl")]
    used = {json.loads(line)["type"] for text in tried for line in text.splitlines()}
    assert used == TYPES["mapping"].keys()


# -- play -----------------------------------------------------------------------------------------

IN_TOKYO: Json = {
    "rules": "tokyo",
    "monsters": [{}, {"place": "tokyo_city", "stars": 5}],
    "turn": {"number": 3},
}
HEARTS: Json = {"type": "DiceRolled", "faces": ["heal"] * 6, "final": True}


def play(folder: Path, position: Json, events: list[Json], *more: str) -> Result:
    start, path = folder / "position.json", folder / "events.jsonl"
    start.write_text(json.dumps(position), "utf-8")
    path.write_text("\n".join(map(json.dumps, events)), "utf-8")
    return CliRunner().invoke(main, ["play", str(start), str(path), *more])


def played(folder: Path, position: Json, events: list[Json], *more: str) -> Json:
    ran = play(folder, position, events, "--json", *more)
    assert ran.exit_code == 0, ran.output
    found: Json = json.loads(ran.stdout)
    return found


def stars(found: Json) -> list[int]:
    return [monster["stars"] for monster in found["position"]["monsters"]]


def test_without_stopping_the_next_turns_income_is_paid(tmp_path: Path) -> None:
    found = played(tmp_path, IN_TOKYO, [HEARTS])
    assert (found["asked"]["key"], found["asked"]["seat"], found["stopped"]) == ("roll", 1, None)
    assert stars(found) == [0, 7]


def test_it_stops_at_the_end_of_a_turn_before_the_next_income(tmp_path: Path) -> None:
    found = played(tmp_path, IN_TOKYO, [HEARTS], "--stop-at", "turn-end")
    assert (found["asked"], found["stopped"]) == (None, "turn-end")
    assert (found["position"]["turn"]["number"], stars(found)) == (3, [0, 5])
    assert found["position"]["agenda"] == [
        {"type": "TurnOver", "seat": 0, "seen": [], "causes": [], "source": ""}
    ]


def test_what_it_prints_there_is_played_on_with_the_income(tmp_path: Path) -> None:
    stopped = played(tmp_path, IN_TOKYO, [HEARTS], "--stop-at", "turn-end")["position"]
    assert stars(played(tmp_path, stopped, [])) == [0, 7]
    again = played(tmp_path, stopped, [], "--stop-at", "turn-end")
    assert (again["position"], again["stopped"]) == (stopped, "turn-end")


def test_what_comes_after_the_end_of_the_turn_is_left_and_counted(tmp_path: Path) -> None:
    ran = play(tmp_path, IN_TOKYO, [HEARTS, HEARTS, HEARTS], "--stop-at", "turn-end")
    assert ran.exit_code == 0
    assert ran.stderr == "Turn 3 has ended, after line 1. 2 events are left and were not applied.\n"


def test_a_turn_that_does_not_end_stops_nothing(tmp_path: Path) -> None:
    found = played(tmp_path, IN_TOKYO, [HEARTS | {"final": False}], "--stop-at", "turn-end")
    assert (found["asked"]["key"], found["stopped"]) == ("roll", None)


def test_a_game_that_ends_with_the_turn_has_ended(tmp_path: Path) -> None:
    won = IN_TOKYO | {"monsters": [{"stars": 20}, {"place": "tokyo_city"}]}
    found = played(tmp_path, won, [HEARTS], "--stop-at", "turn-end")
    assert found["position"]["ended"] == {"reason": "stars", "winners": [0]}
    assert found["happened"][-1]["type"] == "EndGame"


def test_a_set_up_is_played_into_the_first_turn(tmp_path: Path) -> None:
    begin = [{"type": "BeginTurn", "seat": 0}, {"type": "ChooseStart", "seat": 0}]
    position = IN_TOKYO | {"turn": {"number": 0}, "agenda": begin}
    found = played(tmp_path, position, [HEARTS], "--stop-at", "turn-end")
    assert (found["position"]["turn"]["number"], found["stopped"]) == (1, "turn-end")


def test_what_had_no_choice_is_listed_with_its_line(tmp_path: Path) -> None:
    position: Json = {"rules": "new-york", "monsters": [{"place": "bronx"}, {"place": "queens"}]}
    position["in_play"] = {"shop": [{"name": "stomp"}, {"name": "diva"}, {"name": "subway"}]}
    found = played(tmp_path, position, [HEARTS])["happened"]
    kinds = [(each["line"], each["type"]) for each in found]
    assert kinds[0] == (0, "RollPhase")
    passed = [each for each in kinds if each[1] in ("MovePhase", "BuyPhase", "EndPhase")]
    assert passed == [(1, "MovePhase"), (1, "BuyPhase"), (1, "EndPhase")]
    moved = next(each for each in found if each["type"] == "MoveTo")
    assert moved == {
        "line": 1,
        "type": "MoveTo",
        "seat": 0,
        "place": "lower_2_4",
        "how": "enter",
        "former": "bronx",
        "source": "move@game",
    }


def test_an_illegal_event_says_what_is_asked_and_what_answers_it(tmp_path: Path) -> None:
    wrong = {"type": "Chosen", "seat": 0, "option": "end"}
    ran = play(tmp_path, IN_TOKYO, [wrong], "--json")
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)["illegal"]
    asked = found["asked"]
    assert (found["line"], found["key"], found["event"]) == (1, "not_asked", wrong)
    assert (asked["key"], asked["seat"], asked["dice"]) == ("roll", 0, 6)
    assert play(tmp_path, IN_TOKYO, [asked["answer"]]).exit_code == 0
    assert "roll@0" in ran.stderr
    assert json.dumps(asked["answer"], separators=(",", ":")) in ran.stderr


def test_after_the_end_nothing_is_asked(tmp_path: Path) -> None:
    over = IN_TOKYO | {"ended": {"reason": "survival", "winners": [0]}}
    over |= {"monsters": [{}, {"alive": False}]}
    ran = play(tmp_path, over, [HEARTS], "--json")
    assert (ran.exit_code, json.loads(ran.stdout)["illegal"]["asked"]) == (1, None)
    assert "ended" in ran.stderr


def test_an_event_of_a_log_is_named_as_one(tmp_path: Path) -> None:
    ran = play(tmp_path, IN_TOKYO, [HEARTS, {"type": "Undone", "seq": 3}])
    assert (ran.exit_code, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert "line 2: Undone" in ran.stderr


def test_what_is_said_to_answer_a_question_answers_it() -> None:
    chance, kinds, barred = Random(5), set(), set()
    for seed in range(12):
        for game in reading.played(seed):
            asked = Position.of(game).question
            if asked is not None and chance.random() < 0.15:
                kinds.add(asked.key)
                barred |= {option.barred for option in getattr(asked, "options", ())}
                Position.of(game).apply(answer_to(Position.of(game), asked))
    assert len(kinds) > 15
    assert barred - {""} <= {key.removeprefix("barred_") for key in BARRED}


# -- sentences ------------------------------------------------------------------------------------

RAISED = re.findall(
    r"IllegalEvent\(\"(\w+)\"",
    (ROOT / "companion" / "engine" / "play.py").read_text("utf-8"),
)
BARRED = ("barred_empty", "barred_forbidden", "barred_full", "barred_new", "barred_short")


@pytest.mark.parametrize("key", sorted({*RAISED, *BARRED}))
def test_whatever_play_refuses_is_said_to_a_script(key: str) -> None:
    text = sentence(f"script.{key}", count=2)
    assert text != f"script.{key}"
    assert not re.search(r"screen|phone|tap|look at", text, re.IGNORECASE)


def test_a_position_with_a_turn_over_is_one_to_go_on_from() -> None:
    over = IN_TOKYO | {"turn": {"number": 3, "final": True}}
    over |= {"agenda": [{"type": "TurnOver", "seat": 0}]}
    assert read_position(json.dumps(over).encode()).turn.number == 4
