/** A number set by hand: shown at once, until the table has answered. */
import { signal } from "@preact/signals";
import type { Number as What } from "../../wire";
import { correct } from "./acts";

/** What thumbs have asked for and the table has not yet said; null: nothing. */
export const dialled = signal<number | null>(null);

/** Show the number and send it as a correction. */
export function dial(seat: number, what: What, value: number): void {
  dialled.value = value;
  correct({ seat, what, value });
}

/** The table has answered: its number counts. */
export function endDial(): void {
  dialled.value = null;
}
