/** The draft of an answer set ahead; neither an intervening question nor a reload discards it. */
import { computed, signal } from "@preact/signals";
import { seatOf, view } from "../table/table";
import { forget, type Kept, kept, remember } from "./typed";

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
