/** A number set by hand: shown at once, until the table has answered; a drastic one is asked about first. */
import { signal } from "@preact/signals";
import type { Drastic, Number as What, Words } from "../../wire";
import { correct } from "../turn/acts";

/** The number that was entered and not yet confirmed by the service; null: none. */
export const dialled = signal<number | null>(null);

/** A number that was entered and is not sent until somebody says so. */
export interface Held {
  readonly seat: number;
  readonly what: What;
  readonly value: number;
  readonly outcomes: readonly Words[];
  /** The revision that the user saw; null: the newest. */
  readonly from: number | null;
}

export const held = signal<Held | null>(null);

/**
 * Show the number and send it as a correction; where it is among the `drastic`, ask first. `from`: the revision that the
 * user saw, where it is not the newest.
 */
export function dial(
  seat: number,
  what: What,
  value: number,
  drastic: readonly Drastic[],
  from: number | null = null,
): void {
  const found = drastic.find((one) => one.value === value);
  const next = { seat, what, value, outcomes: found?.outcomes ?? [], from };
  if (found !== undefined) held.value = next;
  else send(next);
}

function send({ seat, what, value, from }: Held): void {
  held.value = null;
  dialled.value = value;
  correct({ seat, what, value }, from);
}

/** Send the number that was asked about. */
export function dialAnyway(): void {
  if (held.value !== null) send(held.value);
}

/** Leave the number as it is. */
export function letBe(): void {
  held.value = null;
}

/** Show the service's number again. */
export function endDial(): void {
  dialled.value = null;
}

/** Return the whole number that was typed; null where it is none, or beyond the limit. */
export function typedNumber(text: string, most: number | null): number | null {
  if (!/^\d{1,3}$/.test(text.trim())) return null;
  const value = Number(text);
  return most !== null && value > most ? null : value;
}
