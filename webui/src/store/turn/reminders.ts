/** Reminders and tasks, and those that this phone has ticked off. */
import { signal } from "@preact/signals";
import type { Hand, Reminder } from "../../wire";
import { game, you } from "../table/table";
import { acting } from "./turn";

/** Reminders and tasks this phone has ticked off, by id. */
export const ticked = signal<ReadonlySet<string>>(new Set());

export function tick(id: string, on = true): void {
  const next = new Set(ticked.value);
  if (on) next.add(id);
  else next.delete(id);
  ticked.value = next;
}

/** Whether this phone shows what concerns this seat (null: everybody). */
export function concernsMe(seat: number | null): boolean {
  return seat === null || seat === (acting.value ?? you.value.seat);
}

export function openReminders(): readonly Reminder[] {
  return (game.value?.reminders ?? []).filter(
    (one) => concernsMe(one.seat) && !ticked.value.has(one.id),
  );
}

export function openTasks(): readonly Hand[] {
  return (game.value?.hands ?? []).filter((one) => !ticked.value.has(one.id));
}
