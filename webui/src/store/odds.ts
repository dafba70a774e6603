/** Odds and coach, where this phone has them switched on: for the decision of its own seat. */
import { computed, signal } from "@preact/signals";
import type { CoachAnswer, KeepsAnswer, PreviewRequest, Words } from "../wire";
import { type Answer, api } from "./api";
import { prefs } from "./prefs";
import { closeSheet, openSheet, sheet } from "./route";
import { game, view, you } from "./table";
import { activeProposal, throwOf } from "./tray";
import { acting, thrown } from "./turn";

/** Whether this phone's own seat decides now, and wants odds. */
export const hasOdds = computed(
  () => prefs.value.odds && acting.value !== null && acting.value === you.value.seat,
);
/** null: not fetched yet, or refused. */
export const keeps = signal<KeepsAnswer | null>(null);
export const coach = signal<CoachAnswer | null>(null);
export const refusedOdds = signal<Words | null>(null);
export const coaching = signal(false);

function openDice(): PreviewRequest {
  const question = game.value?.question ?? null;
  const one = question?.kind === "roll" && question.main ? throwOf(question) : null;
  if (one === null || one.missing > 0 || one.gone.length > 0) return { faces: [] };
  return { faces: one.faces, rethrown: one.rethrown };
}

let known: { readonly key: string; readonly request: PreviewRequest } | null = null;

/**
 * The dice of the open roll, where all are known. The same object until the dice or the game change: a view that only
 * says who is here, or what the camera does, must not throw away what was worked out.
 */
export const dice = computed<PreviewRequest>(() => {
  const request = openDice();
  const key = JSON.stringify([view.value?.table, view.value?.rev, request]);
  if (known?.key !== key) known = { key, request };
  return known.request;
});

/** Whether the dice that lie here were entered, so that those to throw again can be marked. */
export const canMark = computed(() => {
  const question = game.value?.question ?? null;
  if (question === null || activeProposal.value !== null) return false;
  return question.rethrow.length > 0 && (dice.value.rethrown ?? []).length === 0;
});

/** Mark all dice but these as thrown again, and go back to them. */
export function keepDice(kept: readonly number[]): void {
  const again = (game.value?.question?.rethrow ?? []).filter((index) => !kept.includes(index));
  thrown.value = Object.fromEntries(again.map((index) => [index, null]));
  closeSheet();
}

/** Forget what was worked out, and what is being worked out. */
function startOver(): void {
  keeps.value = null;
  coach.value = null;
  refusedOdds.value = null;
  coaching.value = false;
}

/** Open the page; the coach is asked by a tap of its own. */
export function openOdds(): void {
  startOver();
  openSheet({ kind: "odds" });
}

/** Begin anew for these dice or this question; `roll`: fetch the ways to keep the dice. */
export async function fetchKeeps(request: PreviewRequest, roll: boolean): Promise<void> {
  startOver();
  if (!roll) return;
  const answer = await api.keeps(request);
  if (sheet.value?.kind === "odds" && dice.value === request) keeps.value = taken(answer);
}

export async function askCoach(): Promise<void> {
  const request = dice.value;
  coaching.value = true;
  const answer = await api.coach(request);
  // Another question has begun anew meanwhile.
  if (dice.value !== request) return;
  coaching.value = false;
  coach.value = taken(answer);
}

/** Return what came; a refusal is shown on the page. */
function taken<T>(answer: Answer<T>): T | null {
  refusedOdds.value = null;
  if (answer.kind === "done") return answer.value;
  refusedOdds.value =
    answer.kind === "refused" ? answer.problem.error : { key: "error.forecast.late", args: {} };
  return null;
}
