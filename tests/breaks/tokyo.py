"""How each clause of King of Tokyo is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks import new_york as both
from tests.breaks.changes import Break, swap

NO_CLAIM_NEEDED: Final = swap("enter", "not my.game.turn.claimed", "")
BAY_ON_THE_CITYS_TRACK: Final = swap('Place("tokyo_bay")', "track=1", "track=0")
TOKENS_COME_OFF_IN_TOKYO: Final = swap(
    "cured_by_hearts.cure",
    "group.face is Face.HEAL and not my.position.is_inside(my.seat)",
    "group.face is Face.HEAL",
)

CLAUSES: Final[Mapping[str, Break]] = {
    # goal, box, setup
    "TK-1.1": swap("TOKYO", "goal_stars=20", "goal_stars=21"),
    "TK-1.2": swap('discard("heal")', 'discard("heal", 3, gains(health=2))', ""),
    "TK-1.3": swap('tokyo.dice::keep("extra_head")', "copies=2", ""),
    "TK-1.4": swap('Place("tokyo_bay")', "inside=True", "inside=False"),
    "TK-1.5": both.ONE_IS_STRONGER,
    "TK-2.1": swap("TOKYO", "health=10", "health=12"),
    "TK-2.2": swap('Place("tokyo_bay")', "needs_alive=5", "needs_alive=2"),
    "TK-2.3": swap("new_game", "OpenShop(setup.first)", ""),
    "TK-2.4": swap("TOKYO", "first_roll_dice=6", "first_roll_dice=8"),
    # the turn and its roll
    "TK-3.1": swap(
        "TOKYO", "ResolvePhase, EnterPhase, BuyPhase", "BuyPhase, ResolvePhase, EnterPhase"
    ),
    "TK-3.2": swap("TOKYO", "EnterPhase, BuyPhase", "BuyPhase, EnterPhase"),
    "TK-3.3": both.THE_DEAD_GO_ON,
    "TK-4.1": swap("TOKYO", "rolls=3", "rolls=2"),
    "TK-4.2": both.ONE_DIE_A_REROLL,
    "TK-4.3": swap(
        "BasePosition.dice",
        "0, min(self.rules.dice_max, dice)",
        "1, min(self.rules.dice_max, dice)",
    ),
    # numbers and energy
    "TK-5.1": swap(
        "_VALUE",
        "{Face.ONE: 1, Face.TWO: 2, Face.THREE: 3}",
        "{Face.ONE: 1, Face.TWO: 3, Face.THREE: 3}",
    ),
    "TK-5.2": swap("tokyo::score_number", "_VALUE[face] + amount - 3", "_VALUE[face]"),
    "TK-5.3": swap(
        "tokyo::score_number",
        "_VALUE[face] + amount - 3",
        "_VALUE[face] * (amount // 3) + amount % 3",
    ),
    "TK-5.4": swap("tokyo::score_number", "amount >= 3", "amount >= 2"),
    "TK-6.1": swap(
        "tokyo::score_energy",
        "(GainEnergy(seat, amount),)",
        "(GainEnergy(seat, amount),) if amount >= 3 else ()",
    ),
    # attack
    "TK-7.1": swap("targets", "(s in inside) is across", "s in inside"),
    "TK-7.2": swap("tokyo::score_attack", "(Claim(seat),) if opens else ()", "()"),
    "TK-7.3": swap("targets", "int((s in inside) is across)", "1"),
    "TK-7.4": swap(
        "lead_the_pack",
        "GainStars(my.seat, 1) if group.face is Face.ATTACK else None",
        "GainStars(my.seat, 1)",
    ),
    "TK-7.5": both.NOTHING_IS_SOMETHING,
    "TK-7.6": swap("hurt_others", "Damage(s, amount, my.seat)", "Damage(s, amount, my.seat, True)"),
    "TK-7.7": both.SKIP_A_GROUP,
    # heal
    "TK-8.1": both.HEAL_OVERFLOWS,
    "TK-8.2": swap(
        "tokyo::score_heal",
        "() if position.is_inside(seat) else (Heal(seat, amount),)",
        "(Heal(seat, amount),)",
    ),
    "TK-8.3": TOKENS_COME_OFF_IN_TOKYO,
    # Tokyo
    "TK-9.1": swap("TOKYO", "entering_stars=1", "entering_stars=2"),
    "TK-9.2": NO_CLAIM_NEEDED,
    "TK-9.3": swap('Place("tokyo_city")', "stars=2", "stars=1"),
    "TK-9.4": swap("escapes", "Claim(dealer)", ""),
    "TK-9.5": swap("killed_in_the_city", "Claim(fell.dealer)", "None"),
    "TK-9.6": swap("killed_in_the_city", "fell.by_attack and fell.inside", "fell.inside"),
    "TK-9.7": swap(
        "enter",
        "entry = my.position.free_entry()",
        "entry = my.position.free_entry()\n"
        "if my.position.is_inside(phase.seat):\n"
        '    return MoveTo(phase.seat, "outside", How.LEAVE)',
    ),
    # yielding
    "TK-10.1": swap("may_flee", "*ways", ""),
    "TK-10.2": swap("flee_unhurt", "my.seat, hurt.dealer", "my.seat, my.seat"),
    "TK-10.3": both.ANY_HURT_LETS_FLEE,
    "TK-10.4": both.NOTHING_IS_SOMETHING,
    # the Bay
    "TK-11.1": swap('Place("tokyo_bay")', "needs_alive=5", "needs_alive=6"),
    "TK-11.2": both.LAST_TRACK_FIRST,
    "TK-11.3": BAY_ON_THE_CITYS_TRACK,
    "TK-11.4": swap('Place("tokyo_bay")', "stars=2", 'stars=2, slides_to="tokyo_city"'),
    "TK-11.5": NO_CLAIM_NEEDED,
    "TK-11.6": swap('Place("tokyo_bay")', "stars=2", "stars=1"),
    "TK-11.7": both.NOBODY_LEAVES,
    "TK-11.8": both.TRACKS_IN_SEAT_ORDER,
    # cards
    "TK-12.1": swap("TOKYO", "sweep_cost=2", "sweep_cost=1"),
    "TK-12.2": both.DISCARDS_STAY,
    "TK-12.3": both.NO_STARS_FOR_CARDS,
    "TK-12.4": swap("twelve_at_most", "min(most, 12)", "min(most, 14)"),
    "TK-12.5": both.DISCARDS_ARE_LOST,
    "TK-12.6": (
        *swap(
            "_can_stretch",
            "my_final_dice(my) and can_pay(my, 2)",
            "my_final_dice(my) and can_pay(my, 2) and my.ref not in my.game.turn.used",
        ),
        *swap(
            "stretch",
            "SpendEnergy(my.seat, 2)",
            "SpendEnergy(my.seat, 2), MarkUsed(my.seat, my.ref)",
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
    "TK-16.1": swap("shrinks_back", "LoseHealth(seat, 2)", ""),
    "TK-16.2": swap(
        "eat_the_dead",
        'whenever(ReachedZero, when=to_another, clause="TK-16.2")',
        "whenever(Eliminate, when=to_another)",
    ),
    "TK-16.3": swap("last_to_first.turn", "entry.seat - active", "active - entry.seat"),
    "TK-16.4": swap(
        "BasePosition.neighbours", "tuple(dict.fromkeys((order[0], order[-1])))", "order[:1]"
    ),
    "TK-16.5": swap(
        "sell_cards", "my.rules.cards[c.name].cost", "my.position.price(my.seat, c.name)"
    ),
    "TK-16.6": swap(
        "catch_the_sun",
        'whenever(EndPhase, mine=True, clause="TK-16.6")',
        "whenever(TurnStarted, mine=True)",
    ),
    "TK-16.7": swap("drop_in", "my.position.is_inside(my.seat)", "False"),
    "TK-16.8": swap("_can_loot", "my.is_active and any(_loot(my))", "any(_loot(my))"),
    "TK-16.9": swap("original_left", "card.copies == left.card", "card.copies == left.seat"),
    "TK-16.10": swap(
        "poison_works",
        "return Damage(my.seat, my.position.tokens(my.seat, Token.POISON))",
        'given = any(c.name == "poison_spit" for c in my.game.in_play.cards)\n'
        "return Damage(my.seat, my.position.tokens(my.seat, Token.POISON)) if given else None",
    ),
    "TK-16.11": swap("_spray", "Damage(s, 1, my.seat)", "Damage(s, 1, my.seat, True)"),
    "TK-16.12": swap("_loot", "my.position.price(my.seat, c.name)", "my.rules.cards[c.name].cost"),
    "TK-16.13": swap(
        "singe_the_neighbours",
        "when=my_deed",
        "when=lambda my, hurt: hurt.by_attack",
    ),
    "TK-16.14": swap('keep("healing_ray")', "the_healed_pay", ""),
    "TK-16.15": swap("Heal.doer", "self.seat if self.by == TABLE else self.by", "self.seat"),
    "TK-16.16": swap(
        "threes_are_free",
        "all(face is Face.THREE for face in query.faces)",
        "query.faces.count(Face.THREE) > 9",
    ),
    "TK-16.17": swap(
        "StartAgain.apply", "health=position.rules.health", "health=position.rules.health, energy=0"
    ),
    "TK-16.18": swap("take_wing", 'AddCondition(my.seat, "wings", my.game.turn.number)', ""),
    "TK-16.19": swap(
        "single_points_bounce",
        "() if hurt.amount == 1 else None",
        "replace(hurt, amount=hurt.amount - 1)",
    ),
    "TK-16.20": swap("which_die", 'my.seat, "probe"', 'active, "probe"'),
    "TK-16.21": swap(
        "drain_the_batteries", "TakeBackEnergy(my.seat, taken)", "GainEnergy(my.seat, taken)"
    ),
    "TK-16.22": swap("extra_turn", "WinExtraTurn(my.seat, condition)", ""),
    "TK-16.23": swap(
        "cheer_the_last",
        "my.monster.stars < my.game.monsters[s].stars",
        "my.monster.stars <= my.game.monsters[s].stars",
    ),
    # the other edition
    "TK-17.1": swap(
        "must_enter",
        "entry is None or my.position.is_inside(phase.seat)",
        "entry is None or my.position.is_inside(phase.seat) or not my.game.turn.claimed",
    ),
    "TK-16.24": swap(
        "tunnel.fall_in",
        "move.how is not How.ENTER",
        'move.how is not How.ENTER or kind != f"tunnel_{move.place}"',
    ),
    "TK-16.25": swap("_another_turn", "FROZEN[frozen]", "FROZEN[0]"),
    "TK-16.26": swap("what_lies_on_top", "secret=True", ""),
    "TK-17.2": swap(
        "must_enter",
        "entry is None or my.position.is_inside(phase.seat)",
        "entry is None or my.position.is_inside(phase.seat) or my.game.turn.number == 1",
    ),
    "TK-17.3": swap("TOKYO_2016", "falls_back_to=_CITY", "falls_back_to=None"),
    "TK-17.4": swap("_RENAMED", '"telepath"', ""),
    "TK-17.5": swap("charge", "my.seat, 6", "my.seat, 4"),
    "TK-17.6": swap("adds_to_claws.add_to_claws", "group.amount + 1", "group.amount"),
    "TK-17.7": swap(
        'edition_2016::keep("even_bigger")',
        'keep("even_bigger", 4, modifier(Quantity.HEALTH_MAX, 2), gains(health=2))',
        'keep("even_bigger", 4, modifier(Quantity.HEALTH_MAX, 2), gains(health=2), '
        'leaving=TOKYO.cards["even_bigger"].leaving)',
    ),
    "TK-17.8": swap(
        "struck_get.mark_the_struck",
        "when=my_attack",
        "when=lambda my, hurt: hurt.dealer == my.seat",
    ),
    "TK-17.9": swap('edition_2016::keep("urbavore")', '"urbavore", 4', '"urbavore", 5'),
    # decisions
    "D8": swap(
        "Heal.doer",
        "self.seat if self.by == TABLE else self.by",
        "self.seat if self.by == TABLE else TABLE",
    ),
    "H18": swap("all_faces", "my.position.count", "my.position.rolled"),
    "H31": swap('keep("freeze_time")', "stop_the_clock_late", ""),
    "H32": swap(
        "with_free_rerolls", "is_thrown or position.is_modified(Quantity.ROLL_COST)", "is_thrown"
    ),
    "H35": swap("sell_cards", "len(mine) > 1", "len(mine) < 1"),
    "H33": swap("singe_the_neighbours", "occasion(my, hurt)", "0"),
    "H34": swap(
        "_Loop.push",
        "if not part:\n    self.stack += reversed(steps)\n    return",
        "if not part or any(type(step) is Together for step in steps):\n"
        "    self.stack += reversed(steps)\n"
        "    return",
    ),
    "H36": swap("leave_a_tunnel", "copied.owner == my.seat", "copied.owner != my.seat"),
    "H37": swap("fewer_dice.frozen_dice", "min(dice, my.rules.dice_max) - number", "dice - number"),
    "H38": swap(
        "with_free_rerolls", "roll.seat if roll.owner is None else roll.owner", "roll.seat"
    ),
    "H39": swap(
        "blow_smoke",
        "DropCard(my.seat, my.card_id, my.card.name)",
        "DropCard(my.seat, my.card.copies or my.card_id, my.card.name)",
    ),
    "H40": swap("_revealed", "reveal.secret and name == UNNAMED", "name is None"),
}
