"""Words for what the engine names: questions, answers, findings of an audit, clauses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from companion.engine import (
    RULESETS,
    Choice,
    Difference,
    Option,
    Question,
    Reason,
    Reveal,
    Roll,
    Ruleset,
)
from companion.resources import package_text
from companion.service.wire import Args, Wire, Words

SUBJECT_ALONE = "this"
"""The word of an answer that is just its subject."""
WAYS = ("gain", "loss")
OF_PLACES = ("income", "entered")
"""The abilities of the game that pay for a Monster's place."""
EQUAL: Final = "constant_brier"
"""The score of equal chances, in the contract."""
_LINE: Final = re.compile(
    r"^- (?P<id>(?P<prefix>[A-Z]{2,4})-(?:\d+\.|G)\d+|[A-J]\d+)"
    r" \[(?P<status>E|C|I|2016)\] (?P<text>.+)$"
)


def prompt(question: Question) -> Words:
    """Return the sentence of what is asked."""
    match question:
        case Choice(key=key):
            return Words(key=f"choice.{key}.prompt", args=question_args(question))
        case Roll(key=key, dice=dice):
            return Words(key=f"roll.{key}.prompt", args={**question_args(question), "count": dice})
        case Reveal(key=key):
            return Words(key=f"reveal.{key}.prompt", args=question_args(question))


def question_args(question: Question) -> Args:
    """Return what fills a question's sentence: `seat` is asked, `other` is who it is about."""
    args: Args = {} if question.seat < 0 else {"seat": question.seat}
    if not isinstance(question, Reveal):
        gaps = {"seat": "other", "amount": "count"}
        args |= {gaps.get(name, name): value for name, value in question.about}
        if isinstance(die := args.get("die"), int):
            args["die"] = die + 1  # people count from one
    return args


def label(question: Choice, option: Option, subject: Args) -> Words:
    """Return one answer in words; `subject`: the arguments of what it is about."""
    return Words(
        key=f"choice.{question.key}.{option.word or SUBJECT_ALONE}",
        args={**question_args(question), **subject},
    )


def difference_words(one: Difference) -> Words:
    """Return the sentence of a difference: what, of which seat, since which turn."""
    args: Args = {"turn": one.turn, "seat": one.seat}
    if one.what is None:
        key = "audit.not_moved" if one.reason is not None else "audit.moved"
        return Words(key=key, args={**args, "place": one.place or ""})
    if one.reason is None:
        change = f"{one.amount:+}".replace("-", "−")
        return Words(key="audit.uncaused", args={**args, "what": one.what.value, "change": change})
    way = WAYS[one.reason.delta < 0]
    return Words(key=f"audit.{way}.{one.what}", args={**args, "count": abs(one.amount)})


def reason_words(rules: Ruleset, reason: Reason) -> Words | None:
    """Return the cause of the change that the rules ask for; None if only the clause says it."""
    if reason.card in rules.cards:
        return _cause_words("card", {"card": reason.card})
    if reason.face is not None:
        return _cause_words("dice", {"face": reason.face.value})
    if reason.about in rules.cards:
        return _cause_words("bought", {"card": reason.about})
    if reason.about in rules.tiles:
        return _cause_words("tile", {"tile": reason.about})
    if reason.ability in OF_PLACES and reason.about in rules.places:
        return _cause_words(reason.ability, {"place": reason.about})
    return None


def _cause_words(cause: str, args: Args) -> Words:
    return Words(key=f"audit.why.{cause}", args=args)


def measured_words(measured: dict[str, float]) -> Words:
    """Return its Brier score beside that of equal chances, or that nobody has measured it. The last
    score of the contract is that of the network that is shipped.
    """
    scores = [value for name, value in measured.items() if name.endswith("_brier")]
    if len(scores) < 2 or "games" not in measured or EQUAL not in measured:
        return Words(key="forecast.unmeasured")
    return Words(
        key="forecast.measured",
        args={
            "count": round(measured["games"]),
            "score": f"{scores[-1]:.3f}",
            "equal": f"{measured[EQUAL]:.3f}",
        },
    )


class Clause(Wire, frozen=True):
    """One line of a rulebook, in English, as the project words it."""

    id: str
    status: str
    """E printed in the rules, C known from elsewhere, I decided here, 2016 how that edition
    differs."""
    text: str

    @property
    def numbered(self) -> bool:
        """Whether it is a clause of the rules, not a decision on a single question."""
        return "." in self.id


def read_clauses(rules: Ruleset) -> tuple[Clause, ...]:
    """Return every clause of a game's rulebook, in its order; nothing if it has none."""
    text = package_text(rules.package, rules.rulebook) or ""
    return tuple(
        Clause(id=found["id"], status=found["status"], text=found["text"])
        for line in text.splitlines()
        if (found := _LINE.match(line)) is not None and found["prefix"] in (rules.prefix, None)
    )


def clauses() -> Mapping[str, Clause]:
    """Return every clause of all rulebooks by its id; each is read once."""
    return _clauses(tuple(RULESETS.values()))


@cache
def _clauses(games: tuple[Ruleset, ...]) -> Mapping[str, Clause]:
    """Return the clauses of these games; if two books share an id, the first book's."""
    return MappingProxyType(
        {clause.id: clause for rules in reversed(games) for clause in read_clauses(rules)}
    )
