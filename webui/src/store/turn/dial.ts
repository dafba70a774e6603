/** A number set by hand: shown at once, until the table has answered. */
import { signal } from "@preact/signals";
import type { Number as What } from "../../wire";
import { correct } from "./acts";

/** The number that was entered and not yet confirmed by the service; null: none. */
export const dialled = signal<number | null>(null);

/** Show the number and send it as a correction. */
export function dial(seat: number, what: What, value: number): void {
  dialled.value = value;
  correct({ seat, what, value });
}

/** Show the service's number again. */
export function endDial(): void {
  dialled.value = null;
}
