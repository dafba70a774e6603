/** Games: setting one up, the earlier ones, and the final score kept on the screen. */
import { computed, effect, signal } from "@preact/signals";
import type { GameLine, GameView, Lobby, PastGame, Product, SeatSetup } from "../wire";
import { api } from "./api";
import { done, pendingCommands, send, took } from "./outbox";
import { closeSheet, go, openSheet, sheet, tab } from "./route";
import { game, setPastGame, show, view } from "./table";
import { isDemo, layDemoDice } from "./tray";

export const step = signal<"seats" | "start">("seats");
/** The seat that starts, if it is chosen. */
export const first = signal<number | null>(null);
/** The seat that came last in the game before, and is proposed to start. */
export const last = signal<number | null>(null);

export interface TableChange {
  readonly game: string;
  readonly edition: string;
  readonly house: readonly string[];
  readonly seats: readonly SeatSetup[];
}

interface Sent extends TableChange {
  readonly table: string;
  readonly id: string;
}

const sent = signal<Sent | null>(null);
/** The revision that it led to; 0: none yet, or it was refused. */
const accepted = signal(0);

effect(() => {
  const last = done.value;
  if (last !== null && last.command === sent.peek()?.id) accepted.value = last.rev;
});

/**
 * The lobby as this phone has set it, though the view may not show that yet: the next change is made to this one, and
 * so loses none that is on its way.
 */
export const lobby = computed<Lobby | null>(() => {
  const seen = view.value?.lobby ?? null;
  const last = sent.value;
  if (seen === null || last === null || last.table !== view.value?.table) return seen;
  const { id, table: _table, seats, ...other } = last;
  const waiting = pendingCommands.value.some(({ command }) => command.command_id === id);
  if (!waiting && accepted.value <= view.value.rev) return seen;
  const drafts = seats.map((seat, index) => ({
    ...(seen.seats[index] ?? { taken: false, phones: 0 }),
    called: "",
    ...seat,
  }));
  return { ...seen, ...other, seats: drafts };
});

/** The box that is set up. */
export function boxOf({ boxes, game }: Lobby): Product | undefined {
  return boxes.find((box) => box.game === game);
}

/** Where the seat of this place is afterwards: it may have another name or Monster by then; null: it is gone. */
function follow(
  place: number | null,
  before: readonly SeatSetup[],
  after: readonly SeatSetup[],
): number | null {
  const seat = place === null ? undefined : before[place];
  if (place === null || seat === undefined) return null;
  const there = after[place];
  if (there?.player === seat.player || there?.monster === seat.monster) return place;
  const found = after.findIndex(
    (one) => one.player === seat.player && one.monster === seat.monster,
  );
  return found < 0 ? null : found;
}

/** A seat as it is set: what was made of it is left out. */
export function seatSetup({ player, monster, called = "" }: SeatSetup): SeatSetup {
  return { player, monster, called };
}

/** Send the changed set-up: every phone sees it, nothing has started. */
export function setTable(change: Partial<TableChange>): void {
  const now = lobby.value;
  if (now === null) return;
  const { game, edition, house, seats } = { ...now, ...change };
  const next = { game, edition, house, seats: seats.map(seatSetup) };
  const id = send({ key: "act.set_table", args: {} }, [{ type: "TableSet", ...next }]);
  if (id === sent.peek()?.id) return;
  first.value = follow(first.value, now.seats, next.seats);
  last.value = follow(last.value, now.seats, next.seats);
  accepted.value = 0;
  sent.value = { ...next, id, table: view.value?.table ?? "" };
}

export function goToStep(next: "seats" | "start"): void {
  step.value = next;
}

export function chooseFirst(seat: number): void {
  first.value = seat;
}

/** Start setting up at this step; who starts is open again, but for the last of the game before. */
export function beginAt(where: "seats" | "start", lastPlace: number | null = null): void {
  step.value = where;
  first.value = lastPlace;
  last.value = lastPlace;
}

/** null: not fetched yet. */
export const games = signal<readonly GameLine[] | null>(null);
const fetchedGame = signal<PastGame | null>(null);
/** The final score of the previous game while the host sets up the next; kept until it is closed. */
export const score = signal<GameView | null>(null);

const OF_A_GAME: readonly string[] = ["past", "story", "picture"];

/** The earlier game of the open sheet; null until it is fetched. */
export const past = computed<PastGame | null>(() => {
  const open = sheet.value;
  const id = open !== null && OF_A_GAME.includes(open.kind) && "id" in open ? open.id : null;
  return fetchedGame.value?.id === id ? fetchedGame.value : null;
});

/** Open the list of games, freshly fetched. */
export async function openGames(): Promise<void> {
  openSheet({ kind: "games" });
  await took(api.games(), (found) => (games.value = found.games));
}

/** Open an earlier game, to view it. */
export async function openPastGame(id: string): Promise<void> {
  openSheet({ kind: "past", id });
  await took(api.past(id), (found) => (fetchedGame.value = found));
}

/** Continue that game on every phone. */
export async function resumeGame(id: string): Promise<void> {
  await took(api.resumeGame({ id }), (fresh) => {
    go("monster");
    show(fresh);
  });
}

let leaving = false;

/** Set up a new game with the same box and seats, or begin another with demo dice; the present one stays in the list. */
export function setUpAgain({ game: box, edition, house, ended }: GameView): void {
  const seats = view.value?.game?.seats ?? [];
  leaving = true;
  closeSheet();
  tab.value = "monster";
  if (ended !== null && isDemo.value && seats.some((seat) => seat.player === ""))
    return void layDemoDice(true);
  beginAt(ended === null ? "seats" : "start", ended?.last ?? null);
  send({ key: "act.again", args: {} }, [
    { type: "TableSet", game: box, edition, house, seats: seats.map(seatSetup) },
  ]);
}

export function leaveScore(): void {
  score.value = null;
}

/** Keep a final score on the screen when another phone sets up the next game. */
export function watchScore(): void {
  let table = "";
  let seen: GameView | null = null;
  effect(() => {
    const now = view.value;
    if (now !== null && now.table !== table) {
      const looking = tab.peek() === "monster" && sheet.peek() === null;
      if (seen !== null && looking && !leaving) score.value = seen;
      leaving = false;
      table = now.table;
    }
    seen = game.value?.ended ? game.value : null;
  });
  effect(() => setPastGame(score.value ?? past.value?.game ?? null));
}
