"""The forecasts' process answers as the networks do, and no trouble of it reaches the caller."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from companion.engine import Choice
from companion.forecast.advice import advise
from companion.forecast.messages import MOST_TURNS, AdviceAsked, StoryAsked, turning_point
from companion.forecast.process import ForecastProcess, Patience, UnavailableError
from tests.forecast.networks import GAMES, SHIPPED, network, positions
from tests.waiting import WITHIN_S, wait_until

LONG = Patience(answer_s=WITHIN_S, whole_s=WITHIN_S, idle_s=WITHIN_S)


@pytest.fixture
def process() -> Iterator[ForecastProcess]:
    one = ForecastProcess(SHIPPED, LONG)
    yield one
    one.close()


def asked(game: str = GAMES[0]) -> AdviceAsked:
    return AdviceAsked(next(p.game for p in positions(game, 3) if isinstance(p.question, Choice)))


def key_of(process: ForecastProcess, question: AdviceAsked | StoryAsked) -> str:
    with pytest.raises(UnavailableError) as refused:
        process.story(question) if isinstance(question, StoryAsked) else process.advice(question)
    return refused.value.key


@pytest.mark.parametrize("game", GAMES)
def test_it_advises_as_the_network_of_the_game_does(process: ForecastProcess, game: str) -> None:
    question = asked(game)
    found = process.advice(question).advice
    position = next(p for p in positions(game, 3) if p.game == question.position)
    wanted = advise(network(game), position)
    assert wanted is not None
    assert found == wanted


def test_a_story_has_the_chances_of_each_turn(process: ForecastProcess) -> None:
    turns = tuple((row, one.game) for row, one in enumerate(reversed(positions(GAMES[0], 2))))
    found = process.story(StoryAsked(turns))
    rows = dict(turns)
    for one in found.turns:
        assert one.turn == rows[one.row].turn.number
        assert sum(one.chances) == pytest.approx(1)
    assert turning_point(found.turns) is not None


def test_nothing_runs_before_the_first_question_and_after_the_last(
    process: ForecastProcess,
) -> None:
    assert process.pid is None
    process.advice(asked())
    pid = process.pid
    assert pid is not None
    process.close()
    assert process.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert key_of(process, asked()) == "error.forecast.stopped"


def test_it_ends_when_nobody_asks_and_starts_again() -> None:
    one = ForecastProcess(SHIPPED, Patience(answer_s=WITHIN_S, whole_s=WITHIN_S, idle_s=0.01))
    one.advice(asked())
    wait_until(lambda: one.pid is None)
    assert one.advice(asked()).advice
    one.close()


def test_one_that_was_killed_is_started_again(process: ForecastProcess) -> None:
    process.advice(asked())
    first = process.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    assert process.advice(asked()).advice
    assert process.pid != first


def test_a_question_that_kills_it_twice_is_given_up_and_the_next_is_answered(
    process: ForecastProcess,
) -> None:
    game = positions(GAMES[0], 2)[0].game
    too_long = StoryAsked(tuple((row, game) for row in range(MOST_TURNS + 1)))
    assert key_of(process, too_long) == "error.forecast.stopped"
    assert process.advice(asked()).advice


def test_one_that_is_late_is_killed() -> None:
    one = ForecastProcess(SHIPPED, Patience(answer_s=0.0, whole_s=WITHIN_S, idle_s=WITHIN_S))
    assert key_of(one, asked()) == "error.forecast.late"
    wait_until(lambda: one.pid is None)
    one.close()


def test_one_that_does_not_even_read_the_question_is_killed() -> None:
    one = ForecastProcess(SHIPPED, Patience(answer_s=5.0, whole_s=WITHIN_S, idle_s=WITHIN_S))
    game = positions(GAMES[0], 2)[0].game
    long = StoryAsked(tuple((row, game) for row in range(MOST_TURNS)))
    keys: list[str] = []
    asking = threading.Thread(target=lambda: keys.append(key_of(one, long)))
    asking.start()
    wait_until(lambda: one.pid is not None)
    pid = one.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: one.pid is None)
    asking.join(WITHIN_S)
    assert keys == ["error.forecast.late"]
    one.close()


def test_who_waits_is_free_when_all_is_closed_and_a_full_queue_refuses() -> None:
    one = ForecastProcess(SHIPPED, Patience(WITHIN_S, WITHIN_S, WITHIN_S, waiting=1))
    one.advice(asked())
    pid = one.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    keys: list[str] = []
    waiting = [threading.Thread(target=lambda: keys.append(key_of(one, asked()))) for _ in range(6)]
    for thread in waiting:
        thread.start()
    # one is asked, one waits, the others are refused
    wait_until(lambda: "error.forecast.busy" in keys)
    one.close()
    for thread in waiting:
        thread.join(WITHIN_S)
    assert len(keys) == len(waiting)
    assert set(keys) == {"error.forecast.busy", "error.forecast.stopped"}


def test_a_question_that_cannot_be_sent_ends_at_its_sender_and_the_next_is_answered(
    process: ForecastProcess,
) -> None:
    with pytest.raises(TypeError):
        process.advice(AdviceAsked(object()))  # type: ignore[arg-type]
    assert process.advice(asked())


def test_no_thread_is_left_of_one_that_is_closed_with_a_full_queue() -> None:
    before = set(threading.enumerate())
    for_ever = Patience(answer_s=WITHIN_S, whole_s=WITHIN_S, idle_s=1e6, waiting=1)
    process = ForecastProcess(SHIPPED, for_ever)
    asking = [threading.Thread(target=ask, args=(process,)) for _ in range(6)]
    for one in asking:
        one.start()
    wait_until(lambda: process.pid is not None)
    process.close()
    for one in set(threading.enumerate()) - before:
        one.join(WITHIN_S)
        assert not one.is_alive()


def ask(process: ForecastProcess) -> None:
    """Ask, and be answered or refused."""
    with suppress(UnavailableError):
        process.advice(asked())
