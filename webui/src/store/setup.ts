/** The set-up of camera and dice, what televisions see, and the report of a misread roll. */
import { signal } from "@preact/signals";
import type * as wire from "../wire";
import { type Answer, api } from "./api";
import { forgetTv, tvWaiting } from "./front";
import { failureWords, took } from "./outbox";
import { openSheet } from "./route";
import { view } from "./table";
import { fixes } from "./turn";

const LOOK_MS = 400;

/** null: not fetched yet. */
export const setup = signal<wire.SetupView | null>(null);

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

function shown(asked: Promise<Answer<wire.SetupView>>): Promise<boolean> {
  return took(asked, (fresh) => (setup.value = fresh));
}

/** Take a step; whether it was taken. */
export const step = (request: wire.SetupRequest) => shown(api.setupStep(request));
/** Do something with a box that is kept; whether it was done. */
export const handleBox = (request: wire.BoxRequest) => shown(api.box(request));
/** Keep and use the box of an exported file. */
export const importBox = (file: Blob) => shown(api.importBox(file));

/** null: not fetched yet. */
export const viewers = signal<wire.ViewersAnswer | null>(null);

/** Open the sheet, freshly fetched. */
export async function openViewers(): Promise<void> {
  openSheet({ kind: "tv" });
  await took(api.viewers(), takeViewers);
}

/** Let in the television whose code was scanned. */
export async function letTvIn(): Promise<void> {
  if (await took(api.changeViewers({ let_in: tvWaiting.value }))) forgetTv();
}

/** Make new tokens, or choose the language of all viewers. */
export async function changeViewers(request: wire.ViewersRequest): Promise<void> {
  await took(api.changeViewers(request), takeViewers);
}

function takeViewers(fresh: wire.ViewersAnswer): void {
  viewers.value = fresh;
}

const NAME = "misread.zip";
const ZIP = "application/zip";
const NO_DIE = "-";
const SILENT = "misread.silent";

export interface Picture {
  readonly name: string;
  /** The address of the picture in this phone's memory. */
  readonly source: string;
}

/** Everything in the file: its frames, and what its text holds, prints as pictures. */
export interface Misread {
  readonly frames: readonly Picture[];
  readonly prints: readonly Picture[];
  readonly text: string;
  readonly bytes: number;
  readonly file: Blob;
}

export type Shown =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly words: wire.Words }
  | { readonly kind: "here"; readonly misread: Misread };

/** The report that is looked at. */
export const misread = signal<Shown>({ kind: "loading" });
let wanted = 0;

/** The faces of a proposal's dice as corrected on this phone, for the service; null: none was. */
function correctedFaces(proposal: string): string | null {
  const now = view.value?.tray.proposal;
  if (now?.id !== proposal || Object.keys(fixes.value).length === 0) return null;
  const faces = now.dice.map((die, index): wire.Face | null => {
    const fixed = fixes.value[index];
    return fixed === undefined ? die.face : fixed;
  });
  return faces.map((face) => face ?? NO_DIE).join(",");
}

/** Fetch the report of this proposal, and show everything in it. */
export async function openMisread(proposal: string): Promise<void> {
  forget();
  const number = wanted;
  openSheet({ kind: "misread", proposal });
  const answer = await api.misread(proposal, correctedFaces(proposal));
  if (number !== wanted) return;
  try {
    misread.value =
      answer.kind === "done"
        ? { kind: "here", misread: unpacked(answer.value) }
        : { kind: "failed", words: failureWords(answer, SILENT) };
  } catch {
    misread.value = { kind: "failed", words: { key: SILENT, args: {} } };
  }
}

/** Free the pictures of the report, and drop one that is still on its way. */
export function forget(): void {
  wanted += 1;
  const old = misread.value;
  if (old.kind === "here")
    for (const one of [...old.misread.frames, ...old.misread.prints])
      URL.revokeObjectURL(one.source);
  misread.value = { kind: "loading" };
}

type Roll = Readonly<{ prints: readonly string[] }>;
type Manifest = Readonly<{ enrolled?: Prints; learnt?: readonly Roll[] }>;

type Prints = Readonly<Record<string, readonly string[]>>;

function unpacked(file: ArrayBuffer): Misread {
  const entries = storedEntries(file);
  const text = entries.find((entry) => entry.name === "report.json");
  const {
    enrolled,
    learnt = [],
    ...rest
  } = JSON.parse(new TextDecoder().decode(text?.content)) as Manifest;
  return {
    frames: entries
      .filter((entry) => entry.name.startsWith("frames/"))
      .map((entry) => picture(entry.name, entry.content)),
    prints: [
      ...pictures("enrolled", enrolled),
      ...pictures("learnt", Object.fromEntries(learnt.map(({ prints }, n) => [n, prints]))),
    ],
    text: JSON.stringify(rest, null, 2),
    bytes: file.byteLength,
    file: new Blob([file], { type: ZIP }),
  };
}

function pictures(from: string, prints: Prints = {}): readonly Picture[] {
  return Object.entries(prints).flatMap(([face, some]) =>
    some.map((one, n) =>
      picture(
        `${from}/${face}-${n}.png`,
        Uint8Array.from(atob(one), (each) => each.charCodeAt(0)),
      ),
    ),
  );
}

function picture(name: string, content: Uint8Array<ArrayBuffer>): Picture {
  const type = name.endsWith(".png") ? "image/png" : "image/jpeg";
  return { name, source: URL.createObjectURL(new Blob([content], { type })) };
}

/** Hand the file to the phone's own share sheet; if it has none for files, download it. */
export async function saveMisread(one: Misread): Promise<void> {
  const file = new File([one.file], NAME, { type: ZIP });
  // Browsers share only on https pages; most tables are plain http.
  if (navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file] });
    } catch {
      // Closed without choosing anything: nothing is sent.
    }
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = NAME;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export type Entry = Readonly<{ name: string; content: Uint8Array<ArrayBuffer> }>;

const END_BYTES = 22;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;

/** Return the entries of the file, in order; throw if it is no such file. */
export function storedEntries(file: ArrayBuffer): readonly Entry[] {
  const view = new DataView(file);
  const end = file.byteLength - END_BYTES;
  if (end < 0 || view.getUint32(end, true) !== END) throw new Error("no zip file");
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const stored = view.getUint16(at + 10, true) === 0;
    if (view.getUint32(at, true) !== ENTRY || !stored) throw new Error("no stored entry");
    const size = view.getUint32(at + 24, true);
    const nameBytes = view.getUint16(at + 28, true);
    const local = view.getUint32(at + 42, true);
    if (view.getUint32(local, true) !== LOCAL) throw new Error("no entry");
    // The local head may have an extra field of another length.
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(file, at + 46, nameBytes)),
      content: new Uint8Array(file, begin, size),
    });
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}
