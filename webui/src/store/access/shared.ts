/** A second player on this phone: a seat without a phone of its own, which this one is asked for too. */
import { computed, signal } from "@preact/signals";
import { keep, recall } from "../phone/prefs";
import { seatOf, view, you } from "../table/table";

interface Shared {
  readonly table: string;
  readonly seat: number;
}

const KEY = "monster-table.shared";

function stored(): Shared | null {
  try {
    const old = JSON.parse(recall(KEY) ?? "null") as Partial<Shared> | null;
    return typeof old?.table === "string" && typeof old.seat === "number"
      ? { table: old.table, seat: old.seat }
      : null;
  } catch {
    return null;
  }
}

const chosen = signal<Shared | null>(stored());

/** The other seat of this phone, while it plays at this table and has no phone of its own. */
export const sharedSeat = computed<number | null>(() => {
  const now = chosen.value;
  if (now === null || now.table !== view.value?.table) return null;
  if (you.value.seat === null || you.value.seat === now.seat) return null;
  return (seatOf(now.seat)?.phones ?? 1) === 0 ? now.seat : null;
});

/** Let this phone be asked for that seat too; null: for none but its own. */
export function shareWith(seat: number | null): void {
  const table = view.value?.table ?? "";
  chosen.value = seat === null ? null : { table, seat };
  keep(KEY, JSON.stringify(chosen.value));
}
