/** How a Monster fell, which its player watches from then on; how a game ended, in words and in order. */
import { computed, signal } from "@preact/signals";
import type { Change, GameEnd, NewsLine, SeatView, StoryView } from "../wire";
import { keep, recall } from "./prefs";
import { game, names, seatOf, view, you } from "./table";
import { acting, type SeatAt, storedSeat } from "./turn";
import { t } from "./words";

export interface Fall {
  readonly seat: number;
  /** The command it fell by. */
  readonly act: number;
  /** What hurt it last, and its health before and after. */
  readonly hit: NewsLine | null;
  readonly change: Change | null;
}

/** Who fell by the commands of this news, those of the newest first. */
export function fallsOf(happened: readonly NewsLine[]): readonly Fall[] {
  const isOut = (one: NewsLine) => one.words.key === "happened.out";
  return happened.filter(isOut).map(({ words, act }) => {
    const seat = Number(words.args.seat);
    const hurt = happened.filter((one) => !isOut(one) && one.hurt.includes(seat));
    const health = (one: NewsLine) =>
      one.changes.find((change) => change.seat === seat && change.what === "health");
    const hit = hurt.find((one) => health(one)?.after === 0) ?? hurt[0] ?? null;
    return { seat, act, hit, change: (hit && health(hit)) ?? null };
  });
}

const BACKED = "monster-table.backed";
const chosenToBack = signal<SeatAt | null>(storedSeat(BACKED));

/** The seat whose Monster a player who is out watches, while that lives. */
export const backed = computed<number | null>(() => {
  const now = chosenToBack.value;
  if (now === null || now.table !== view.value?.table || ownFall.value === "") return null;
  return seatOf(now.seat)?.alive ? now.seat : null;
});

/** Watch that seat's Monster from now on. */
export function back(seat: number): void {
  chosenToBack.value = { table: view.value?.table ?? "", seat };
  keep(BACKED, JSON.stringify(chosenToBack.value));
}

const WATCHED = "monster-table.watched";
/** The fall of this phone's Monster after which its player watches on. */
const watched = signal(recall(WATCHED));

/** Tells this phone's Monster's fall from any other; empty while it lives. */
const ownFall = computed<string>(() => {
  const own = seatOf(you.value.seat);
  if (own === null || own.alive) return "";
  return `${view.value?.table}:${own.seat}:${own.died_turn}`;
});

/** Whether this phone's Monster has fallen and its player has not gone on to watch. */
export const isOut = computed(() => ownFall.value !== "" && ownFall.value !== watched.value);

export function watchOn(): void {
  watched.value = ownFall.value;
  keep(WATCHED, ownFall.value);
}

/** The seat whose numbers this phone shows as its own. */
export const shownSeat = computed(
  () => acting.value ?? backed.value ?? you.value.seat ?? game.value?.active ?? 0,
);

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

/** Where the game turned, for its graph; null where it did not. */
export function turnedMark({ chance, turning_point }: StoryView) {
  const at = chance.findIndex(({ turn }) => turn === turning_point?.turn);
  return at < 0 ? null : { at, words: t("over.turn", { turn: chance[at]?.turn ?? 0 }) };
}
