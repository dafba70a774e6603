"""How each clause of King of New York is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks.changes import Break, swap

SKIP_A_GROUP: Final = swap(
    "resolve",
    "tuple([Option('', take(face), again=True, face=face) for face in left])",
    "(*[Option('', take(f), again=True, face=f) for f in left], Option('none'))",
)
ONE_IS_STRONGER: Final = swap(
    "new_game",
    "Monster(Seat(s), rules.health, name=_name(setup, rules, s))",
    "Monster(Seat(s), rules.health, energy=int(s == setup.players - 1))",
)
FOUR_DEEP: Final = swap("new_game", "rules.tiles_per_stack", "4")
ANY_HURT_LETS_FLEE: Final = swap("may_yield", "hurt.by_attack", "")
NOTHING_IS_SOMETHING: Final = swap("is_nothing", "effect.counted and effect.amount <= 0", "False")
EVERYONE_IS_ATTACKED: Final = swap(
    "damage_everyone", "Damage(s, amount, my.seat)", "Damage(s, amount, my.seat, True)"
)
HEAL_OVERFLOWS: Final = swap("Heal.fitted", "min(self.amount, lost)", "self.amount, 0 * lost")
NEGATIVE_STARS: Final = swap(
    "LoseStars.fitted",
    "replace(self, amount=min(self.amount, position.game.monsters[self.seat].stars))",
    "self",
)
ONLY_THE_ACTIVE_WINS: Final = swap(
    "turn_over",
    "first_to_goal(my.position)",
    "tuple(s for s in first_to_goal(my.position) if s == turn.seat)",
)
LAST_TO_GOAL: Final = swap(
    "first_to_goal", "min(reached for reached, _ in there)", "max(reached for reached, _ in there)"
)
CHECK_BEFORE_THE_END: Final = swap(
    "begin_turn", "*phases, TurnOver(turn.seat)", "*phases[:-1], TurnOver(turn.seat), phases[-1]"
)
THE_LAST_MUST_HAVE_STARS: Final = swap(
    "turn_over", "len(alive) == 1", "len(alive) == 1 and first_to_goal(my.position)"
)
A_WINNER_AMONG_THE_DEAD: Final = swap("turn_over", '"all_dead", ()', '"all_dead", (turn.seat,)')
THE_DEAD_GO_ON: Final = (
    *swap(
        "BasePosition.is_too_late",
        "seat != TABLE and not self.game.monsters[seat].alive and not effect.to_dead",
        "False and not self.game.monsters[seat].alive",
    ),
    *swap(
        "_Loop._run_reaction", "effect.while_alive and not position.is_alive(effect.seat)", "False"
    ),
)
FALLING_BELOW_ZERO: Final = swap(
    "_Loop.push_eliminations",
    "m.alive and m.health == 0 and not m.fallen",
    "m.alive and m.health < 0",
)
ONE_AFTER_THE_OTHER: Final = swap("attack", "(Together(hurt),) if hurt else ()", "hurt")
ONE_DIES: Final = swap(
    "_Loop.push_eliminations",
    "(Eliminate(seat) for seat in down)",
    "(Eliminate(seat) for seat in down[:1])",
)
THE_DEAD_KEEP_ENERGY: Final = swap("Eliminate.apply", "energy=0", "")
NOBODY_ENTERS: Final = swap(
    "move", "(MarkUsed(seat, _ENTERED), MoveTo(seat, entry, How.ENTER))", "None"
)
ONLY_ATTACKERS_ENTER: Final = swap(
    "move", "entry is not None", "entry is not None and position.game.turn.claimed"
)
NO_SLIDE: Final = swap("slide", "MoveTo(first, place.slides_to, How.SLIDE)", "")
NOBODY_LEAVES: Final = swap("make_room", "my.position.is_usable(place)", "place.inside")
TRACKS_IN_SEAT_ORDER: Final = swap("BasePosition.inside", "sorted(found)", "found")
LAST_TRACK_FIRST: Final = swap("_entries", "lambda p: p.track", "lambda p: -p.track")
ONE_DIE_A_REROLL: Final = (
    *swap("throwable", "tuple(range(len(turn.faces)))", "(0,)"),
    *swap("throwable", "enumerate(turn.faces)", "enumerate(turn.faces[:1])"),
)
DISCARDS_STAY: Final = swap(
    "arrived", "(come, DropCard(bought.seat, bought.card, bought.name))", "come"
)
DISCARDS_ARE_LOST: Final = swap("refill", "my.game.deck or my.game.discards", "my.game.deck")
ONE_PURCHASE: Final = swap(
    "shopping", "purchase(position, seat, card, again=True)", "purchase(position, seat, card)"
)
ONE_SWEEP: Final = swap(
    "shopping",
    'Option("sweep", steps, again=True, barred=barred, lacking=lacking)',
    'Option("sweep", steps, again=False, barred=barred, lacking=lacking)',
)
NO_STARS_FOR_CARDS: Final = swap("gains", "stars=stars", "")
DICE_ARE_NEVER_FINAL: Final = swap("roll", "turn.final", "turn.final and not turn.rolls_left")

CLAUSES: Final[Mapping[str, Break]] = {
    # goal and box
    "NY-1.1": swap("NEW_YORK", "goal_stars=20", "goal_stars=21"),
    "NY-1.2": swap('keep("stomp")', 'keep("stomp", 4, adds(destruction=1))', ""),
    "NY-1.3": ONE_IS_STRONGER,
    "NY-1.4": swap("_zone", 'f"{name}_5_6", "manhattan"', 'f"{name}_5_6", "staten_island"'),
    "NY-1.5": swap("move", "name != place.name", 'name not in (place.name, "staten_island")'),
    # setup
    "NY-2.1": swap("full_deck", "c.name not in goals", ""),
    "NY-2.2": swap("NEW_YORK", "dice=6", "dice=8"),
    "NY-2.3": swap("NEW_YORK", "health=10", "health=12"),
    "NY-2.4": FOUR_DEEP,
    "NY-2.5": swap("NEW_YORK", "first_roll_dice=8", "first_roll_dice=6"),
    "NY-2.6": swap("place_monster", 'barred="" if my.position.room(name) > 0 else "full"', ""),
    "NY-2.7": swap(
        "turn_over",
        "my.position.after(turn.seat if follows is None else follows)",
        "my.position.neighbours(turn.seat if follows is None else follows)[-1]",
    ),
    # tiles
    "NY-3.1": swap("NEW_YORK", "4, TileReward(stars=3)", "4, TileReward()"),
    "NY-3.2": swap('Tile("skyscraper_1")', "UnitKind.INFANTRY", "UnitKind.JET"),
    "NY-3.3": swap('Tile("power_plant_2")', "energy=2", "stars=2"),
    "NY-3.4": swap('Tile("hospital_3")', "health=3", "health=2"),
    "NY-3.5": swap("NEW_YORK", "3, TileReward(energy=2)", "4, TileReward(energy=2)"),
    "NY-3.6": (
        *swap('Tile("skyscraper_1")', "UnitKind.INFANTRY, 22", "UnitKind.INFANTRY, 21"),
        *swap('Tile("skyscraper_2")', "UnitKind.JET, 8", "UnitKind.JET, 9"),
    ),
    "NY-3.7": swap("smashable", "borough.stacks", "borough.stacks[:1]"),
    # the turn and its roll
    "NY-4.1": swap("NEW_YORK", "ResolvePhase, MovePhase", "MovePhase, ResolvePhase"),
    "NY-4.2": THE_DEAD_GO_ON,
    "NY-5.1": swap("roll", "turn.dice", "turn.dice - 1"),
    "NY-5.2": swap("NEW_YORK", "rolls=3", "rolls=2"),
    "NY-5.3": ONE_DIE_A_REROLL,
    "NY-5.4": swap(
        "BasePosition.rolls",
        "1, self.of_seat(Quantity.ROLLS, seat, self.rules.rolls)",
        "0, self.of_seat(Quantity.ROLLS, seat, self.rules.rolls)",
    ),
    "NY-5.5": DICE_ARE_NEVER_FINAL,
    # resolving
    "NY-6.1": swap("resolve.take", "left[face]", "1"),
    "NY-6.2": swap(
        "resolve", "[face for face in my.game.turn.order if face in left]", "list(left)"
    ),
    "NY-6.3": ONE_AFTER_THE_OTHER,
    "NY-7.1": swap("new_york::score_energy", "seat, amount", "seat, amount + 1"),
    "NY-7.2": swap("_changed", "what, value,", "what, min(50, value),"),
    # attack
    "NY-8.1": swap("targets", "(s in inside) is across", "s in inside"),
    "NY-8.2": SKIP_A_GROUP,
    "NY-8.3": swap(
        "new_york::score_attack",
        "attack(position, seat, amount) if position.game.turn.inside_at_start else ()",
        "attack(position, seat, amount)",
    ),
    "NY-8.4": NOTHING_IS_SOMETHING,
    "NY-8.5": swap("burn_the_borough", "1 if attacks else hit", "1 if mine else hit"),
    "NY-8.6": swap(
        "may_yield",
        "hurt.by_attack and position.is_inside(hurt.seat) and not position.is_inside(hurt.dealer)",
        "hurt.by_attack",
    ),
    # heal
    "NY-9.1": HEAL_OVERFLOWS,
    "NY-9.2": swap(
        "new_york::score_heal",
        "() if position.is_inside(seat) else (Heal(seat, amount),)",
        "(Heal(seat, amount),)",
    ),
    "NY-9.3": swap(
        "_reward", "reward.health", "0 if my.position.is_inside(seat) else reward.health"
    ),
    # destruction
    "NY-10.1": swap("destroying", "my.position.area(seat)", '"queens"'),
    "NY-10.2": swap("_smash_option", "need > left", "need > left + 1"),
    "NY-10.3": swap("building_reward", "_reward(my, smashed.seat, smashed.name)", "None"),
    "NY-10.4": swap(
        "SmashBuilding.apply",
        "(*borough.units, Unit(game.next_id, unit, game.turn.number))",
        "borough.units",
    ),
    "NY-10.5": swap("_unit_option", "unit.turn == position.game.turn.number", "False"),
    "NY-10.6": swap(
        "DestroyUnit.apply",
        "tuple(each for each in borough.units if each.id != self.unit)",
        "borough.units",
    ),
    "NY-10.7": swap(
        "destroying",
        "smashable(my.position, spending, borough)",
        '(*smashable(my.position, spending, borough), Option("stop"))',
    ),
    "NY-10.8": swap(
        "destroying",
        'decided(Choice(seat, "destroy", options, "destroy", "NY-10.7", about))',
        'decided(Choice(seat, "destroy", options, "destroy", "NY-10.7", about)) or '
        "GainStars(seat, spending.amount)",
    ),
    "NY-10.9": HEAL_OVERFLOWS,
    # celebrity
    "NY-11.1": swap("score_celebrity", "Query(seat, card.name), 3", "Query(seat, card.name), 2"),
    "NY-11.2": swap("score_celebrity", "amount - 2", "amount - 1"),
    "NY-11.3": swap("score_celebrity", "seat, amount", "seat, max(0, amount - 2)"),
    "NY-11.4": swap(
        "score_celebrity",
        "TakeGoal(seat, card.id, card.name, card.owner)",
        "LoseStars(max(card.owner, seat), 1), TakeGoal(seat, card.id, card.name, card.owner)",
    ),
    "NY-11.5": swap("score_celebrity", "card.owner == seat", "card.owner != TABLE"),
    # Ouch!
    "NY-12.1": swap(
        "score_ouch", "hit: tuple[Seat, ...] = (seat,)", "hit: tuple[Seat, ...] = position.alive()"
    ),
    "NY-12.2": swap(
        "score_ouch",
        "tuple(s for s in living if position.area(s) == position.area(seat))",
        "(seat,)",
    ),
    "NY-12.3": swap("score_ouch", "tuple(living)", "(seat,)"),
    "NY-12.4": swap("score_ouch", "len(position.units(s))", "amount * len(position.units(s))"),
    "NY-12.5": swap(
        "score_ouch",
        "len(position.units(s))",
        "sum(u.turn != position.game.turn.number for u in position.units(s))",
    ),
    "NY-12.6": swap(
        "BasePosition.units", "borough.units", "borough.units[: 1 if self.is_inside(seat) else 9]"
    ),
    "NY-12.7": swap("_STATUE_STARS", "_STATUE_STARS: Final = 3", "_STATUE_STARS: Final = 2"),
    "NY-12.8": swap("score_ouch", "amount < 3 or card.owner == seat", "amount < 3"),
    "NY-12.9": NEGATIVE_STARS,
    "NY-12.10": swap(
        "score_ouch",
        "Damage(s, len(position.units(s)), by_units=True)",
        "Damage(s, len(position.units(s)), seat, by_attack=True, by_units=True)",
    ),
    "NY-12.11": swap(
        "score_ouch",
        "strike, TakeGoal(seat, card.id, card.name, card.owner)",
        "TakeGoal(seat, card.id, card.name, card.owner), strike",
    ),
    # Manhattan
    "NY-13.1": swap("_zone", "needs_alive=5", "needs_alive=2"),
    "NY-13.2": swap("NEW_YORK", "entering_stars=1", "entering_stars=2"),
    "NY-13.3": swap(
        "move", "MoveTo(seat, onward, How.ADVANCE) if onward is not None else None", "None"
    ),
    "NY-13.4": swap('_zone("midtown")', '"upper", 2', '"upper", 1'),
    "NY-13.5": swap(
        "new_york::score_heal",
        "() if position.is_inside(seat) else (Heal(seat, amount),)",
        "(Heal(seat, amount),)",
    ),
    "NY-13.6": swap(
        "escapes",
        '"full" if position.room(name) <= 0 else "short" if lacking else ""',
        '"short" if lacking else ""',
    ),
    "NY-13.7": NOBODY_ENTERS,
    "NY-13.8": NOBODY_ENTERS,
    "NY-13.9": swap(
        "escapes",
        "Claim(dealer)",
        "MoveTo(dealer, position.free_entry() or 'lower_2_4', How.ENTER)",
    ),
    "NY-13.10": NOBODY_ENTERS,
    "NY-13.11": EVERYONE_IS_ATTACKED,
    "NY-13.12": swap("NEW_YORK", "MovePhase, BuyPhase", "BuyPhase, MovePhase"),
    "NY-13.13": swap(
        "escapes",
        "position.rules.start_places",
        "[p for p in position.rules.start_places if p != position.game.monsters[dealer].place]",
    ),
    # moving
    "NY-14.1": ONLY_ATTACKERS_ENTER,
    "NY-14.2": swap("move", '(Option("stay"), *ways)', "ways"),
    "NY-14.3": swap("move", "place.inside", "place.inside and place.onward is not None"),
    "NY-14.4": swap("NEW_YORK", "Place(name, name, 2)", "Place(name, name, 3)"),
    "NY-14.5": swap("_zone", "needs_alive=5", "needs_alive=6"),
    # cards
    "NY-15.1": ONE_PURCHASE,
    "NY-15.2": ONE_SWEEP,
    "NY-15.3": DISCARDS_STAY,
    "NY-15.4": NO_STARS_FOR_CARDS,
    "NY-15.5": swap(
        "district_price",
        "price - (my.position.area(query.seat) in my.rules.cards[query.card].district)",
        "price",
    ),
    "NY-15.6": swap(
        "BasePosition.health_max",
        "self.rules.health",
        "self.rules.health + len(self.game.in_play.cards)",
    ),
    "NY-15.7": EVERYONE_IS_ATTACKED,
    "NY-15.8": DISCARDS_ARE_LOST,
    "NY-15.9": swap(
        "only_after.only_after_destroying",
        "allowed if query.card != my.name or did else 0",
        "allowed",
    ),
    # elimination and the end
    "NY-16.1": FALLING_BELOW_ZERO,
    "NY-16.2": THE_DEAD_KEEP_ENERGY,
    "NY-16.3": ONE_DIES,
    "NY-16.4": NEGATIVE_STARS,
    "NY-17.1": CHECK_BEFORE_THE_END,
    "NY-17.2": (
        *swap("Eliminate.apply", "reached=None", ""),
        *swap("first_to_goal", "m.alive and m.reached is not None", "m.reached is not None"),
    ),
    "NY-17.3": THE_LAST_MUST_HAVE_STARS,
    "NY-17.4": A_WINNER_AMONG_THE_DEAD,
    "NY-17.5": ONLY_THE_ACTIVE_WINS,
    "NY-17.6": swap("with_stars", "stars < goal", "stars < goal and monster.reached is None"),
    "NY-17.7": LAST_TO_GOAL,
    "NY-17.8": swap(
        "turn_over",
        "my.position.after(turn.seat if follows is None else follows)",
        "turn.seat if follows is None else follows",
    ),
    # five and six
    "NY-18.1": swap("targets", "position.inside()", "position.inside()[:1]"),
    "NY-18.2": ONLY_ATTACKERS_ENTER,
    "NY-18.3": swap(
        "new_york::score_attack",
        "position.game.turn.inside_at_start",
        "position.game.turn.inside_at_start and position.free_entry() is None",
    ),
    "NY-18.4": swap(
        "BasePosition.free_entry",
        "self._tracks()",
        "{p.track for s in self.inside() if (p := self.place(s)) and p.entry}",
    ),
    "NY-18.5": swap("_zone", 'f"{onward}_5_6"', 'f"{onward}_2_4"'),
    "NY-18.6": TRACKS_IN_SEAT_ORDER,
    "NY-18.7": NO_SLIDE,
    "NY-18.8": NOBODY_LEAVES,
    "NY-18.9": swap("make_room", "slid = slide(my.position)", "slid: tuple[Step, ...] = ()"),
    "NY-18.10": swap("entered", "move.how is How.ENTER", "move.how in (How.ENTER, How.SLIDE)"),
    "NY-18.11": swap(
        "BasePosition.free_entry",
        "place.track not in tracks and self.is_usable(place)",
        "place.track not in tracks",
    ),
    # words
    "NY-19.1": NOTHING_IS_SOMETHING,
    "NY-19.2": swap(
        "Damage.apply",
        "super().apply(position)",
        "LoseHealth(self.seat, self.amount + 1).apply(position)",
    ),
    "NY-19.3": swap("escapes", "MoveTo(seat, name, How.FLEE)", ""),
    "NY-19.4": FALLING_BELOW_ZERO,
    "NY-19.5": ONE_DIE_A_REROLL,
    # decisions
    "NY-G1": swap(
        "score_ouch",
        "(s for s in position.clockwise(seat) if position.is_alive(s))",
        "iter(position.alive())",
    ),
}
