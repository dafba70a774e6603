/** The answer set ahead that is being made and not yet sent: a question that comes in between does not lose it. */
import { signal } from "@preact/signals";

export interface AheadDraft {
  readonly seat: number;
  readonly flee: number | null;
  readonly stay: number | null;
  readonly to: string;
}

export const aheadDraft = signal<AheadDraft | null>(null);

/** Keep the draft; null: it is sent or given up. */
export function draftAhead(draft: AheadDraft | null): void {
  aheadDraft.value = draft;
}
