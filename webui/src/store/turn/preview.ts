/** What dice would do, asked of the table: the phone computes no rule. */
import { signal } from "@preact/signals";
import type { Face, PreviewAnswer, Proposal, Question } from "../../wire";
import { api } from "../server/api";
import { fixes } from "./turn";

interface Foretold {
  readonly key: string;
  readonly answer: PreviewAnswer;
}

/** The newest answer, with what it was asked about. */
export const foretold = signal<Foretold | null>(null);
let wanted = "";

/** Dice, which of them were thrown again, and the order they are to be resolved in. */
export interface Asked {
  readonly faces: readonly Face[];
  readonly rethrown: readonly number[];
  readonly order: readonly Face[];
}

export function keyOf(asked: Asked, rev: number): string {
  return `${rev}:${asked.faces.join(",")}:${asked.rethrown.join(",")}:${asked.order.join(",")}`;
}

/** Asks, unless the answer is there or on its way. Call it from an effect. */
export async function foretell(asked: Asked, rev: number): Promise<void> {
  const key = keyOf(asked, rev);
  if (key === wanted) return;
  wanted = key;
  const answer = await api.preview(asked);
  if (wanted !== key) return;
  if (answer.kind === "done") foretold.value = { key, answer: answer.value };
  else wanted = "";
}

/** The answer about exactly these dice, or null until it is there. */
export function previewOf(asked: Asked, rev: number): PreviewAnswer | null {
  return foretold.value?.key === keyOf(asked, rev) ? foretold.value.answer : null;
}

/** What the proposal itself foretells: as long as nothing was put right, and no price hangs on dice thrown again. */
export function ownForecast(question: Question, proposal: Proposal | null): PreviewAnswer | null {
  if (proposal === null || !question.main || question.showing.length > 0) return null;
  if (Object.keys(fixes.value).length > 0) return null;
  const faces = proposal.rows.map((row) => row.face);
  const order = faces.filter((face, index) => faces.indexOf(face) === index);
  return {
    rows: proposal.rows,
    order,
    merges: proposal.merges,
    changes: [],
    lacking: 0,
    entering: proposal.entering,
    outcomes: proposal.outcomes,
  };
}
