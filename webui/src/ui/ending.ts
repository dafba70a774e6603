/** How a game ended, in words and in order. */
import { names } from "../store/table";
import { t } from "../store/words";
import type { GameEnd, SeatView, StoryView } from "../wire";

/** The headline of an end; `mine`: the seat that it speaks to. */
export function endWords(winners: readonly number[], mine: number | null = null): string {
  const [first] = winners;
  if (mine !== null && winners.includes(mine))
    return t(winners.length === 1 ? "head.you_win" : "head.you_share");
  if (first === undefined) return t("head.nobody");
  if (winners.length === 1) return t("head.wins", { monster: first });
  return t("head.share", { names: winners.map(names.monster).join(" + ") });
}

/** The winners first, then who is alive, then by stars. */
export function ranked(seats: readonly SeatView[], ended: GameEnd | null): readonly SeatView[] {
  const won = (seat: SeatView) => Number(ended?.winners.includes(seat.seat) ?? false);
  return [...seats].sort(
    (a, b) =>
      won(b) - won(a) ||
      Number(b.alive) - Number(a.alive) ||
      b.stars - a.stars ||
      (b.died_turn ?? 0) - (a.died_turn ?? 0),
  );
}

/** Where the game turned, for its graph; null if it did not. */
export function turnedMark({ chance, turning_point }: StoryView) {
  const at = chance.findIndex(({ turn }) => turn === turning_point?.turn);
  return at < 0 ? null : { at, words: t("over.turn", { turn: chance[at]?.turn ?? 0 }) };
}
