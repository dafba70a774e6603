"""Catalogue keys that follow from names of the engine; a test lists them all."""

from __future__ import annotations

from companion.engine import Choice, Option, Question, Reveal, Roll
from companion.service.wire import Args, Words

SUBJECT_ALONE = "this"
"""The word of an answer that is just its subject."""


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
    """Return the placeholders' values of a question: `seat` is asked, `other` is the one it is
    about.
    """
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
