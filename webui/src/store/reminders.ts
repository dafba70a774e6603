/** Reminders and tasks, and which of them have gone quiet; who has fallen, and which Monster its player watches then. */
import { computed, effect, signal, untracked } from "@preact/signals";
import type { Change, Hand, LogRow, NewsLine, Reminder, View } from "../wire";
import { keep, recall } from "./prefs";
import { game, seatOf, view, you } from "./table";
import { acting, type SeatAt, storedSeat, tapped } from "./turn";

const KEY = "monster-table.obeyed";
const QUIET_AFTER = 3;
/** For how many turns a reminder that is gone may turn out to have been forgotten. */
const TURNS = 2;

/** How often each kind of reminder was obeyed since it was last forgotten. */
const obeyed = signal<Readonly<Record<string, number>>>(stored());

function stored(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(recall(KEY) ?? "{}") as Readonly<Record<string, number>>;
  } catch {
    return {};
  }
}

function count(kind: string, times: number): void {
  obeyed.value = { ...obeyed.value, [kind]: Math.min(times, QUIET_AFTER) };
  keep(KEY, JSON.stringify(obeyed.value));
}

export function isQuiet(one: Reminder): boolean {
  return one.numbers.length > 0 && (obeyed.value[one.words.key] ?? 0) >= QUIET_AFTER;
}

/** How many kinds of reminders have gone quiet. */
export function quietKinds(): number {
  return Object.values(obeyed.value).filter((times) => times >= QUIET_AFTER).length;
}

/** Show all reminders again. */
export function wakeReminders(): void {
  obeyed.value = {};
  keep(KEY, "{}");
}

/** Whether this phone shows what concerns this seat (null: everybody). */
export function concernsMe(seat: number | null): boolean {
  return seat === null || seat === (acting.value ?? you.value.seat);
}

interface Seen {
  readonly reminder: Reminder;
  /** The turn in which it went; null while it is there. */
  gone: number | null;
  forgotten: boolean;
}

const seen = new Map<string, Seen>();
let table = "";
let newest = 0;

/** Count what the number of this row is about as forgotten. */
function forget(row: LogRow): void {
  const wrong = new Set(row.changes.map((change) => change.what));
  for (const one of seen.values()) {
    if (!one.reminder.numbers.some((what) => wrong.has(what))) continue;
    one.forgotten = true;
    count(one.reminder.words.key, 0);
  }
}

/** Note the reminders that are there, and count those that went as obeyed. */
function settle(here: readonly Reminder[], turn: number, takenBack: boolean): void {
  const ids = new Set(here.map((one) => one.id));
  for (const [id, one] of seen) {
    if (one.gone === null && !ids.has(id)) {
      one.gone = turn;
      const kind = one.reminder.words.key;
      if (!one.forgotten && !takenBack) count(kind, (obeyed.value[kind] ?? 0) + 1);
    }
    if (one.gone !== null && one.gone < turn - TURNS) seen.delete(id);
  }
  for (const reminder of here)
    if (!seen.has(reminder.id)) seen.set(reminder.id, { reminder, gone: null, forgotten: false });
}

function follow(now: View): void {
  if (now.table !== table) {
    seen.clear();
    table = now.table;
    newest = now.log[now.log.length - 1]?.seq ?? 0;
  }
  const rows = now.log.filter((row) => row.seq > newest);
  newest = now.log[now.log.length - 1]?.seq ?? newest;
  for (const row of rows) if (row.corrected && !row.undone) forget(row);
  const here = (now.game?.reminders ?? []).filter(
    (one) => one.numbers.length > 0 && concernsMe(one.seat),
  );
  settle(here, now.game?.turn ?? 0, rows[rows.length - 1]?.sign === "undo");
}

/** Learn which reminders are obeyed. */
export function watchHabits(): void {
  effect(() => {
    const now = view.value;
    if (now !== null) untracked(() => follow(now));
  });
}

/** Reminders and tasks this phone has ticked off, by id. */
export const ticked = signal<ReadonlySet<string>>(new Set());

export function tick(id: string, on = true): void {
  const next = new Set(ticked.value);
  if (on) next.add(id);
  else next.delete(id);
  ticked.value = next;
}

export function openReminders(): readonly Reminder[] {
  return (game.value?.reminders ?? []).filter(
    (one) => concernsMe(one.seat) && !ticked.value.has(one.id) && !isQuiet(one),
  );
}

const ROLLING: readonly string[] = ["rolling", "settling", "read", "unsure"];

/** Whether the next roll has begun: what is left of the last one is said no more. */
function rollBegins(): boolean {
  const question = game.value?.question ?? null;
  if (question === null || question.kind !== "roll" || !question.main) return false;
  return tapped.value.length > 0 || ROLLING.includes(view.value?.tray.state ?? "");
}

/** All tasks, one's own first, then the table's, then those of others. */
export function tasks(): readonly Hand[] {
  if (rollBegins()) return [];
  const mine = you.value.seat;
  const rank = (one: Hand) => (one.seat === null ? 1 : one.seat === mine ? 0 : 2);
  return [...(game.value?.hands ?? [])].sort((one, other) => rank(one) - rank(other));
}

export function openTasks(): readonly Hand[] {
  return tasks().filter((one) => !ticked.value.has(one.id));
}

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

/** Shows who has fallen, one Monster after the other: each for `ms`, or until `next`. */
export function oneByOne(ms: number) {
  const falls = signal<readonly Fall[]>([]);
  let clock = 0;
  const show = (those: readonly Fall[]) => {
    window.clearTimeout(clock);
    falls.value = those;
    if (those.length > 0) clock = window.setTimeout(next, ms);
  };
  const next = () => show(falls.peek().slice(1));
  return { falls, show, next };
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
