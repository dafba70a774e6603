"""How each clause of King of Tokyo is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks import new_york as both
from tests.breaks.changes import Break, put

RULES: Final = "rulesets/tokyo.py"
CARDS: Final = "cards/tokyo.py"
RULES_2016: Final = "rulesets/tokyo_2016.py"
CARDS_2016: Final = "cards/tokyo_2016.py"

NO_CLAIM_NEEDED: Final = put(
    RULES, "if not my.game.turn.claimed or entry is None", "if entry is None"
)
BAY_ON_THE_CITYS_TRACK: Final = put(RULES, "inside=True, track=1", "inside=True, track=0")
TOKENS_COME_OFF_IN_TOKYO: Final = put(
    CARDS,
    "works = group.face is Face.HEAL and not my.now.is_inside(my.seat)",
    "works = group.face is Face.HEAL",
)

CLAUSES: Final[Mapping[str, Break]] = {
    # goal, box, setup
    "TK-1.1": put(RULES, "goal_stars=20,", "goal_stars=21,"),
    "TK-1.2": put(CARDS, '    discard("heal", 3, gains(health=2)),\n', ""),
    "TK-1.3": put(
        CARDS,
        'keep("extra_head", 7, modifier(Quantity.DICE, 1), copies=2)',
        'keep("extra_head", 7, modifier(Quantity.DICE, 1))',
    ),
    "TK-1.4": put(RULES, "inside=True, track=1", "inside=False, track=1"),
    "TK-1.5": both.ONE_IS_STRONGER,
    "TK-2.1": put(RULES, "    health=10,\n", "    health=12,\n"),
    "TK-2.2": put(RULES, "needs_alive=5", "needs_alive=2"),
    "TK-2.3": put(both.SETUP, "OpenShop(setup.first), ", ""),
    "TK-2.4": put(RULES, "first_roll_dice=6,", "first_roll_dice=8,"),
    # the turn and its roll
    "TK-3.1": put(
        RULES,
        "ResolvePhase, EnterPhase, BuyPhase, EndPhase)",
        "BuyPhase, ResolvePhase, EnterPhase, EndPhase)",
    ),
    "TK-3.2": put(
        RULES,
        "ResolvePhase, EnterPhase, BuyPhase, EndPhase)",
        "ResolvePhase, BuyPhase, EnterPhase, EndPhase)",
    ),
    "TK-3.3": both.THE_DEAD_GO_ON,
    "TK-4.1": put(RULES, "    rolls=3,\n", "    rolls=2,\n"),
    "TK-4.2": both.ONE_DIE_A_REROLL,
    "TK-4.3": put(
        both.STANDING, "max(0, min(self.rules.dice_max", "max(1, min(self.rules.dice_max"
    ),
    # numbers and energy
    "TK-5.1": put(RULES, "Face.ONE: 1, Face.TWO: 2", "Face.ONE: 1, Face.TWO: 3"),
    "TK-5.2": put(RULES, "_VALUE[face] + amount - 3", "_VALUE[face]"),
    "TK-5.3": put(RULES, "_VALUE[face] + amount - 3", "_VALUE[face] * (amount // 3) + amount % 3"),
    "TK-5.4": put(RULES, "if amount >= 3 else ()", "if amount >= 2 else ()"),
    "TK-6.1": put(
        RULES,
        "return (GainEnergy(seat, amount),)",
        "return (GainEnergy(seat, amount),) if amount >= 3 else ()",
    ),
    # attack
    "TK-7.1": put(both.MOVING, "int((s in inside) is across)", "int(s in inside)"),
    "TK-7.2": put(RULES, "(Claim(seat),) if opens else ()", "()"),
    "TK-7.3": put(both.MOVING, "int((s in inside) is across)", "1"),
    "TK-7.4": put(
        CARDS,
        "return GainStars(my.seat, 1) if group.face is Face.ATTACK else None",
        "return GainStars(my.seat, 1)",
    ),
    "TK-7.5": both.NOTHING_IS_SOMETHING,
    "TK-7.6": put(
        both.COMMON,
        "Together(tuple(Damage(s, amount, my.seat) for s in others(my)))",
        "Together(tuple(Damage(s, amount, my.seat, True) for s in others(my)))",
    ),
    "TK-7.7": both.SKIP_A_GROUP,
    # heal
    "TK-8.1": both.HEAL_OVERFLOWS,
    "TK-8.2": put(
        RULES,
        "return () if now.is_inside(seat) else (Heal(seat, amount),)",
        "return (Heal(seat, amount),)",
    ),
    "TK-8.3": TOKENS_COME_OFF_IN_TOKYO,
    # Tokyo
    "TK-9.1": put(RULES, "entering_stars=1,", "entering_stars=2,"),
    "TK-9.2": NO_CLAIM_NEEDED,
    "TK-9.3": put(RULES, "track=0, entry=True, stars=2)", "track=0, entry=True, stars=1)"),
    "TK-9.4": put(
        both.MOVING, "MoveTo(seat, name, How.FLEE), Claim(dealer))", "MoveTo(seat, name, How.FLEE))"
    ),
    "TK-9.5": put(RULES, "return Claim(fell.dealer) if", "return None if"),
    "TK-9.6": put(RULES, "if fell.by_attack and fell.inside else", "if fell.inside else"),
    "TK-9.7": put(
        RULES,
        "    entry = my.now.free_entry()\n",
        "    entry = my.now.free_entry()\n    if my.now.is_inside(phase.seat):\n"
        '        return MoveTo(phase.seat, "outside", How.LEAVE)\n',
    ),
    # yielding
    "TK-10.1": put(both.MOVING, 'options = (Option("stay"), *ways)', 'options = (Option("stay"),)'),
    "TK-10.2": put(
        CARDS, "*escapes(my.now, my.seat, hurt.dealer),", "*escapes(my.now, my.seat, my.seat),"
    ),
    "TK-10.3": both.ANY_HURT_LETS_FLEE,
    "TK-10.4": both.NOTHING_IS_SOMETHING,
    # the Bay
    "TK-11.1": put(RULES, "needs_alive=5", "needs_alive=6"),
    "TK-11.2": both.LAST_TRACK_FIRST,
    "TK-11.3": BAY_ON_THE_CITYS_TRACK,
    "TK-11.4": put(
        RULES, "needs_alive=5, stars=2", 'needs_alive=5, stars=2, slides_to="tokyo_city"'
    ),
    "TK-11.5": NO_CLAIM_NEEDED,
    "TK-11.6": put(RULES, "needs_alive=5, stars=2", "needs_alive=5, stars=1"),
    "TK-11.7": both.NOBODY_LEAVES,
    "TK-11.8": both.TRACKS_IN_SEAT_ORDER,
    # cards
    "TK-12.1": put(RULES, "sweep_cost=2,", "sweep_cost=1,"),
    "TK-12.2": both.DISCARDS_STAY,
    "TK-12.3": both.NO_STARS_FOR_CARDS,
    "TK-12.4": put(RULES, "return min(most, 12)", "return min(most, 14)"),
    "TK-12.5": both.DISCARDS_ARE_LOST,
    "TK-12.6": (
        *put(
            CARDS,
            "return my_final_dice(my) and pay(my, 2)",
            "return my_final_dice(my) and pay(my, 2) and my.ref not in my.game.turn.used",
        ),
        *put(
            CARDS,
            'return (SpendEnergy(my.seat, 2), Ask(my.seat, "stretch", my.card_id))',
            "return (SpendEnergy(my.seat, 2), Noted(my.seat, my.ref), "
            'Ask(my.seat, "stretch", my.card_id))',
        ),
    ),
    # elimination and victory
    "TK-13.1": both.FALLING_BELOW_ZERO,
    "TK-13.2": both.ONE_AFTER_THE_OTHER,
    "TK-13.3": both.THE_DEAD_KEEP_ENERGY,
    "TK-14.1": both.THE_LAST_MUST_HAVE_STARS,
    "TK-14.2": both.CHECK_BEFORE_THE_END,
    "TK-14.3": both.A_WINNER_AMONG_THE_DEAD,
    "TK-14.4": both.ONLY_THE_ACTIVE_WINS,
    "TK-14.5": both.LAST_TO_GOAL,
    "TK-15.1": both.ONE_DIE_A_REROLL,
    # single cards
    "TK-16.1": put(CARDS, "return (LoseHealth(seat, 2),)", "return ()"),
    "TK-16.2": put(
        CARDS,
        "@whenever(ReachedZero)\ndef eat_the_dead",
        "@whenever(Eliminate)\ndef eat_the_dead",
    ),
    "TK-16.3": put(
        both.FOLLOWING,
        "return (entry.seat - active) % n if",
        "return (active - entry.seat) % n if",
    ),
    "TK-16.4": put(
        both.STANDING,
        "return tuple(dict.fromkeys((order[0], order[-1]))) if order else ()",
        "return order[:1] if order else ()",
    ),
    "TK-16.5": put(
        CARDS,
        "TakeBackEnergy(my.seat, my.rules.cards[c.name].cost)",
        "TakeBackEnergy(my.seat, my.now.price(my.seat, c.name))",
    ),
    "TK-16.6": put(
        CARDS,
        "@whenever(EndPhase, mine=True)\ndef catch_the_sun",
        "@whenever(TurnStarted, mine=True)\ndef catch_the_sun",
    ),
    "TK-16.7": put(
        CARDS, "if my.now.is_inside(my.seat):\n        return ()", "if False:\n        return ()"
    ),
    "TK-16.8": put(
        CARDS,
        "return my.game.turn.active == my.seat and any(_loot(my))",
        "return any(_loot(my))",
    ),
    "TK-16.9": put(both.BUYING, "if card.copies == left.card", "if card.copies == left.seat"),
    "TK-16.10": put(
        CARDS,
        "return Damage(my.seat, my.now.tokens(my.seat, Token.POISON))",
        'given = any(c.name == "poison_spit" for c in my.game.in_play.cards)\n'
        "    return Damage(my.seat, my.now.tokens(my.seat, Token.POISON)) if given else None",
    ),
    "TK-16.11": put(
        CARDS,
        "Damage(s, 1, my.seat) for s in targets(my.now, my.seat)",
        "Damage(s, 1, my.seat, True) for s in targets(my.now, my.seat)",
    ),
    "TK-16.12": put(
        CARDS,
        "price = my.now.price(my.seat, c.name)\n",
        "price = my.rules.cards[c.name].cost\n",
    ),
    "TK-16.13": put(
        CARDS,
        "if hurt.dealer != my.seat:\n        return None\n    began",
        "if hurt.dealer != my.seat or not hurt.by_attack:\n        return None\n    began",
    ),
    "TK-16.14": put(CARDS, "whom_to_heal, the_healed_pay)", "whom_to_heal)"),
    "TK-16.15": put(
        CARDS,
        "healer = heal.seat if heal.by == TABLE else heal.by",
        "healer = heal.seat",
    ),
    "TK-16.16": put(
        CARDS,
        "all(face is Face.THREE for face in asked.faces)",
        "asked.faces.count(Face.THREE) > 9",
    ),
    "TK-16.17": put(
        both.NUMBERS,
        "return with_monster(game, self.seat, health=now.rules.health, fallen=False, place=place)",
        "return with_monster(\n            game, self.seat, health=now.rules.health, energy=0, "
        "fallen=False, place=place\n        )",
    ),
    "TK-16.18": put(
        CARDS,
        'fly = (SpendEnergy(my.seat, 2), Under(my.seat, "wings", my.game.turn.number))',
        "fly = (SpendEnergy(my.seat, 2),)",
    ),
    "TK-16.19": put(
        CARDS,
        "return () if hurt.amount == 1 else None",
        "return replace(hurt, amount=hurt.amount - 1)",
    ),
    "TK-16.20": put(
        CARDS, 'return Choice(my.seat, "probe", options', 'return Choice(active, "probe", options'
    ),
    "TK-16.21": put(
        CARDS,
        "TakeBackEnergy(my.seat, my.rules.cards[c.name].cost)",
        "GainEnergy(my.seat, my.rules.cards[c.name].cost)",
    ),
    "TK-16.22": put(
        both.COMMON,
        "return lambda my: (WinExtraTurn(my.seat, condition),)",
        "return lambda my: ()",
    ),
    "TK-16.23": put(
        CARDS,
        "my.monster.stars < my.game.monsters[s].stars for s",
        "my.monster.stars <= my.game.monsters[s].stars for s",
    ),
    # the other edition
    "TK-17.1": put(
        RULES_2016,
        "if entry is None or my.now.is_inside(phase.seat):",
        "if entry is None or my.now.is_inside(phase.seat) or not my.game.turn.claimed:",
    ),
    "TK-17.2": put(
        RULES_2016,
        "if entry is None or my.now.is_inside(phase.seat):",
        "if entry is None or my.now.is_inside(phase.seat) or my.game.turn.number == 1:",
    ),
    "TK-17.3": put(RULES_2016, "falls_back_to=_CITY", "falls_back_to=None"),
    "TK-17.4": put(CARDS_2016, '    "telepath",\n)', ")"),
    "TK-17.5": put(CARDS_2016, "AddCounters(my.seat, 6,", "AddCounters(my.seat, 4,"),
    "TK-17.6": put(CARDS_2016, "amount=group.amount + 1)", "amount=group.amount)"),
    "TK-17.7": put(
        CARDS_2016,
        "modifier(Quantity.HEALTH_MAX, 2), gains(health=2)),",
        "modifier(Quantity.HEALTH_MAX, 2), gains(health=2), leaving=tokyo.shrinks_back),",
    ),
    "TK-17.8": put(
        CARDS_2016,
        "mine = hurt.by_attack and hurt.dealer == my.seat",
        "mine = hurt.dealer == my.seat",
    ),
    "TK-17.9": put(CARDS_2016, 'keep("urbavore", 4,', 'keep("urbavore", 5,'),
    # decisions
    "D8": put(
        CARDS,
        "healer = heal.seat if heal.by == TABLE else heal.by",
        "healer = heal.seat if heal.by == TABLE else TABLE",
    ),
    "H18": put(
        both.COMMON,
        "all(my.now.count(face) for face in my.rules.faces)",
        "all(my.now.rolled(face) for face in my.rules.faces)",
    ),
    "H31": put(
        CARDS,
        'keep("freeze_time", 5, stop_the_clock, stop_the_clock_late),',
        'keep("freeze_time", 5, stop_the_clock),',
    ),
    "H32": put(
        "asking.py",
        "if not (lies or now.is_modified(Quantity.ROLL_COST)):",
        "if not lies:",
    ),
    "H35": put(CARDS, "if len(mine) > 1 else ()", "if len(mine) < 1 else ()"),
    "H33": put(CARDS, "began = occasion(my, hurt)", "began = 0"),
    "H34": put(
        both.RESOLUTION,
        "        if not part:\n            self.stack += reversed(steps)",
        "        if not part or any(type(step) is Together for step in steps):\n"
        "            self.stack += reversed(steps)",
    ),
}
