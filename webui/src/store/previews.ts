/** Previews of dice, computed by the service. */
import { signal } from "@preact/signals";
import type { Face, PreviewAnswer, Proposal, Question } from "../wire";
import { api } from "./api";
import { fixes } from "./turn";

type LatestPreview = Readonly<{ key: string; answer: PreviewAnswer }>;

/** The newest preview, with the key of its query. */
export const latestPreview = signal<LatestPreview | null>(null);
let wanted = "";

/** Dice, which of them were rerolled, and the order of their groups. */
export interface PreviewQuery {
  readonly faces: readonly Face[];
  readonly rethrown: readonly number[];
  readonly order: readonly Face[];
}

export function keyOf(query: PreviewQuery, rev: number): string {
  return `${rev}:${query.faces.join(",")}:${query.rethrown.join(",")}:${query.order.join(",")}`;
}

/** Fetch a preview unless it is there or being fetched. Call it from an effect. */
export async function fetchPreview(query: PreviewQuery, rev: number): Promise<void> {
  const key = keyOf(query, rev);
  if (key === wanted) return;
  wanted = key;
  const answer = await api.preview(query);
  if (wanted !== key) return;
  if (answer.kind === "done") latestPreview.value = { key, answer: answer.value };
  else wanted = "";
}

/** Return the preview of exactly these dice; null until it is there. */
export function previewOf(query: PreviewQuery, rev: number): PreviewAnswer | null {
  return latestPreview.value?.key === keyOf(query, rev) ? latestPreview.value.answer : null;
}

/** Return the preview that came with the proposal; null where a face was corrected or dice were rerolled. */
export function proposalPreview(
  question: Question,
  proposal: Proposal | null,
): PreviewAnswer | null {
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
    ends: proposal.ends,
    reasons: [],
  };
}

const MOST_ORDERS = 40;
const asked = new Set<string>();

/** Previews of orders of the dice on the screen, with the reasons for them, by the keys of their queries. */
export const orderPreviews = signal<ReadonlyMap<string, PreviewAnswer>>(new Map());

/** Fetch the preview of an order with its reasons, unless it is there or being fetched. Call it from an effect. */
export async function fetchOrder(query: PreviewQuery, rev: number): Promise<void> {
  const key = keyOf(query, rev);
  if (asked.has(key)) return;
  if (asked.size >= MOST_ORDERS) {
    asked.clear();
    orderPreviews.value = new Map();
  }
  asked.add(key);
  const answer = await api.preview({ ...query, why: true });
  if (answer.kind === "done")
    orderPreviews.value = new Map([...orderPreviews.value, [key, answer.value]]);
  else asked.delete(key);
}
