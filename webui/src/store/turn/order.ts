/** The draft of an order of groups; it survives a change of tabs and a reload. */
import { signal } from "@preact/signals";
import type { Face } from "../../wire";
import { forget, type Kept, kept, remember } from "./typed";

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
