/** Dice that were read and wait for a tap: whether they still lie there, which roll it is; the offer to need no tap. */
import { computed, effect, signal } from "@preact/signals";
import type { Face, Proposal, Question } from "../wire";
import { keep, recall } from "./prefs";
import { game, view, you } from "./table";
import { activeProposal, countsThrows, isDemo, setPhoneFree } from "./tray";

/** Why the proposed dice do not lie there as the camera read them; null: they do, or nobody can say otherwise. */
export const unrest = computed<"rolling" | "cleared" | "unseen" | null>(() => {
  const tray = view.value?.tray;
  if (tray === undefined || activeProposal.value?.photo !== false) return null;
  if (tray.camera !== "ok") return ["lost", "starting"].includes(tray.camera) ? "unseen" : null;
  if (["rolling", "settling", "taken"].includes(tray.state)) return "rolling";
  if (tray.state === "empty") return "cleared";
  return tray.state === "hand" || tray.state === "problem" ? "unseen" : null;
});

/** Which roll of the turn this is, from 1, and of how many; null where the camera does not count them. */
export function rollOf(question: Question, proposal: Proposal) {
  if (!question.main || countsThrows(question) || proposal.photo) return null;
  return { roll: Math.min(proposal.roll, question.left), of: question.left };
}

/** Whether some of these dice may be thrown again, without a word to the table in between. */
export function hasThrowsLeft(question: Question, proposal: Proposal): boolean {
  const now = rollOf(question, proposal);
  return now !== null && now.roll < now.of;
}

const CLEAN_TURNS = 3;
const FUSE_OFFERED = "monster-table.fuse-offered";
/** Turns in a row whose dice were applied as the camera read them. */
const clean = signal(0);
const fuseOffered = signal(recall(FUSE_OFFERED) !== null);

/** A proposal is gone: count its turn if the roll is what was read, surely. */
function countClean({ dice, photo }: Proposal): void {
  const sorted = (faces: readonly (Face | null)[]) => [...faces].sort().join();
  const applied = sorted(game.value?.last_roll ?? []);
  const same = sorted(dice.map((die) => die.face)) === applied;
  clean.value = same && !photo && dice.every((die) => die.sure) ? clean.peek() + 1 : 0;
}

/** Count the turns whose dice were applied as they were read, from now on. */
export function watchClean(): void {
  let read: Proposal | null = null;
  effect(() => {
    const now = view.value?.tray.proposal ?? null;
    if (read !== null && now === null) countClean(read);
    read = game.value?.question?.main ? now : null;
  });
}

/** Whether the host is asked, once, if sure dice should apply by themselves. */
export const offersFuse = computed(
  () =>
    you.value.role === "host" &&
    !isDemo.value &&
    !fuseOffered.value &&
    clean.value >= CLEAN_TURNS &&
    view.value?.tray.phone_free.fuse === false,
);

export function answerFuseOffer(takes: boolean): void {
  fuseOffered.value = true;
  keep(FUSE_OFFERED, "yes");
  if (takes) setPhoneFree(true, view.value?.tray.phone_free.tray_ends ?? false);
}
