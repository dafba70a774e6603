/** The newest view, this phone's role, and when the last message came. */
import { computed, effect, signal } from "@preact/signals";
import type { GameView, NewsLine, SeatView, Update, View, You } from "../wire";
import { keep, recall } from "./prefs";
import { monsterName, setNamer, t } from "./words";

export type Line = "opening" | "live" | "lost";

/** null: not joined, or nothing received yet (`line` tells which). */
export const update = signal<Update | null>(null);
/** Whether the service does not know this browser. */
export const stranger = signal(false);
export const line = signal<Line>("opening");
/** `Date.now()` of the last message, heartbeats included. */
export const lastMessageAt = signal(0);

export const view = computed<View | null>(() => update.value?.view ?? null);
export const STRANGER: You = {
  role: "stranger",
  seat: null,
  id: "",
  before: null,
  asks: null,
  kept: null,
  question: null,
  ahead: null,
};
export const you = computed<You>(() => update.value?.you ?? STRANGER);
/** The game as the table tells it; sentences refer to it. */
const newest = computed<GameView | null>(() => view.value?.game ?? null);
/**
 * The game; a seat that may answer before its turn to be asked, or is asked what it alone may know, sees its own
 * question as the open one, and seats without a name, as those of demo dice are, are numbered.
 */
export const game = computed<GameView | null>(() => {
  const now = newest.value;
  if (now === null) return null;
  const early = now.early?.seat === you.value.seat ? now.early : null;
  const own = you.value.question ?? early;
  const nameless = now.seats.some((seat) => seat.player === "");
  if (own === null && !nameless) return now;
  const seats = nameless ? now.seats.map(numbered) : now.seats;
  return { ...now, seats, question: own ?? now.question };
});

function numbered(seat: SeatView): SeatView {
  return { ...seat, player: seat.player || t("seat.default", { count: seat.seat + 1 }) };
}

let held: Update | null = null;
let pressed = false;

/**
 * Show the update unless a newer one is shown: a response may be older than the stream. While a finger is down it
 * waits, so that nothing changes under it.
 */
export function show(fresh: Update): void {
  lastMessageAt.value = Date.now();
  const newest = held ?? update.value;
  if (newest !== null && newest.run === fresh.run && fresh.number < newest.number) return;
  stranger.value = fresh.you.role === "stranger";
  const people = fresh.view.people ?? newest?.view.people ?? null;
  const whole = { ...fresh, view: { ...fresh.view, people } };
  if (pressed) held = whole;
  else update.value = whole;
}

/** Hold updates back while a finger is down. */
export function watchFingers(): void {
  const release = () => {
    // After the click that belongs to the release.
    window.setTimeout(() => {
      pressed = false;
      if (held !== null) update.value = held;
      held = null;
    }, 0);
  };
  window.addEventListener("pointerdown", () => (pressed = true), { capture: true, passive: true });
  for (const kind of ["pointerup", "pointercancel", "blur"]) {
    window.addEventListener(kind, release, { capture: true, passive: true });
  }
}

export function seatOf(seat: number | null): SeatView | null {
  return seat === null ? null : (game.value?.seats.find((one) => one.seat === seat) ?? null);
}

/** Sentences in the order in which it happened. */
export function inOrder(lines: readonly NewsLine[]): readonly NewsLine[] {
  return [...lines].sort((one, other) => one.act - other.act || one.step - other.step);
}

function spokenOf(seat: number): SeatView | null {
  const past = earlier.value;
  return past === null ? seatOf(seat) : (past.seats[seat] ?? null);
}

function playerName(seat: number): string {
  const named = spokenOf(seat)?.player || view.value?.lobby?.seats[seat]?.player;
  return named || t("seat.default", { count: seat + 1 });
}

function monsterOfSeat(seat: number): string {
  const one = spokenOf(seat) ?? view.value?.lobby?.seats[seat];
  return one === undefined ? playerName(seat) : monsterName(one);
}

export const names = { player: playerName, monster: monsterOfSeat };

setNamer({
  player: playerName,
  monster: monsterOfSeat,
  game: () => (earlier.value ?? newest.value)?.game ?? view.value?.lobby?.game ?? "",
  edition: () => (earlier.value ?? newest.value)?.edition ?? view.value?.lobby?.edition ?? "",
  mine: () => (earlier.value === null ? you.value.seat : null),
});

/** Whether it is choosing a seat; it may have one. */
export const seatPicking = signal(false);
/** Keep the seat that this phone has. */
export function keepSeat(): void {
  seatPicking.value = false;
}

const WATCH = "monster-table.watch";
/** Whether it wants no seat, as long as its tab is open. */
export const justWatch = signal(recall(WATCH, "sessionStorage") === "1");
effect(() => keep(WATCH, justWatch.value ? "1" : "", "sessionStorage"));

const earlier = signal<GameView | null>(null);
/** Whether sentences refer to an earlier game. */
export const looksBack = computed(() => earlier.value !== null);

/** Set the earlier game; null: sentences refer to the current one. */
export function setPastGame(one: GameView | null): void {
  earlier.value = one;
}
