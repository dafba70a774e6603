/** Reminders and tasks, and those that this phone has ticked off or need not see any more. */
import { signal } from "@preact/signals";
import type { Hand, Reminder } from "../../wire";
import { game, view, you } from "../table/table";
import { concernsMe, isQuiet } from "./habits";
import { tapped } from "./turn";

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
