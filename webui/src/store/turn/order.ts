/** The draft of an order of groups; it survives a change of tabs. */
import { signal } from "@preact/signals";
import type { Face } from "../../wire";

export interface OrderDraft {
  /** The question and faces that it orders. */
  readonly of: string;
  readonly order: readonly Face[];
}

export const orderDraft = signal<OrderDraft | null>(null);

/** Store the draft; null discards it. */
export function draftOrder(draft: OrderDraft | null): void {
  orderDraft.value = draft;
}

/** Return the order with the face at `index` moved by `by` places. */
export function moved(order: readonly Face[], index: number, by: number): readonly Face[] {
  const next = [...order];
  const [one] = next.splice(index, 1);
  if (one !== undefined) next.splice(index + by, 0, one);
  return next;
}
