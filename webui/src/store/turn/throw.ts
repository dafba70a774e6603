/** The current throw: which dice were rerolled, and the faces of all dice. */
import { computed } from "@preact/signals";
import type { Face, Proposal, ProposedDie, Question } from "../../wire";
import { view } from "../table/table";
import { byHand, fixes, tapped, thrown } from "./turn";

export interface Throw {
  /** The known faces, in the order of `Question.showing` where dice were entered before. */
  readonly faces: readonly Face[];
  readonly rethrown: readonly number[];
  /** How many dice have no face yet. */
  readonly missing: number;
  /** Dice that must have been rerolled, since the face they showed is not there any more. */
  readonly gone: readonly number[];
}

/** Whether the throws of this roll are entered one by one. */
export function countsThrows(question: Question): boolean {
  return question.counted || question.showing.length > 0;
}

/** The proposal, where the camera and not manual entry gives the faces. */
export const activeProposal = computed<Proposal | null>(() => {
  const proposal = view.value?.tray.proposal ?? null;
  const question = view.value?.game?.question ?? null;
  if (byHand.value || proposal === null) return null;
  // Fewer dice than before: the others are in a hand, about to be rerolled.
  const inHand =
    question !== null && question.showing.length > 0 && proposal.dice.length < question.dice;
  return inHand ? null : proposal;
});

/** A die's face after corrections; null: not a die, or unknown. */
export function faceOf(die: ProposedDie, index: number): Face | null {
  const fixed = fixes.value[index];
  return fixed === undefined ? die.face : fixed;
}

function readFaces(proposal: Proposal): readonly Face[] {
  return proposal.dice.map(faceOf).filter((face): face is Face => face !== null);
}

/** The faces of the dice from manual entry or the camera. */
export function throwOf(question: Question): Throw {
  const proposal = activeProposal.value;
  if (proposal !== null) return fitted(question, readFaces(proposal));
  if (question.showing.length === 0) {
    return {
      faces: tapped.value,
      rethrown: [],
      missing: question.dice - tapped.value.length,
      gone: [],
    };
  }
  const again = Object.keys(thrown.value).map(Number);
  const faces = question.showing
    .map((face, index) => (thrown.value[index] === undefined ? face : thrown.value[index]))
    .filter((face): face is Face => !!face);
  return { faces, rethrown: again, missing: question.dice - faces.length, gone: [] };
}

/** Match the faces read to the dice entered before: a tray has no order. */
function fitted(question: Question, read: readonly Face[]): Throw {
  const { showing, dice } = question;
  const missing = dice - read.length;
  if (showing.length === 0 || missing !== 0)
    return { faces: read, rethrown: [], missing, gone: [] };
  const rest = [...read];
  const faces: (Face | undefined)[] = showing.map((face, index) => {
    const at = thrown.value[index] === undefined ? rest.indexOf(face) : -1;
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  });
  const rethrown = faces
    .map((face, index) => (face === undefined ? index : -1))
    .filter((index) => index >= 0);
  return {
    faces: faces.map((face) => face ?? (rest.shift() as Face)),
    rethrown,
    missing: 0,
    gone: rethrown.filter((index) => thrown.value[index] === undefined),
  };
}

/** Cycle a die with each tap: kept, rerolled, rerolled without the face entered. */
export function toggleRethrown(index: number): void {
  const { [index]: now, ...others } = thrown.value;
  const unnamed = { ...others, [index]: null };
  if (now === undefined) thrown.value = unnamed;
  else thrown.value = now === null || activeProposal.value !== null ? others : unnamed;
}

/** What the throw may be submitted as. */
export interface ThrowOptions {
  /** It may end the rolling. */
  readonly apply: boolean;
  /** It may be entered, with a reroll after it. */
  readonly again: boolean;
}

export function throwOptions(question: Question, one: Throw): ThrowOptions {
  const fresh = question.showing.length === 0 || one.rethrown.length > 0;
  const known = one.missing === 0;
  return {
    apply: known && question.owed <= (fresh ? 1 : 0),
    again: known && fresh && countsThrows(question) && question.more,
  };
}
