/** What this phone has done with the tray: demo dice are thrown, a camera that was plugged in is used. */
import { computed, effect, signal } from "@preact/signals";
import type { Proposal, ProposedDie, Question } from "../../wire";
import { type Answer, api } from "../server/api";
import { showFailure, showRefusal } from "../server/outbox";
import { game, view, you } from "../table/table";
import { activeProposal, countsThrows } from "./throw";
import { thrown, watchCamera } from "./turn";

type Spot = ProposedDie["box"];

/** Dice come to rest and are read within this time; then they may be thrown once more. */
const SLOWEST_MS = 8_000;

export const isDemo = computed(() => view.value?.tray.demo === true);

/** Where the dice of this question that the player keeps lie in the picture: they stay there. */
const kept = signal<{ readonly question: string; readonly spots: readonly Spot[] }>({
  question: "",
  spots: [],
});
/** The dice, or the question, that a throw of this phone has not replaced yet; "": none. */
const awaited = signal("");
/** The dice as they were read last: a proposal is gone once it is entered. */
let lastRead: Proposal | null = null;

export function watchTray(): void {
  effect(() => {
    lastRead = view.value?.tray.proposal ?? lastRead;
  });
}

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

/** Whether some of these dice may be thrown again, without a word to the table in between. */
export function hasThrowsLeft(question: Question, proposal: Proposal): boolean {
  return isDemo.value && question.main && !countsThrows(question) && proposal.roll < question.left;
}

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
  const keep = staying(proposal, showing);
  const waits = view.value?.tray.proposal?.id ?? asked();
  const over = () => {
    if (awaited.value === waits) awaited.value = "";
  };
  awaited.value = waits;
  window.setTimeout(over, SLOWEST_MS);
  if (!(await worked(api.throwDemo({ proposal: proposal?.id ?? null, keep })))) over();
}

async function worked(asking: Promise<Answer<unknown>>): Promise<boolean> {
  const answer = await asking;
  if (answer.kind !== "done") showFailure(answer);
  return answer.kind === "done";
}

export const clearTray = () => worked(api.clearDemo());
/** Lay demo dice in the tray, and start a game where none is under way; or put them away. */
export const layDemoDice = (on: boolean) => worked(api.demo({ on }));

/** The camera that this phone has put off. */
const putOff = signal("");

/** The name of a camera that was plugged in and can be used by the host; "": none. */
export const foundCamera = computed(() => {
  const name = view.value?.tray.found ?? "";
  return you.value.role === "host" && name !== putOff.value ? name : "";
});

export const takeCamera = () => worked(api.camera());

export function putCameraOff(): void {
  putOff.value = foundCamera.value;
}

/** Whether a photo is being resized, sent or read. */
export const readingPhoto = signal(false);

/** Send the picture to be read; where it cannot be loaded or is refused, show why. */
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
