/** The set-up of camera and dice, and what televisions and overlays see: fetched while they are looked at. */
import { signal } from "@preact/signals";
import type * as wire from "../wire";
import { api } from "./api";
import { showFailure } from "./outbox";
import { openSheet } from "./route";

const LOOK_MS = 400;
const PICTURE_MS = 200;
const NO_PICTURE_MS = 1_000;

/** null: not fetched yet. */
export const setup = signal<wire.SetupView | null>(null);
/** The number of the newest picture that is asked for. */
export const pictureNumber = signal(0);

export function openSetup(): void {
  setup.value = null;
  openSheet({ kind: "camera" });
}

/** Fetch the state again and again; returns what ends that. The service ends a set-up nobody looks at. */
export function watchSetup(): () => void {
  let clock = 0;
  let over = false;
  const look = async () => {
    const answer = await api.setup();
    if (over) return;
    if (answer.kind === "done") setup.value = answer.value;
    clock = window.setTimeout(() => void look(), LOOK_MS);
  };
  void look();
  return () => {
    over = true;
    window.clearTimeout(clock);
  };
}

/** Ask for the next picture, a moment after the last one has come or failed. */
export function nextPicture(came: boolean): void {
  window.setTimeout(
    () => {
      pictureNumber.value += 1;
    },
    came ? PICTURE_MS : NO_PICTURE_MS,
  );
}

/** Take a step; whether it was taken. */
export async function step(request: wire.SetupRequest): Promise<boolean> {
  const answer = await api.setupStep(request);
  if (answer.kind === "done") setup.value = answer.value;
  else showFailure(answer);
  return answer.kind === "done";
}

/** Do something with a box that is kept; whether it was done. */
export async function handleBox(request: wire.BoxRequest): Promise<boolean> {
  const answer = await api.box(request);
  if (answer.kind === "done") setup.value = answer.value;
  else showFailure(answer);
  return answer.kind === "done";
}

/** Keep and use the box of an exported file. */
export async function importBox(file: Blob): Promise<void> {
  const answer = await api.importBox(file);
  if (answer.kind === "done") setup.value = answer.value;
  else showFailure(answer);
}

/** The dice that were added to the box in use: proposal, index and face. */
export const remembered = signal<readonly string[]>([]);

/** Add the print of a die that was put right to the box in use. */
export async function remember(request: wire.RememberRequest): Promise<void> {
  const answer = await api.remember(request);
  const { proposal, die, face } = request;
  if (answer.kind === "done")
    remembered.value = [...remembered.value, `${proposal} ${die} ${face}`];
  else showFailure(answer);
}

/** null: not fetched yet. */
export const viewers = signal<wire.ViewersAnswer | null>(null);

/** Open the sheet, freshly fetched. */
export async function openViewers(): Promise<void> {
  openSheet({ kind: "tv" });
  const answer = await api.viewers();
  if (answer.kind === "done") viewers.value = answer.value;
  else showFailure(answer);
}

/** Make new tokens, or choose the language of all viewers. */
export async function changeViewers(request: wire.ViewersRequest): Promise<void> {
  const answer = await api.changeViewers(request);
  if (answer.kind === "done") viewers.value = answer.value;
  else showFailure(answer);
}
