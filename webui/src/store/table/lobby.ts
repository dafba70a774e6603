/** The host's progress in setting up the table. */
import { computed, signal } from "@preact/signals";
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

/** What this phone sent last, and in which command. */
const sent = signal<(TableChange & { readonly id: string }) | null>(null);

/**
 * The lobby as this phone has set it, though the view may not show that yet: the next change is made to this one, and
 * so loses none that is on its way.
 */
export const lobby = computed<Lobby | null>(() => {
  const seen = view.value?.lobby ?? null;
  const last = sent.value;
  if (seen === null || last === null) return seen;
  const { id, seats, ...other } = last;
  const waiting = pendingCommands.value.some(({ command }) => command.command_id === id);
  const accepted = done.value?.table === view.value?.table ? (done.value?.rev ?? 0) : 0;
  if (!waiting && accepted <= (view.value?.rev ?? 0)) return seen;
  const drafts = seats.map((seat, index) => ({
    ...(seen.seats[index] ?? { taken: false, phones: 0 }),
    ...seat,
  }));
  return { ...seen, ...other, seats: drafts };
});

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
  sent.value = { ...next, id };
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
