/** The draft of an answer set ahead; an intervening question does not discard it. */
import { signal } from "@preact/signals";

export interface AheadDraft {
  readonly seat: number;
  readonly flee: number | null;
  readonly stay: number | null;
  readonly to: string;
}

export const aheadDraft = signal<AheadDraft | null>(null);

/** Store the draft; null discards it. */
export function draftAhead(draft: AheadDraft | null): void {
  aheadDraft.value = draft;
}
