/** The order of groups that is being made: it outlives a look elsewhere. */
import { signal } from "@preact/signals";
import type { Face } from "../../wire";

export interface OrderDraft {
  /** The question and the faces that it is an order of. */
  readonly of: string;
  readonly order: readonly Face[];
}

export const orderDraft = signal<OrderDraft | null>(null);

/** Keep the draft; null: it is chosen. */
export function draftOrder(draft: OrderDraft | null): void {
  orderDraft.value = draft;
}

/** The order with the face at `index` moved by so many places. */
export function moved(order: readonly Face[], index: number, by: number): readonly Face[] {
  const next = [...order];
  const [one] = next.splice(index, 1);
  if (one !== undefined) next.splice(index + by, 0, one);
  return next;
}
