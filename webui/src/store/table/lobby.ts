/** How far the host is with setting the table. */
import { signal } from "@preact/signals";

export const step = signal<"seats" | "start">("seats");
/** Who starts, as far as it is said. */
export const first = signal<number | null>(null);

export function goToStep(next: "seats" | "start"): void {
  step.value = next;
}

export function chooseFirst(seat: number): void {
  first.value = seat;
}

/** A table set anew: with the same people playing on, only who starts is open. */
export function beginAt(where: "seats" | "start"): void {
  step.value = where;
  first.value = null;
}
