"""How each clause of King of New York is broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.breaks.changes import Break, put

RULES: Final = "rulesets/new_york.py"
CARDS: Final = "cards/new_york.py"
COMMON: Final = "cards/common.py"
TURN: Final = "turn.py"
MOVING: Final = "moving.py"
BUYING: Final = "buying.py"
STANDING: Final = "standing.py"
RESOLUTION: Final = "resolution.py"
FOLLOWING: Final = "following.py"
SETUP: Final = "setup.py"
CHANGE: Final = "change.py"
NUMBERS: Final = "effects/numbers.py"
TILES: Final = "effects/tiles.py"

SKIP_A_GROUP: Final = put(
    TURN,
    "tuple([Option(str(face), take(face), again=True, face=face) for face in left])",
    "(*[Option(str(f), take(f), again=True, face=f) for f in left], Option('none'))",
)
ONE_IS_STRONGER: Final = put(
    SETUP,
    "Monster(Seat(s), rules.health)",
    "Monster(Seat(s), rules.health, energy=int(s == setup.players - 1))",
)
FOUR_DEEP: Final = put(
    SETUP, "Stack(a * stacks + k, None, rules.tiles_per_stack)", "Stack(a * stacks + k, None, 4)"
)
ANY_HURT_LETS_FLEE: Final = put(
    MOVING,
    "return hurt.by_attack and now.is_inside(hurt.seat) and not now.is_inside(hurt.dealer)",
    "return now.is_inside(hurt.seat) and not now.is_inside(hurt.dealer)",
)
NOTHING_IS_SOMETHING: Final = put(
    RESOLUTION, "return effect.counted and effect.amount <= 0", "return False"
)
EVERYONE_IS_ATTACKED: Final = put(
    COMMON,
    "return Together(tuple(Damage(s, amount, my.seat) for s in seats if my.now.is_alive(s)))",
    "return Together(tuple(Damage(s, amount, my.seat, True) for s in seats if my.now.is_alive(s)))",
)
HEAL_OVERFLOWS: Final = put(
    NUMBERS,
    "return replace(self, amount=max(0, min(self.amount, lost)))",
    "return replace(self, amount=max(0, self.amount, 0 * lost))",
)
NEGATIVE_STARS: Final = put(
    NUMBERS,
    "return replace(self, amount=min(self.amount, now.game.monsters[self.seat].stars))",
    "return self",
)
ONLY_THE_ACTIVE_WINS: Final = put(
    TURN,
    "winners = first_to_goal(my.now)",
    "winners = tuple(s for s in first_to_goal(my.now) if s == turn.seat)",
)
LAST_TO_GOAL: Final = put(
    TURN,
    "first = min(reached for reached, _ in there)",
    "first = max(reached for reached, _ in there)",
)
CHECK_BEFORE_THE_END: Final = put(
    TURN,
    "return (TurnStarted(turn.seat), *phases, TurnOver(turn.seat))",
    "return (TurnStarted(turn.seat), *phases[:-1], TurnOver(turn.seat), phases[-1])",
)
THE_LAST_MUST_HAVE_STARS: Final = put(
    TURN,
    "if len(alive) == 1:\n        return EndGame",
    "if len(alive) == 1 and first_to_goal(my.now):\n        return EndGame",
)
A_WINNER_AMONG_THE_DEAD: Final = put(
    TURN, 'EndGame(turn.seat, "all_dead", ())', 'EndGame(turn.seat, "all_dead", (turn.seat,))'
)
THE_DEAD_GO_ON: Final = (
    *put(STANDING, "return not effect.to_dead and seat != TABLE and not", "return False and not"),
    *put(RESOLUTION, "over = effect.while_alive and not now.is_alive(effect.seat)", "over = False"),
)
FALLING_BELOW_ZERO: Final = put(
    RESOLUTION, "m.alive and m.health == 0 and not m.fallen", "m.alive and m.health < 0"
)
ONE_AFTER_THE_OTHER: Final = put(MOVING, "return (Together(hurt),) if hurt else ()", "return hurt")
ONE_DIES: Final = put(
    RESOLUTION,
    "Together(tuple(Eliminate(seat) for seat in down))",
    "Together(tuple(Eliminate(seat) for seat in down[:1]))",
)
THE_DEAD_KEEP_ENERGY: Final = put(NUMBERS, "energy=0,\n            place=None", "place=None")
NOBODY_ENTERS: Final = put(
    RULES, "return (Noted(seat, _ENTERED), MoveTo(seat, entry, How.ENTER))", "return None"
)
ONLY_ATTACKERS_ENTER: Final = put(
    RULES, "if entry is not None:", "if entry is not None and now.game.turn.claimed:"
)
NO_SLIDE: Final = put(MOVING, "return (MoveTo(first, place.slides_to, How.SLIDE),)", "return ()")
NOBODY_LEAVES: Final = put(
    MOVING,
    "if place is None or my.now.is_usable(place):",
    "if place is None or place.inside:",
)
TRACKS_IN_SEAT_ORDER: Final = put(
    STANDING,
    "return tuple([s for _, s in sorted(found)])",
    "return tuple([s for _, s in found])",
)
LAST_TRACK_FIRST: Final = put(STANDING, "key=lambda p: p.track", "key=lambda p: -p.track")
ONE_DIE_A_REROLL: Final = (
    *put(TURN, "return tuple(range(len(turn.faces)))", "return (0,)"),
    *put(
        TURN, "for i, face in enumerate(turn.faces)\n", "for i, face in enumerate(turn.faces[:1])\n"
    ),
)
DISCARDS_STAY: Final = put(
    BUYING,
    "return (come, DropCard(bought.seat, bought.card, bought.name))",
    "return come",
)
DISCARDS_ARE_LOST: Final = put(
    BUYING,
    "names = tuple(dict.fromkeys(my.game.deck or my.game.discards))",
    "names = tuple(dict.fromkeys(my.game.deck))",
)
ONE_PURCHASE: Final = put(
    BUYING, "purchase(now, seat, card, again=True)", "purchase(now, seat, card)"
)
ONE_SWEEP: Final = put(
    BUYING, 'Option("sweep", steps, again=True,', 'Option("sweep", steps, again=False,'
)
NO_STARS_FOR_CARDS: Final = put(
    COMMON,
    "return bought(win(stars=stars, energy=energy, health=health))",
    "return bought(win(energy=energy, health=health))",
)
DICE_ARE_NEVER_FINAL: Final = put(
    TURN,
    "if turn.final:\n        return None",
    "if turn.final and not turn.rolls_left:\n        return None",
)

CLAUSES: Final[Mapping[str, Break]] = {
    # goal and box
    "NY-1.1": put(RULES, "goal_stars=20,", "goal_stars=21,"),
    "NY-1.2": put(CARDS, '    keep("stomp", 4, adds(destruction=1)),\n', ""),
    "NY-1.3": ONE_IS_STRONGER,
    "NY-1.4": put(
        RULES,
        'f"{name}_5_6",\n        "manhattan",',
        'f"{name}_5_6",\n        "staten_island",',
    ),
    "NY-1.5": put(
        RULES, "if name != place.name\n", 'if name not in (place.name, "staten_island")\n'
    ),
    # setup
    "NY-2.1": put(SETUP, "if c.name not in goals for _ in", "for _ in"),
    "NY-2.2": put(RULES, "    dice=6,\n", "    dice=8,\n"),
    "NY-2.3": put(RULES, "    health=10,\n", "    health=12,\n"),
    "NY-2.4": FOUR_DEEP,
    "NY-2.5": put(RULES, "first_roll_dice=8,", "first_roll_dice=6,"),
    "NY-2.6": put(
        MOVING,
        '(MoveTo(start.seat, name, How.PLACED),),\n            barred="" if my.now.room(name) > 0 '
        'else "full",',
        "(MoveTo(start.seat, name, How.PLACED),),",
    ),
    "NY-2.7": put(
        TURN,
        "my.now.after(turn.seat if follows is None else follows)",
        "my.now.neighbours(turn.seat if follows is None else follows)[-1]",
    ),
    # tiles
    "NY-3.1": put(RULES, "TANK, 4, TileReward(stars=3)", "TANK, 4, TileReward()"),
    "NY-3.2": put(
        RULES,
        'Tile("skyscraper_1", 1, TileReward(stars=1), UnitKind.INFANTRY, 22)',
        'Tile("skyscraper_1", 1, TileReward(stars=1), UnitKind.JET, 22)',
    ),
    "NY-3.3": put(
        RULES,
        '"power_plant_2", 2, TileReward(energy=2)',
        '"power_plant_2", 2, TileReward(stars=2)',
    ),
    "NY-3.4": put(
        RULES, '"hospital_3", 3, TileReward(health=3)', '"hospital_3", 3, TileReward(health=2)'
    ),
    "NY-3.5": put(RULES, "Tile(UnitKind.JET, 3, ", "Tile(UnitKind.JET, 4, "),
    "NY-3.6": (
        *put(RULES, "UnitKind.INFANTRY, 22)", "UnitKind.INFANTRY, 21)"),
        *put(RULES, "UnitKind.JET, 8)", "UnitKind.JET, 9)"),
    ),
    "NY-3.7": put(
        RULES,
        "buildings = (s for s in borough.stacks if s.top is not None)",
        "buildings = (s for s in borough.stacks[:1] if s.top is not None)",
    ),
    # the turn and its roll
    "NY-4.1": put(
        RULES,
        "ResolvePhase, MovePhase, BuyPhase, EndPhase)",
        "MovePhase, ResolvePhase, BuyPhase, EndPhase)",
    ),
    "NY-4.2": THE_DEAD_GO_ON,
    "NY-5.1": put(TURN, "dice=turn.dice,", "dice=turn.dice - 1,"),
    "NY-5.2": put(RULES, "    rolls=3,\n", "    rolls=2,\n"),
    "NY-5.3": ONE_DIE_A_REROLL,
    "NY-5.4": put(
        STANDING,
        "return max(1, self.of_seat(Quantity.ROLLS",
        "return max(0, self.of_seat(Quantity.ROLLS",
    ),
    "NY-5.5": DICE_ARE_NEVER_FINAL,
    # resolving
    "NY-6.1": put(TURN, "ResolveFace(seat, left[face], face)", "ResolveFace(seat, 1, face)"),
    "NY-6.2": put(
        TURN,
        "chosen = [face for face in my.game.turn.order if face in left]",
        "chosen = list(left)",
    ),
    "NY-6.3": ONE_AFTER_THE_OTHER,
    "NY-7.1": put(
        RULES, "return (GainEnergy(seat, amount),)", "return (GainEnergy(seat, amount + 1),)"
    ),
    "NY-7.2": put(
        NUMBERS,
        "game = with_monster(now.game, self.seat, energy=energy)",
        "game = with_monster(now.game, self.seat, energy=min(50, energy))",
    ),
    # attack
    "NY-8.1": put(MOVING, "int((s in inside) is across)", "int(s in inside)"),
    "NY-8.2": SKIP_A_GROUP,
    "NY-8.3": put(
        RULES,
        "return attack(now, seat, amount) if now.game.turn.inside_at_start else ()",
        "return attack(now, seat, amount)",
    ),
    "NY-8.4": NOTHING_IS_SOMETHING,
    "NY-8.5": put(CARDS, "return 1 if attacks else hit", "return 1 if mine else hit"),
    "NY-8.6": put(
        MOVING,
        "return hurt.by_attack and now.is_inside(hurt.seat) and not now.is_inside(hurt.dealer)",
        "return hurt.by_attack",
    ),
    # heal
    "NY-9.1": HEAL_OVERFLOWS,
    "NY-9.2": put(
        RULES,
        "return () if now.is_inside(seat) else (Heal(seat, amount),)",
        "return (Heal(seat, amount),)",
    ),
    "NY-9.3": put(
        RULES,
        "Heal(seat, reward.health),",
        "Heal(seat, 0 if my.now.is_inside(seat) else reward.health),",
    ),
    # destruction
    "NY-10.1": put(RULES, "spending.area or my.now.area(seat)", 'spending.area or "queens"'),
    "NY-10.2": put(
        RULES,
        'barred="forbidden" if not allowed else "short" if need > left else "",',
        'barred="forbidden" if not allowed else "short" if need > left + 1 else "",',
    ),
    "NY-10.3": put(RULES, "return _reward(my, smashed.seat, smashed.name)", "return None"),
    "NY-10.4": put(
        TILES,
        "units = (*borough.units, Unit(game.next_id, unit, game.turn.number))",
        "units = borough.units",
    ),
    "NY-10.5": put(RULES, "new = unit.turn == now.game.turn.number", "new = False"),
    "NY-10.6": put(
        TILES,
        "units = tuple(each for each in borough.units if each.id != self.unit)",
        "units = borough.units",
    ),
    "NY-10.7": put(
        RULES,
        "options = smashable(my.now, spending, borough)",
        'options = (*smashable(my.now, spending, borough), Option("stop"))',
    ),
    "NY-10.8": put(
        RULES,
        'return decided(Choice(seat, "destroy", options, "destroy", "NY-10.7", about))',
        'return decided(Choice(seat, "destroy", options, "destroy", "NY-10.7", about)) or '
        "GainStars(seat, spending.amount)",
    ),
    "NY-10.9": HEAL_OVERFLOWS,
    # celebrity
    "NY-11.1": put(RULES, "Asked(seat, card.name), 3):", "Asked(seat, card.name), 2):"),
    "NY-11.2": put(RULES, "GainStars(seat, amount - 2))", "GainStars(seat, amount - 1))"),
    "NY-11.3": put(
        RULES,
        "return (GainStars(seat, amount),)",
        "return (GainStars(seat, max(0, amount - 2)),)",
    ),
    "NY-11.4": put(
        RULES,
        "return (TakeGoal(seat, card.id, card.name, card.owner), GainStars(seat, amount - 2))",
        "return (LoseStars(max(card.owner, seat), 1), "
        "TakeGoal(seat, card.id, card.name, card.owner), GainStars(seat, amount - 2))",
    ),
    "NY-11.5": put(
        RULES,
        "if card.owner == seat:\n        return (GainStars",
        "if card.owner != TABLE:\n        return (GainStars",
    ),
    # Ouch!
    "NY-12.1": put(RULES, "hit: tuple[Seat, ...] = (seat,)", "hit: tuple[Seat, ...] = now.alive()"),
    "NY-12.2": put(
        RULES,
        "hit = tuple(s for s in living if now.area(s) == now.area(seat))",
        "hit = (seat,)",
    ),
    "NY-12.3": put(
        RULES, "    else:\n        hit = tuple(living)", "    else:\n        hit = (seat,)"
    ),
    "NY-12.4": put(
        RULES,
        "Damage(s, len(now.units(s)), by_ouch=True)",
        "Damage(s, amount * len(now.units(s)), by_ouch=True)",
    ),
    "NY-12.5": put(
        RULES,
        "Damage(s, len(now.units(s)), by_ouch=True)",
        "Damage(s, sum(u.turn != now.game.turn.number for u in now.units(s)), by_ouch=True)",
    ),
    "NY-12.6": put(
        STANDING,
        "return borough.units if borough is not None else ()",
        "return borough.units[: 1 if self.is_inside(seat) else 9] if borough is not None else ()",
    ),
    "NY-12.7": put(RULES, "_STATUE_STARS: Final = 3", "_STATUE_STARS: Final = 2"),
    "NY-12.8": put(RULES, "if amount < 3 or card.owner == seat:", "if amount < 3:"),
    "NY-12.9": NEGATIVE_STARS,
    "NY-12.10": put(
        RULES,
        "Damage(s, len(now.units(s)), by_ouch=True)",
        "Damage(s, len(now.units(s)), seat, by_attack=True, by_ouch=True)",
    ),
    "NY-12.11": put(
        RULES,
        "return (strike, TakeGoal(seat, card.id, card.name, card.owner))",
        "return (TakeGoal(seat, card.id, card.name, card.owner), strike)",
    ),
    # Manhattan
    "NY-13.1": put(RULES, "needs_alive=5,", "needs_alive=2,"),
    "NY-13.2": put(RULES, "entering_stars=1,", "entering_stars=2,"),
    "NY-13.3": put(
        RULES,
        "return MoveTo(seat, onward, How.ADVANCE) if onward is not None else None",
        "return None",
    ),
    "NY-13.4": put(RULES, '_zone("midtown", "upper", 2, 1)', '_zone("midtown", "upper", 1, 1)'),
    "NY-13.5": put(
        RULES,
        "return () if now.is_inside(seat) else (Heal(seat, amount),)",
        "return (Heal(seat, amount),)",
    ),
    "NY-13.6": put(
        MOVING,
        'barred="full" if now.room(name) <= 0 else "short" if lacking else "",',
        'barred="short" if lacking else "",',
    ),
    "NY-13.7": NOBODY_ENTERS,
    "NY-13.8": NOBODY_ENTERS,
    "NY-13.9": put(
        MOVING,
        "MoveTo(seat, name, How.FLEE), Claim(dealer))",
        "MoveTo(seat, name, How.FLEE), MoveTo(dealer, now.free_entry() or 'lower_2_4', How.ENTER))",
    ),
    "NY-13.10": NOBODY_ENTERS,
    "NY-13.11": EVERYONE_IS_ATTACKED,
    "NY-13.12": put(
        RULES,
        "ResolvePhase, MovePhase, BuyPhase, EndPhase)",
        "ResolvePhase, BuyPhase, MovePhase, EndPhase)",
    ),
    "NY-13.13": put(
        MOVING,
        "for name in now.rules.start_places\n",
        "for name in now.rules.start_places if name != now.game.monsters[dealer].place\n",
    ),
    # moving
    "NY-14.1": ONLY_ATTACKERS_ENTER,
    "NY-14.2": put(RULES, '(Option("stay"), *ways), window="move"', 'ways, window="move"'),
    "NY-14.3": put(RULES, "if place.inside:", "if place.inside and place.onward is not None:"),
    "NY-14.4": put(RULES, "Place(name, name, 2)", "Place(name, name, 3)"),
    "NY-14.5": put(RULES, "needs_alive=5,", "needs_alive=6,"),
    # cards
    "NY-15.1": ONE_PURCHASE,
    "NY-15.2": ONE_SWEEP,
    "NY-15.3": DISCARDS_STAY,
    "NY-15.4": NO_STARS_FOR_CARDS,
    "NY-15.5": put(
        RULES,
        "return price - (my.now.area(asked.seat) in my.rules.cards[asked.card].district)",
        "return price",
    ),
    "NY-15.6": put(
        STANDING,
        "seat, self.rules.health)",
        "seat, self.rules.health + len(self.game.in_play.cards))",
    ),
    "NY-15.7": EVERYONE_IS_ATTACKED,
    "NY-15.8": DISCARDS_ARE_LOST,
    "NY-15.9": put(
        COMMON,
        "return allowed if asked.card != my.name or did else 0",
        "return allowed",
    ),
    # elimination and the end
    "NY-16.1": FALLING_BELOW_ZERO,
    "NY-16.2": THE_DEAD_KEEP_ENERGY,
    "NY-16.3": ONE_DIES,
    "NY-16.4": NEGATIVE_STARS,
    "NY-17.1": CHECK_BEFORE_THE_END,
    "NY-17.2": (
        *put(NUMBERS, "            reached=None,\n", ""),
        *put(TURN, "if m.alive and m.reached is not None", "if m.reached is not None"),
    ),
    "NY-17.3": THE_LAST_MUST_HAVE_STARS,
    "NY-17.4": A_WINNER_AMONG_THE_DEAD,
    "NY-17.5": ONLY_THE_ACTIVE_WINS,
    "NY-17.6": put(
        CHANGE, "    if stars < goal:\n", "    if stars < goal and monster.reached is None:\n"
    ),
    "NY-17.7": LAST_TO_GOAL,
    "NY-17.8": put(
        TURN,
        "my.now.after(turn.seat if follows is None else follows)",
        "turn.seat if follows is None else follows",
    ),
    # five and six
    "NY-18.1": put(MOVING, "inside, others = now.inside(),", "inside, others = now.inside()[:1],"),
    "NY-18.2": ONLY_ATTACKERS_ENTER,
    "NY-18.3": put(
        RULES,
        "if now.game.turn.inside_at_start else ()",
        "if now.game.turn.inside_at_start and now.free_entry() is None else ()",
    ),
    "NY-18.4": put(
        STANDING,
        "tracks = self._tracks()\n",
        "tracks = {p.track for s in self.inside() if (p := self.place(s)) and p.entry}\n",
    ),
    "NY-18.5": put(
        RULES, 'onward=onward and f"{onward}_5_6",', 'onward=onward and f"{onward}_2_4",'
    ),
    "NY-18.6": TRACKS_IN_SEAT_ORDER,
    "NY-18.7": NO_SLIDE,
    "NY-18.8": NOBODY_LEAVES,
    "NY-18.9": put(MOVING, "slid = slide(my.now)", "slid: tuple[Step, ...] = ()"),
    "NY-18.10": put(
        MOVING,
        "if move.how is How.ENTER else None",
        "if move.how in (How.ENTER, How.SLIDE) else None",
    ),
    "NY-18.11": put(
        STANDING,
        "if place.track not in tracks and self.is_usable(place):",
        "if place.track not in tracks:",
    ),
    # words
    "NY-19.1": NOTHING_IS_SOMETHING,
    "NY-19.2": put(
        NUMBERS,
        "health = max(0, before - self.amount)",
        "health = max(0, before - self.amount - 1)",
    ),
    "NY-19.3": put(MOVING, "MoveTo(seat, name, How.FLEE), Claim(dealer))", "Claim(dealer))"),
    "NY-19.4": FALLING_BELOW_ZERO,
    "NY-19.5": ONE_DIE_A_REROLL,
    # decisions
    "NY-G1": put(
        RULES,
        "living = (s for s in now.clockwise(seat) if now.is_alive(s))",
        "living = iter(now.alive())",
    ),
}
