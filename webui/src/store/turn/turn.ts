/** The question this phone answers, for which seat, and what was entered for it. */
import { computed, effect, signal } from "@preact/signals";
import type { Face, Question } from "../../wire";
import { sharedSeat } from "../access/shared";
import { game, seatOf, view, you } from "../table/table";
import { forget, recalled, remember } from "./typed";

/** The question that this phone answers for another seat, after a tap on "Answer for …". */
const answeringFor = signal<string | null>(null);
/** The question that this phone could answer and leaves to its owner. */
const declined = signal<string | null>(null);

/** Answer the open question on this phone, for any seat. */
export function answerInPlace(): void {
  declined.value = null;
  answeringFor.value = game.value?.question?.id ?? null;
}

/** Leave the open question to its owner. */
export function leaveToOwner(): void {
  answeringFor.value = null;
  declined.value = game.value?.question?.id ?? null;
}

/** Return the seat that is asked; a question to the table is the active seat's to answer. */
export function askedSeat(question: Question): number {
  return question.seat ?? game.value?.active ?? 0;
}

export function mayAnswer(question: Question): boolean {
  const { role, seat } = you.value;
  return role === "host" || (seat !== null && question.may_answer.includes(seat));
}

/**
 * The seat this phone answers for now; null where it only waits. The host's phone answers for seats without a
 * phone, and for everybody while the table is being set up.
 */
export const acting = computed<number | null>(() => {
  const question = game.value?.question ?? null;
  if (question === null || game.value?.ended) return null;
  const asked = askedSeat(question);
  const { role, seat } = you.value;
  if (seat === asked) return asked;
  if (!mayAnswer(question)) return null;
  if (answeringFor.value === question.id || sharedSeat.value === asked) return asked;
  if (declined.value === question.id) return null;
  if (role === "host" && (seatOf(asked)?.phones === 0 || game.value?.phase === "setup"))
    return asked;
  return null;
});

/** The seat whose numbers this phone shows as its own. */
export const shownSeat = computed(() => acting.value ?? you.value.seat ?? game.value?.active ?? 0);

/** Faces entered by hand for the open roll. */
export const tapped = signal<readonly Face[]>([]);
/** Dice of `Question.showing` that were rerolled, by index, with the face entered by hand; null: none yet. */
export const thrown = signal<Readonly<Record<number, Face | null>>>({});
/** Whether the roll is entered by hand rather than by the camera. */
export const byHand = signal(false);
/** Corrected faces of the proposal, by index; null: not a die. */
export const fixes = signal<Readonly<Record<number, Face | null>>>({});
/** The order of groups, where somebody has chosen one. */
export const chosenOrder = signal<readonly Face[] | null>(null);
/** The search text for a revealed card. */
export const letters = signal("");
/** The question and proposal that the signals above belong to. */
let enteredFor = "";
let enteredForProposal = "";

/** Enter the next die's face by hand; the camera is ignored from then on. */
export function tap(face: Face): void {
  tapped.value = [...tapped.value, face];
  byHand.value = true;
}

/** Enter the roll by hand; what the camera read is kept. */
export function countByHand(): void {
  byHand.value = true;
}

export function watchCamera(): void {
  byHand.value = false;
}

/** Remove one of the dice entered by hand. */
export function untap(index: number): void {
  tapped.value = tapped.value.filter((_, at) => at !== index);
}

export function untapLast(): void {
  untap(tapped.value.length - 1);
}

export function untapAll(): void {
  tapped.value = [];
}

/** Correct a die of the proposal; null: not a die. */
export function fixDie(index: number, face: Face | null): void {
  fixes.value = { ...fixes.value, [index]: face };
}

/** Enter the face of the first rerolled die that has none yet. */
export function nameRethrown(face: Face): void {
  const first = Object.keys(thrown.value)
    .map(Number)
    .find((index) => thrown.value[index] === null);
  if (first !== undefined) thrown.value = { ...thrown.value, [first]: face };
}

export function clearRethrown(): void {
  thrown.value = {};
}

/** Choose the order of groups; null: the service's suggestion. */
export function setOrder(order: readonly Face[] | null): void {
  chosenOrder.value = order;
}

export function setLetters(text: string): void {
  letters.value = text;
}

/**
 * Reset entries for a new question, and corrections for a new proposal. Entries for the open question survive
 * other tabs and a reload.
 */
export function watchQuestions(): void {
  effect(() => {
    const id = game.value?.question?.id;
    const question = id === undefined ? "" : `${view.value?.table ?? ""}:${id}`;
    const proposal = view.value?.tray.proposal?.id ?? "";
    if (question !== enteredFor) {
      enteredFor = question;
      const kept = recalled(question);
      tapped.value = kept?.tapped ?? [];
      thrown.value = kept?.thrown ?? {};
      byHand.value = kept?.byHand ?? false;
      letters.value = kept?.letters ?? "";
      chosenOrder.value = null;
    }
    if (proposal !== enteredForProposal) {
      enteredForProposal = proposal;
      fixes.value = {};
      chosenOrder.value = null;
    }
  });
  effect(() => {
    const entered = {
      tapped: tapped.value,
      thrown: thrown.value,
      byHand: byHand.value,
      letters: letters.value,
    };
    if (enteredFor === "") return;
    const some =
      entered.byHand ||
      entered.tapped.length > 0 ||
      entered.letters !== "" ||
      Object.keys(entered.thrown).length > 0;
    if (some) remember(enteredFor, entered);
    else forget();
  });
}
