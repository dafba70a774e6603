/** The set-up of camera and dice, and what televisions and overlays see: fetched while they are looked at. */
import { signal } from "@preact/signals";
import type * as wire from "../wire";
import { type Answer, api } from "./api";
import { took } from "./outbox";
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

function shown(asked: Promise<Answer<wire.SetupView>>): Promise<boolean> {
  return took(asked, (fresh) => {
    setup.value = fresh;
  });
}

/** Take a step; whether it was taken. */
export const step = (request: wire.SetupRequest) => shown(api.setupStep(request));
/** Do something with a box that is kept; whether it was done. */
export const handleBox = (request: wire.BoxRequest) => shown(api.box(request));
/** Keep and use the box of an exported file. */
export const importBox = (file: Blob) => shown(api.importBox(file));

/** The dice that were added to the box in use: proposal, index and face. */
export const remembered = signal<readonly string[]>([]);

/** Add the print of a die that was put right to the box in use. */
export async function remember(request: wire.RememberRequest): Promise<void> {
  const { proposal, die, face } = request;
  await took(api.remember(request), () => {
    remembered.value = [...remembered.value, `${proposal} ${die} ${face}`];
  });
}

/** null: not fetched yet. */
export const viewers = signal<wire.ViewersAnswer | null>(null);

/** Open the sheet, freshly fetched. */
export async function openViewers(): Promise<void> {
  openSheet({ kind: "tv" });
  await took(api.viewers(), takeViewers);
}

/** Make new tokens, or choose the language of all viewers. */
export async function changeViewers(request: wire.ViewersRequest): Promise<void> {
  await took(api.changeViewers(request), takeViewers);
}

function takeViewers(fresh: wire.ViewersAnswer): void {
  viewers.value = fresh;
}
