/** What a roll's screens do with dice: throws, whether they still lie as read, demo dice, photos, the offer of a fuse. */
import { computed, effect, signal } from "@preact/signals";
import type { Face, Proposal, ProposedDie, Question } from "../wire";
import { api } from "./api";
import { showFailure, showRefusal, took } from "./outbox";
import { keep, recall } from "./prefs";
import { game, view, you } from "./table";
import { activeProposal, countsThrows, isDemo, setPhoneFree, type Throw } from "./tray";
import { thrown, watchCamera } from "./turn";

/** Why the tray may no longer show the dice as they were read; null if it does, or if nobody can tell. */
export const unrest = computed<"rolling" | "cleared" | "unseen" | null>(() => {
  const tray = view.value?.tray;
  if (tray === undefined || activeProposal.value?.photo !== false) return null;
  if (tray.camera !== "ok") return ["lost", "starting"].includes(tray.camera) ? "unseen" : null;
  if (["rolling", "settling", "taken"].includes(tray.state)) return "rolling";
  if (tray.state === "empty") return "cleared";
  return tray.state === "hand" || tray.state === "problem" ? "unseen" : null;
});

/** Which roll of the turn this is, from 1, and of how many; null if the camera does not count them. */
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

/** Note what is read from now on, and count the turns whose dice were applied as they were read. */
export function watchTray(): void {
  let read: Proposal | null = null;
  effect(() => {
    const now = view.value?.tray.proposal ?? null;
    lastRead = now ?? lastRead;
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

type Spot = ProposedDie["box"];

/** Dice come to rest and are read within this time; then they may be thrown once more. */
const SLOWEST_MS = 8_000;

/** Where the dice of this question that the player keeps lie in the picture: they stay there. */
const kept = signal<{ readonly question: string; readonly spots: readonly Spot[] }>({
  question: "",
  spots: [],
});
/** The dice, or the question, that a throw of this phone has not replaced yet; "": none. */
const awaited = signal("");
/** The dice as they were read last: a proposal is gone once it is entered. */
let lastRead: Proposal | null = null;

function asked(): string {
  return game.value?.question?.id ?? "";
}

/** Whether demo dice tumble. */
export const isRolling = computed(() => {
  const tray = view.value?.tray;
  if (!isDemo.value) return false;
  const waits = awaited.value !== "" && awaited.value === (tray?.proposal?.id ?? asked());
  return waits || tray?.state === "rolling" || tray?.state === "settling";
});

/** Whether demo dice can be thrown on this phone's tap. */
export const mayThrow = computed(
  () => isDemo.value && view.value?.tray.camera === "ok" && !isRolling.value,
);

function covers([left, top, width, height]: Spot, [x, y, w, h]: Spot): boolean {
  const [across, down] = [x + w / 2 - left, y + h / 2 - top];
  return across > 0 && across < width && down > 0 && down < height;
}

export function isKept({ box }: ProposedDie): boolean {
  return kept.value.question === asked() && kept.value.spots.some((spot) => covers(spot, box));
}

export function toggleKept(die: ProposedDie): void {
  const before = kept.value.question === asked() ? kept.value.spots : [];
  const others = before.filter((spot) => !covers(spot, die.box));
  kept.value = { question: asked(), spots: isKept(die) ? others : [...others, die.box] };
}

/** The dice that stay: those kept here, or those that were not marked after a throw was entered. */
function staying(proposal: Proposal | null, showing: Question["showing"]): readonly number[] {
  const faces = showing.filter((_, index) => thrown.value[index] === undefined);
  const stays = (die: ProposedDie): boolean => {
    if (showing.length === 0) return isKept(die);
    const at = die.face === null ? -1 : faces.indexOf(die.face);
    return at >= 0 && faces.splice(at, 1).length > 0;
  };
  return (proposal?.dice ?? []).flatMap((die, index) => (stays(die) ? [index] : []));
}

/** Throw the demo dice that do not stay. */
export async function throwDice(): Promise<void> {
  const showing = game.value?.question?.showing ?? [];
  const proposal = showing.length > 0 ? lastRead : activeProposal.value;
  const stay = staying(proposal, showing);
  const waits = view.value?.tray.proposal?.id ?? asked();
  const over = () => {
    if (awaited.value === waits) awaited.value = "";
  };
  awaited.value = waits;
  window.setTimeout(over, SLOWEST_MS);
  if (!(await took(api.throwDemo({ proposal: proposal?.id ?? null, keep: stay })))) over();
}

export const clearTray = () => took(api.clearDemo());
/** Whether a photo is being resized, sent or read. */
export const readingPhoto = signal(false);

/** Send the picture to be read; if it cannot be loaded or is refused, show why. */
export async function sendPhoto(picture: Promise<Blob>): Promise<void> {
  readingPhoto.value = true;
  try {
    const answer = await api.photo(await picture);
    if (answer.kind === "done") watchCamera();
    else showFailure(answer, "photo.silent");
  } catch {
    showRefusal({ key: "photo.unreadable", args: {} });
  } finally {
    readingPhoto.value = false;
  }
}
