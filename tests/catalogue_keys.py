"""All catalogue keys that the service makes of names of the engine; a test compares catalogues with
them.

Keys that are literals in the code need no list: the test finds them in the sources.
"""

from __future__ import annotations

from companion.engine import EDITIONS, MOST_SEATS, How, Number, Ruleset
from companion.engine.authoring import Ability, Offers
from companion.service.views.news import NUMBERS
from companion.service.views.tasks import DIALS
from companion.service.views.words import OF_PLACES, WAYS
from companion.vision.readings import ReadingProblem

CHOICES = {
    "batteries": ("use",),
    "buy": ("buy", "sweep", "name_cards", "end"),
    "buy_at_once": ("buy", "pass"),
    "buy_peeked": ("buy", "pass"),
    "convert": ("use",),
    "copy": ("copy",),
    "destroy": ("stack", "unit", "stop"),
    "discard_keep": ("drop",),
    "energy_for_health": ("use",),
    "flee": ("stay", "flee"),
    "flee_unhurt": ("stay", "flee"),
    "group": ("this",),
    "hail_cabs": ("use", "pass"),
    "heal_others": ("seat", "rest"),
    "last_moment": ("use", "pass"),
    "last_word": ("go",),
    "leave": ("this",),
    "move": ("stay", "move"),
    "pay_with_health": ("use",),
    "peeked": ("pass",),
    "photo": ("seat",),
    "place": ("this",),
    "probe": ("die",),
    "ride": ("stay", "this"),
    "salvage": ("salvage", "pass"),
    "sell": ("sell", "pass"),
    "send_unit": ("send", "stop"),
    "shake": ("here", "area"),
    "shed_at_last": ("use", "pass"),
    "split_stars": ("use",),
    "stop_the_clock": ("use", "pass"),
    "take_card": ("take", "pass"),
    "take_wing": ("use", "pass"),
    "turn_die": ("die",),
    "turn_to": ("this",),
    "use_on_tokens": ("use",),
    "saved_by": ("card",),
    "which_first": ("card",),
}
"""The engine's choices by key, each with the words of its answers."""
ROLLS = ("roll", "rethrow", "cancel", "pellets")
REVEALS = ("card", "peek", "tile")
SHOWN = ("card", "tile")
WARNINGS = ("sell_last",)
"""What an option may warn of."""
BARRED = ("empty", "forbidden", "full", "new", "short")
"""The kinds of answers set ahead, as rows of the log name them."""
WON_BY = ("card", "stars", "survival")
TASKS = (
    *(f"effect.dial.{number}" for number in DIALS),
    *(f"effect.move_to.{how}" for how in How),
    "effect.gain_energy",
    "effect.spend_energy",
    "effect.give_tokens",
    "effect.remove_tokens",
    "effect.add_counters",
    "effect.spend_counters",
    "effect.buy_card",
    "effect.drop_card",
    "effect.copy_card",
    "effect.take_goal",
    "effect.smash_building",
    "effect.destroy_unit",
    "effect.send_unit",
    "effect.sweep_shop",
    "effect.eliminate",
    "effect.start_again",
)
"""The sentences of all tasks."""
GROUPS = range(7)
"""How many different faces a roll may show."""


def keys() -> frozenset[str]:
    """Return the keys that follow from names."""
    found = {f"did.rolled.{n}" for n in GROUPS}
    found |= {f"count.{kind}.{n}" for kind in ("number", "symbol") for n in range(2, 9)}
    found |= {f"did.{kind}_shown" for kind in SHOWN} | {f"did.no_{kind}" for kind in SHOWN}
    found |= {f"choice.{key}.prompt" for key in CHOICES}
    found |= {f"choice.{key}.{stem}" for key, stems in CHOICES.items() for stem in stems}
    found |= {f"roll.{key}.prompt" for key in ROLLS} | {f"reveal.{key}.prompt" for key in REVEALS}
    found |= {f"barred.{reason}" for reason in BARRED}
    found |= {f"warning.{what}" for what in WARNINGS}
    found |= {f"happened.hit.{n}" for n in range(1, MOST_SEATS)}
    found |= {f"happened.wins.{reason}" for reason in WON_BY}
    found |= {f"tray.problem.{problem}" for problem in ReadingProblem}
    found |= {f"audit.{way}.{number}" for way in WAYS for number in Number}
    found |= {f"audit.why.{cause}" for cause in ("bought", "card", "dice", "tile", *OF_PLACES)}
    found |= set(TASKS)
    for rules in EDITIONS.values():
        found |= {f"because.{face}" for face in rules.faces if face not in NUMBERS}
        found |= {f"rolled.{face}" for face in rules.faces}
        found |= {f"preview.{face}" for face in rules.faces}
        found |= {f"preview.{face}.nothing" for face in rules.faces}
        found |= {f"offer.{ability.name}" for ability in _abilities(rules)}
    return frozenset(found)


def _abilities(rules: Ruleset) -> tuple[Ability, ...]:
    """Yield the abilities of everything that may carry one."""
    carried = [card.abilities for card in rules.cards.values()]
    carried += [*rules.tokens.values(), *rules.conditions.values()]
    return tuple(a for abilities in carried for a in abilities if isinstance(a, Offers))
