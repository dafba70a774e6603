/** What this phone is asked, for which seat, and what was entered on it so far. */
import { computed, effect, signal } from "@preact/signals";
import type { Face, Question } from "../../wire";
import { game, seatOf, view, you } from "../table/table";
import { forget, recalled, remember } from "./typed";

/** The question whose answer this phone gives in somebody's place, by a tap on "Answer for …". */
const answeringFor = signal<string | null>(null);
/** The question that this phone could answer and has declined to whose it is. */
const declined = signal<string | null>(null);

/** From now on this phone answers the open question, whosever it is. */
export function answerInPlace(): void {
  declined.value = null;
  answeringFor.value = game.value?.question?.id ?? null;
}

/** The open question is its owner's again. */
export function leaveToOwner(): void {
  answeringFor.value = null;
  declined.value = game.value?.question?.id ?? null;
}

/** The seat that is asked; what is asked of the table is the active seat's to say. */
export function askedSeat(question: Question): number {
  return question.seat ?? game.value?.active ?? 0;
}

export function mayAnswer(question: Question): boolean {
  const { role, seat } = you.value;
  return role === "host" || (seat !== null && question.may_answer.includes(seat));
}

/**
 * The seat this phone answers for now, or null where it only waits. The host's phone answers for seats without a
 * phone, and for everybody while the table is being set.
 */
export const acting = computed<number | null>(() => {
  const question = game.value?.question ?? null;
  if (question === null || game.value?.ended) return null;
  const asked = askedSeat(question);
  const { role, seat } = you.value;
  if (seat === asked) return asked;
  if (!mayAnswer(question)) return null;
  if (answeringFor.value === question.id) return asked;
  if (declined.value === question.id) return null;
  if (role === "host" && (seatOf(asked)?.phones === 0 || game.value?.phase === "setup"))
    return asked;
  return null;
});

/** The seat whose numbers the phone shows as its own. */
export const shownSeat = computed(() => acting.value ?? you.value.seat ?? game.value?.active ?? 0);

/** Faces tapped by hand for the roll asked now. */
export const tapped = signal<readonly Face[]>([]);
/** Dice of `Question.showing` that were thrown again, by index, and what thumbs say they show now. */
export const thrown = signal<Readonly<Record<number, Face | null>>>({});
/** True where the thumbs, not the camera, say what was rolled. */
export const byHand = signal(false);
/** Faces of the proposal put right: by index; null: not a die. */
export const fixes = signal<Readonly<Record<number, Face | null>>>({});
/** The order of groups, where somebody has chosen one. */
export const chosenOrder = signal<readonly Face[] | null>(null);
/** Letters of the name of a card that was turned up. */
export const letters = signal("");
/** Question and proposal that the six above belong to. */
let enteredFor = "";
let enteredForProposal = "";

/** The next die shows this face; the camera does not take over while thumbs tell. */
export function tap(face: Face): void {
  tapped.value = [...tapped.value, face];
  byHand.value = true;
}

/** Tap by hand, or look at the camera again: what the other said stays. */
export function countByHand(): void {
  byHand.value = true;
}

export function watchCamera(): void {
  byHand.value = false;
}

/** Take one die out of those tapped. */
export function untap(index: number): void {
  tapped.value = tapped.value.filter((_, at) => at !== index);
}

export function untapLast(): void {
  untap(tapped.value.length - 1);
}

export function untapAll(): void {
  tapped.value = [];
}

/** Put a die of the proposal right; null: it is no die. */
export function fixDie(index: number, face: Face | null): void {
  fixes.value = { ...fixes.value, [index]: face };
}

/** The first die thrown again that has no face yet shows this one. */
export function nameRethrown(face: Face): void {
  const first = Object.keys(thrown.value)
    .map(Number)
    .find((index) => thrown.value[index] === null);
  if (first !== undefined) thrown.value = { ...thrown.value, [first]: face };
}

export function clearRethrown(): void {
  thrown.value = {};
}

/** Resolve the groups in this order; null: in the order that the table finds sensible. */
export function setOrder(order: readonly Face[] | null): void {
  chosenOrder.value = order;
}

export function setLetters(text: string): void {
  letters.value = text;
}

/**
 * A new question starts with nothing tapped, a new proposal with nothing put right. What was entered for a question
 * outlives a look elsewhere and a reload of the page.
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
