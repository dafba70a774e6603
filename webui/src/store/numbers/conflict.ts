/** A number that this phone set while another had just changed it: nothing is applied until somebody says what holds. */
import { signal } from "@preact/signals";
import type { Conflict } from "../../wire";
import { closeSheet, openSheet } from "../phone/route";

export interface OpenConflict {
  readonly conflict: Conflict;
  /** The revision it was found at: what is chosen applies to that moment alone. */
  readonly rev: number;
}

export const openConflict = signal<OpenConflict | null>(null);

export function showConflict(conflict: Conflict, rev: number): void {
  openConflict.value = { conflict, rev };
  openSheet({ kind: "conflict" });
}

/** Leave the number as it is. */
export function endConflict(): void {
  openConflict.value = null;
  closeSheet();
}
