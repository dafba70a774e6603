"""A game as an installed package: found by its entry point; a broken one stops nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import EDITIONS, RULESETS
from companion.games import GROUP, load_games

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
KNOWN = tuple(EDITIONS)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def packaged(folder: Path, name: str, source: str, value: str = "GAME") -> None:
    """Make a package as if installed, with a game under its own name."""
    module, info = name.replace("-", "_"), folder / f"{name.replace('-', '_')}-1.dist-info"
    (folder / f"{module}.py").write_text(source)
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {module}:{value}\n")


FROM_FAIR = (
    "from dataclasses import replace\nfrom lantern_fair import LANTERN_FAIR\n"
    "GAME = replace(LANTERN_FAIR, {fields})\n"
)
BROKEN = {
    "no import": ("import no_such_package_of_all\n", "No module named 'no_such_package_of_all'"),
    "no value": ("GAMES = ()\n", "has no attribute 'GAME'"),
    "no ruleset": ("GAME = 'tokyo'\n", "a game is given as Rulesets; this is a str"),
    "no game": ("GAME = ()\n", "no ruleset is given"),
    "error": ("1 / 0\n", "ZeroDivisionError('division by zero')"),
    "own error": ("class Odd(Exception): pass\nraise Odd('two\\nlines')\n", "Odd("),
    "no python": ("GAME = = 1\n", "invalid syntax"),
    "exit": ("raise SystemExit(3)\n", "SystemExit(3)"),
    "faulty": (FROM_FAIR.format(fields="dice=9"), "dice is 9; it may be 1 to 7"),
    "no rulebook": (FROM_FAIR.format(fields="rulebook='no.txt'"), "rulebook no.txt cannot be read"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_game_is_named_and_everything_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    source, why = BROKEN[what]
    name = f"odd-{what.replace(' ', '-')}"
    packaged(tmp_path, name, source)
    monkeypatch.syspath_prepend(tmp_path)
    (left_out,) = load_games()
    assert (left_out.name, left_out.package) == (name, name)
    assert why in left_out.reason
    assert tuple(EDITIONS) == KNOWN
    result = run("simulate", "--game", min(RULESETS), "--games", "1", "--no-checks", "--json")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)
    assert result.stderr.splitlines() == [
        f"The game {name} of package {name} is left out: {left_out.reason}. "
        "All others can be played."
    ]


def test_words_that_cannot_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged(tmp_path, "odd-words", FROM_FAIR.format(fields="package='odd_texts', rulebook=''"))
    (tmp_path / "odd_texts" / "locales").mkdir(parents=True)
    (tmp_path / "odd_texts" / "__init__.py").write_text("")
    (tmp_path / "odd_texts" / "locales" / "fr.json").write_text('{"game.lantern-fair": 7}')
    monkeypatch.syspath_prepend(tmp_path)
    (left_out,) = load_games()
    assert left_out.reason.startswith("locales/fr.json is no catalogue: Expected `str | object`")


def test_without_packages_nothing_is_left_out() -> None:
    assert load_games() == ()
    assert tuple(EDITIONS) == KNOWN


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder in which the wheel of the example game is installed, beside a broken game."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=HERE, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    packaged(folder, "odd-fair", "1 / 0\n")
    return folder


def installed(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command on a machine on which the game is installed."""
    command = [sys.executable, "-c", "from companion.cli import main; main()", *words]
    paths = os.pathsep.join((str(ROOT), str(site)))
    return subprocess.run(
        command, cwd=site, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )


def test_the_wheel_of_a_game_is_all_that_it_takes(site: Path) -> None:
    done = installed(site, "simulate", "--game", "lantern-fair", "--games", "3", "--json")
    row = json.loads(done.stdout)
    assert (done.returncode, row["game"], row["broken"]) == (0, "lantern-fair", [])
    assert len(done.stderr.splitlines()) == 1
    assert "odd-fair" in done.stderr


def test_help_names_the_games_there_are(site: Path) -> None:
    done = installed(site, "cards", "--help")
    assert done.returncode == 0
    assert f"[{'|'.join((*RULESETS, 'lantern-fair'))}]" in "".join(done.stdout.split())


@pytest.mark.usefixtures("fair")
def test_commands_know_a_registered_game(tmp_path: Path, fair: str) -> None:
    listed = run("cards", "--game", fair, "--json").stdout.splitlines()
    assert {json.loads(line)["name"] for line in listed} >= {"pickpocket", "mirror_ball"}
    position, events = tmp_path / "position.json", tmp_path / "events.jsonl"
    monsters = [{"place": "bridge"}, {"place": "stage", "energy": 2}]
    position.write_text(json.dumps({"rules": fair, "monsters": monsters}))
    rolled = {"type": "DiceRolled", "faces": ["one"] * 5, "final": True}
    events.write_text(json.dumps(rolled))
    played = json.loads(run("play", str(position), str(events), "--json").stdout)
    assert [one["energy"] for one in played["position"]["monsters"]] == [2, 1]
    assert played["asked"]["key"] == "roll"
