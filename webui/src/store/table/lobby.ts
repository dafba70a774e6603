/** The host's progress in setting up the table. */
import { signal } from "@preact/signals";

export const step = signal<"seats" | "start">("seats");
/** The seat that starts, where it is chosen. */
export const first = signal<number | null>(null);
/** The seat that came last in the game before, and is proposed to start. */
export const last = signal<number | null>(null);

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
