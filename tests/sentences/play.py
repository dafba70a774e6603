"""Random games of both boxes, with every sentence that a phone gets of each event, read as a phone
shows it: a missing key or an empty gap raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

import msgspec

from companion import catalogues
from companion.catalogues import catalogue, plural_form
from companion.engine import (
    RULESETS,
    AnyEvent,
    Choice,
    Corrected,
    Correction,
    Game,
    Number,
    Position,
    Seat,
    Setup,
    new_game,
)
from companion.resources import LANGUAGES
from companion.service.views.news import (
    SUMMED,
    happening,
    happenings_before,
    outcomes,
    sentence_of,
    steps_of,
)
from companion.service.views.view import MONSTERS, Views
from companion.service.views.words import SUBJECT_ALONE
from companion.service.wire import Cause, Words
from companion.table import Entries, Entry, Input, SeatSetup, Snapshot, State, TableSet, Undone
from companion.table.history import apply_event, performed_by
from companion.virtual import deal_keep_cards, random_event
from tests.catalogue_keys import CHOICES

PLAYERS = ("Ana", "Ben", "Þórdís", "Théo", "Íñigo", "Guðrún")
OFFERED = 0.3
"""The probability of using a power that may be used."""
TABLE_ACTS = 0.04
"""The probability of a correction or an undo after an event."""

Line = tuple[Words, tuple[Cause, ...]]


@dataclass(slots=True)
class Evening:
    """A game in memory: rows of a log without a log."""

    game: str
    edition: str
    entries: list[Entry] = field(default_factory=list)
    state: State = field(default_factory=State)

    @classmethod
    def of(cls, game: str, edition: str, chance: Random) -> Evening:
        """Deal a game of two to six, in which everybody may hold cards."""
        rules = RULESETS[game]
        players = chance.randint(rules.players_min, rules.players_max)
        people = tuple(SeatSetup(PLAYERS[n], MONSTERS[n]) for n in range(players))
        start = new_game(Setup(game, players, Seat(0), edition)).game
        start = deal_keep_cards(start, chance.choice((0, 2, 4, 12)), chance)
        setup = TableSet(game, edition, people)
        return cls(game, edition, [], State(setup, start, Position.of(start)))

    @classmethod
    def at(cls, game: Game) -> Evening:
        """Take up a game at this position."""
        people = tuple(SeatSetup(PLAYERS[m.seat], MONSTERS[m.seat]) for m in game.monsters)
        setup = TableSet(game.rules, game.edition, people)
        return cls(game.rules, game.edition, [], State(setup, game, Position.of(game)))

    def reader(self, language: str = "en", mine: int | None = None) -> Reader:
        """Return who reads this game's sentences in a language, to one seat."""
        setup = self.state.setup
        assert setup is not None
        names = tuple(seat.player for seat in setup.seats)
        return Reader(language, self.game, self.edition, names, mine)

    def say(self, *events: Input, who: str = "0") -> None:
        """Apply the events as one command."""
        command = f"command-{len(self.entries)}"
        for event in events:
            seq = len(self.entries) + 1
            before = self.state
            after, outcome = apply_event(before, event, seq, self.entries)
            effects = performed_by(outcome)
            row = Entry(seq, "", who, command, event, before, after, effects, outcome=outcome)
            self.entries.append(row)
            self.state = after

    def snapshot(self) -> Snapshot:
        """Return the table at this moment."""
        rows = Entries(self.entries)
        return Snapshot("an-evening", len(rows), self.state, rows, saved=True)


def next_event(evening: Evening, chance: Random) -> tuple[Input, ...]:
    """Return a random event, now and then a correction or an undo."""
    position = evening.state.position
    assert position is not None
    if chance.random() < TABLE_ACTS and evening.entries:
        active = evening.state.active
        if chance.random() < 0.5 and len(active) > 1:
            return (Undone(active.seq),)
        seat = Seat(chance.choice(position.alive()))
        number = chance.choice([Number.ENERGY, Number.HEALTH])
        return (Corrected((Correction(seat, number, chance.randint(4, 9)),)),)
    event: AnyEvent = random_event(position, chance, OFFERED)
    return (event,)


def sentences_of(value: object) -> Iterator[Line]:
    """Yield every sentence anywhere in a view, with what explains it."""
    if isinstance(value, Words):
        yield value, ()
    elif isinstance(value, tuple):
        for part in value:
            yield from sentences_of(part)
    elif isinstance(value, msgspec.Struct):
        if why := getattr(value, "why", ()):
            yield value.words, why  # type: ignore[attr-defined]
        for name in value.__struct_fields__:
            yield from sentences_of(getattr(value, name))


@dataclass(slots=True)
class Heard:
    """What was read: how many events and sentences, faults, and the signs that were shown."""

    events: int = 0
    sentences: int = 0
    faults: list[str] = field(default_factory=list)
    signs: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    """Verbs that happened, are no bookkeeping, and had no sentence."""


def play(game: str, seed: int, heard: Heard, most: int = 600) -> None:
    """Play a random game and read every sentence of each event in all languages."""
    chance = Random(f"{game} {seed}")
    edition = chance.choice(RULESETS[game].editions)
    evening = Evening.of(game, edition, chance)
    views = Views(game)
    assert evening.state.game is not None
    seats, read = range(len(evening.state.game.monsters)), set[bytes]()
    readers = [evening.reader(language, mine) for language in LANGUAGES for mine in (None, *seats)]
    while evening.state.question is not None and len(evening.entries) < most:
        evening.say(*next_event(evening, chance))
        heard.events += 1
        heard.faults += (f"{game} {seed}: {one}" for one in unexplained(evening))
        snapshot = evening.snapshot()
        shown = views.of(snapshot, {})
        assert shown.game is not None
        heard.signs |= {one.sign for one in shown.game.happened}
        heard.signs |= {one.sign for one in shown.game.hands}
        heard.silent |= silent(evening.entries[-1])
        question, where = evening.state.question, f"{game} {seed} row {len(evening.entries)}"
        if isinstance(question, Choice):
            kinds = {option.word or SUBJECT_ALONE for option in question.options}
            heard.faults += (f"{where}: {one}" for one in kinds - {*CHOICES[question.key]})
        for words, why in sentences_of((shown.game, shown.log, shown.undo, shown.redo)):
            heard.sentences += 1
            line = msgspec.json.encode((words, why))
            if line not in read:
                read.add(line)
                hear(words, why, readers, heard, where)


def hear(
    words: Words, why: tuple[Cause, ...], readers: list[Reader], heard: Heard, where: str
) -> None:
    """Read a sentence in every language and to every seat; keep what cannot be read."""
    for reader in readers:
        if reader.mine not in (None, words.args.get("seat")):
            continue
        try:
            reader.read(words, why)
        except Exception as wrong:
            heard.faults.append(f"{where}: {wrong!r} {words}")
            return


def unexplained(evening: Evening) -> Iterator[str]:
    """Yield the numbers that the newest row changed and no sentence is about, and the sentences
    whose clauses do not add up.
    """
    entry = evening.entries[-1]
    one = happening(entry)
    if one is None:
        return
    came = outcomes([one], happenings_before(entry, evening.entries))
    said = {(change.seat, change.what) for each in came for change in each.changes}
    gone = {each.words.args["seat"] for each in came if each.words.key in LEAVING}
    for step in steps_of([one]):
        effect = step.effect
        if type(effect) in SUMMED and effect.seat not in gone:
            what = SUMMED[type(effect)][2]
            before = step.number(effect.seat, what, after=False)
            if before != step.number(effect.seat, what, after=True):
                start = one.before.game.monsters[effect.seat].number(what)
                end = one.outcome.game.monsters[effect.seat].number(what)
                if start != end and (effect.seat, what) not in said:
                    yield f"row {entry.seq}: no sentence about {what} of seat {effect.seat}"
    for each in came:
        shares = [one.change for one in each.why if one.change]
        count = each.words.args.get("count")
        if shares and isinstance(count, int) and each.words.key.startswith("happened."):
            total = sum(int(share.replace("−", "-")) for share in shares)
            if total != count:
                yield f"row {entry.seq}: {each.words} from {shares}"


def silent(entry: Entry) -> set[str]:
    """Return the verbs of the row that have no sentence of their own, nor a part in another one."""
    one = happening(entry)
    if one is None:
        return set()
    steps = steps_of([one])
    return {
        step.effect.tag()
        for step in steps
        if not step.effect.quiet
        and type(step.effect) not in SUMMED
        and sentence_of(step, steps, (), 0) is None
    }


LEAVING = frozenset(("happened.out", "happened.again"))


class EmptyGapError(Exception):
    """A sentence that cannot be read: no such key, or a gap that nothing fills."""


@dataclass
class Reader(catalogues.Reader):
    """Reads what one seat's phone shows; a missing key or an empty gap raises."""

    mine: int | None = None

    def say(self, key: str, args: Mapping[str, str | int] = MappingProxyType({})) -> str:
        known = catalogue(self.language)
        yours = self.mine is not None and args.get("seat") == self.mine
        names = [f"{self.game}/{key}", key]
        if yours:
            names = [f"{names[0]}.you", names[0], f"{key}.you", key]
        name = next((one for one in names if one in known), None)
        if name is None:
            raise EmptyGapError(f"{self.language}: no sentence {key}")
        entry = known[name]
        if isinstance(entry, dict):
            numbers = (value for value in args.values() if isinstance(value, int))
            form = plural_form(self.language, int(args.get("count", next(numbers, 0))))
            assert form in entry, (self.language, name)
        text = super().say(name.removeprefix(f"{self.game}/"), args)
        if not text.strip() or "  " in text:
            raise EmptyGapError(f"{self.language}: {key} reads {text!r}")
        return text

    def value(self, gap: str, args: Mapping[str, str | int]) -> str:
        if gap.startswith("dice") and gap not in args:
            try:
                return super().value(gap, args)
            except KeyError:
                raise EmptyGapError(f"{self.language}: no dice for {{{gap}}} in {args}") from None
        value = args.get(gap, args.get("seat") if gap == "monster" else None)
        if value is None or value == "":
            raise EmptyGapError(f"{self.language}: nothing fills {{{gap}}} in {args}")
        try:
            return super().value(gap, args)
        except IndexError:
            raise EmptyGapError(f"{self.language}: {{{gap}}} is seat {value}") from None
