/** A number set by hand: shown at once, until the table has answered; a drastic one is asked about first. */
import { signal } from "@preact/signals";
import type { Drastic, Number as What, Words } from "../../wire";
import { correct } from "./acts";

/** The number that was entered and not yet confirmed by the service; null: none. */
export const dialled = signal<number | null>(null);

/** A number that was entered and is not sent until somebody says so. */
export interface Held {
  readonly seat: number;
  readonly what: What;
  readonly value: number;
  readonly outcomes: readonly Words[];
}

export const held = signal<Held | null>(null);

/** Show the number and send it as a correction; where it is among the `drastic`, ask first. */
export function dial(seat: number, what: What, value: number, drastic: readonly Drastic[]): void {
  const found = drastic.find((one) => one.value === value);
  if (found !== undefined) held.value = { seat, what, value, outcomes: found.outcomes };
  else send(seat, what, value);
}

function send(seat: number, what: What, value: number): void {
  held.value = null;
  dialled.value = value;
  correct({ seat, what, value });
}

/** Send the number that was asked about. */
export function dialAnyway(): void {
  const now = held.value;
  if (now !== null) send(now.seat, now.what, now.value);
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
