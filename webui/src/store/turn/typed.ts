/** Drafts: what was entered and not yet sent, kept across a reload with what it is about. */

/** What a draft may be of: each kind is kept once. */
export type DraftKind = "typed" | "put-right" | "order" | "ahead";

export interface Kept<T> {
  /** The table with the question, dice or seat that it is about. */
  readonly of: string;
  readonly value: T;
}

function keyOf(kind: DraftKind): string {
  return `monster-table.draft.${kind}`;
}

export function remember<T>(kind: DraftKind, of: string, value: T): void {
  try {
    window.sessionStorage.setItem(keyOf(kind), JSON.stringify({ of, value }));
  } catch {
    // It lasts as long as the page then.
  }
}

export function forget(kind: DraftKind): void {
  try {
    window.sessionStorage.removeItem(keyOf(kind));
  } catch {
    // Nothing was stored.
  }
}

/** Return the draft of this kind, whatever it is about; null where there is none. */
export function kept<T>(kind: DraftKind): Kept<T> | null {
  try {
    const found = JSON.parse(window.sessionStorage.getItem(keyOf(kind)) ?? "null");
    return found !== null && typeof found.of === "string" ? (found as Kept<T>) : null;
  } catch {
    return null;
  }
}

/** Return the draft about this; null where there is none. */
export function recalled<T>(kind: DraftKind, of: string): T | null {
  const found = kept<T>(kind);
  return found !== null && found.of === of && of !== "" ? found.value : null;
}
