/** What dice would do, asked of the table: the phone computes no rule. */
import { signal } from "@preact/signals";
import { api } from "./api";
import type { Face, PreviewAnswer } from "../wire";

interface Foretold {
  readonly key: string;
  readonly answer: PreviewAnswer;
}

/** The newest answer, with what it was asked about. */
export const foretold = signal<Foretold | null>(null);
let wanted = "";

function keyOf(faces: readonly Face[], order: readonly Face[], rev: number): string {
  return `${rev}:${faces.join(",")}:${order.join(",")}`;
}

/** Asks, unless the answer is there or on its way. Call it from an effect. */
export async function foretell(faces: readonly Face[], order: readonly Face[], rev: number): Promise<void> {
  const key = keyOf(faces, order, rev);
  if (key === wanted) return;
  wanted = key;
  const answer = await api.preview({ faces: [...faces], order: [...order] });
  if (wanted !== key) return;
  if (answer.kind === "done") foretold.value = { key, answer: answer.value };
  else wanted = "";
}

/** The answer about exactly these dice, or null until it is there. */
export function told(faces: readonly Face[], order: readonly Face[], rev: number): PreviewAnswer | null {
  return foretold.value?.key === keyOf(faces, order, rev) ? foretold.value.answer : null;
}
