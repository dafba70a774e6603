/** The host's progress in setting up the table. */
import { computed, effect, signal } from "@preact/signals";
import type { Lobby, SeatSetup } from "../../wire";
import { done, pendingCommands, send } from "../server/outbox";
import { view } from "./table";

export const step = signal<"seats" | "start">("seats");
/** The seat that starts, where it is chosen. */
export const first = signal<number | null>(null);
/** The seat that came last in the game before, and is proposed to start. */
export const last = signal<number | null>(null);

export interface TableChange {
  readonly game: string;
  readonly edition: string;
  readonly house: readonly string[];
  readonly seats: readonly SeatSetup[];
}

/** What this phone sent last, for which table, and in which command. */
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
    ...seat,
  }));
  return { ...seen, ...other, seats: drafts };
});

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

/** Send the changed set-up: every phone sees it, nothing has started. */
export function setTable(change: Partial<TableChange>): void {
  const now = lobby.value;
  if (now === null) return;
  const { game, edition, house, seats } = { ...now, ...change };
  const next = {
    game,
    edition,
    house: [...house],
    seats: seats.map(({ player, monster }) => ({ player, monster })),
  };
  const id = send({ key: "act.set_table", args: {} }, [{ type: "TableSet", ...next }]);
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
