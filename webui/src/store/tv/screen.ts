/** The newest view of this screen, a television or an overlay, and the state of its line to the service. */
import { signal } from "@preact/signals";
import type { SeatView, ViewerKind, ViewerView } from "../../wire";
import { setNamer, t } from "../words";

export type TvLine = "opening" | "live" | "lost";

/** Both kinds share one page; the address tells which this is. */
export const kind: ViewerKind = window.location.pathname === "/overlay" ? "overlay" : "tv";

/** null: nothing received yet, or not let in. */
export const view = signal<ViewerView | null>(null);
export const line = signal<TvLine>("opening");
/** Whether the service does not let this screen in. */
export const outside = signal(false);
/** `Date.now()` of the last message, heartbeats included. */
export const heardAt = signal(0);

/** Record a message: the line is alive. */
export function markHeard(): void {
  heardAt.value = Date.now();
  line.value = "live";
}

export function markLost(): void {
  line.value = "lost";
}

export function show(fresh: ViewerView): void {
  outside.value = false;
  view.value = fresh;
}

/** Show nothing of the table any more: the token is not valid. */
export function shut(): void {
  outside.value = true;
  view.value = null;
}

export function seatOf(seat: number | null | undefined): SeatView | null {
  return view.value?.game?.seats.find((one) => one.seat === seat) ?? null;
}

function playerName(seat: number): string {
  const here = seatOf(seat) ?? view.value?.lobby?.seats[seat];
  return here?.player || t("seat.default", { count: seat + 1 });
}

function monsterName(seat: number): string {
  const art = seatOf(seat)?.monster ?? view.value?.lobby?.seats[seat]?.monster;
  return art === undefined ? playerName(seat) : t(`monster.${art}`);
}

export const names = { player: playerName, monster: monsterName };

setNamer({
  ...names,
  game: () => view.value?.game?.game ?? view.value?.lobby?.game ?? "",
  edition: () => view.value?.game?.edition ?? view.value?.lobby?.edition ?? "",
  mine: () => null,
});
