/** Manual entries for the open question, kept across a reload. */
import type { Face } from "../../wire";

export interface Typed {
  readonly tapped: readonly Face[];
  readonly thrown: Readonly<Record<number, Face | null>>;
  readonly byHand: boolean;
  readonly letters: string;
}

const KEY = "monster-table.typed";

export function remember(question: string, typed: Typed): void {
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify({ question, typed }));
  } catch {
    // It lasts as long as the page then.
  }
}

export function forget(): void {
  try {
    window.sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was stored.
  }
}

/** Return the entries for this question; null where there are none. */
export function recalled(question: string): Typed | null {
  try {
    const kept = JSON.parse(window.sessionStorage.getItem(KEY) ?? "null") as {
      question: string;
      typed: Typed;
    } | null;
    return kept?.question === question && question !== "" ? kept.typed : null;
  } catch {
    return null;
  }
}
