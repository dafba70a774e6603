/** Drafts: what was entered and not yet sent, kept across a reload with what it is about. */
import { computed, signal } from "@preact/signals";
import type { Face } from "../../wire";
import { seatOf, view } from "../table/table";

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

export interface OrderDraft {
  /** The table, question and faces that it orders. */
  readonly of: string;
  readonly order: readonly Face[];
}

export const orderDraft = signal<OrderDraft | null>(stored());

function stored(): OrderDraft | null {
  const found: Kept<readonly Face[]> | null = kept("order");
  return found === null ? null : { of: found.of, order: found.value };
}

/** Store the draft; null discards it. */
export function draftOrder(draft: OrderDraft | null): void {
  orderDraft.value = draft;
  if (draft === null) forget("order");
  else remember("order", draft.of, draft.order);
}

/** Return the order with the face at `index` moved by `by` places. */
export function moved(order: readonly Face[], index: number, by: number): readonly Face[] {
  const next = [...order];
  const [one] = next.splice(index, 1);
  if (one !== undefined) next.splice(index + by, 0, one);
  return next;
}

export interface AheadDraft {
  readonly seat: number;
  readonly flee: number | null;
  readonly stay: number | null;
  readonly to: string;
}

const draft = signal<Kept<AheadDraft> | null>(kept("ahead"));

/** What a draft of this seat is about: the table, and what is set ahead now. */
function aboutSeat(seat: number): string {
  const set = seatOf(seat)?.ahead ?? null;
  return `${view.value?.table ?? ""}:${seat}:${JSON.stringify(set)}`;
}

/** The draft; null where there is none, or something else was set ahead since. */
export const aheadDraft = computed<AheadDraft | null>(() => {
  const found = draft.value;
  return found !== null && found.of === aboutSeat(found.value.seat) ? found.value : null;
});

/** Store the draft; null discards it. */
export function draftAhead(value: AheadDraft | null): void {
  draft.value = value === null ? null : { of: aboutSeat(value.seat), value };
  if (draft.value === null) forget("ahead");
  else remember("ahead", draft.value.of, draft.value.value);
}
