/** The current throw: the faces of all dice, which were rerolled, what the tray and its fuse do. */
import { computed, effect, signal } from "@preact/signals";
import type { Face, Fuse, Proposal, ProposedDie, Question } from "../wire";
import { api } from "./api";
import { send, took } from "./outbox";
import { line, show, view, you } from "./table";
import { byHand, fixes, tapped, thrown } from "./turn";

export interface Throw {
  /** The known faces, in the order of `Question.showing` if dice were entered before. */
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

/** The proposal, if the camera and not manual entry gives the faces. */
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

/** The faces of the proposal's dice after corrections, as far as they are known. */
export function readFaces(proposal: Proposal): readonly Face[] {
  return proposal.dice.map(faceOf).filter((face) => face !== null);
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
  const rethrown = faces.flatMap((face, index) => (face === undefined ? index : []));
  return {
    faces: faces.map((face) => face ?? (rest.shift() as Face)),
    rethrown,
    missing: 0,
    gone: rethrown.filter((index) => thrown.value[index] === undefined),
  };
}

export const isDemo = computed(() => view.value?.tray.demo === true);

/** Lay demo dice in the tray, and start a game if none is under way; or put them away. */
export const layDemoDice = (on: boolean) => took(api.demo({ on }));

const putOff = signal("");

/** The name of a camera that was plugged in and can be used by the host; "": none. */
export const foundCamera = computed(() => {
  const name = view.value?.tray.found ?? "";
  return you.value.role === "host" && name !== putOff.value ? name : "";
});

export const takeCamera = () => took(api.camera());

export function putCameraOff(): void {
  putOff.value = foundCamera.value;
}

/** The fuse that burns now. */
export const burning = computed<Fuse | null>(() =>
  line.value === "live" ? (view.value?.tray.fuse ?? null) : null,
);

/** What the tray did last, and when this phone heard of it. */
export type Burnt = Readonly<{ table: string; rev: number; at: number }>;

export const burnt = signal<Burnt | null>(null);

export function forgetBurnt(): void {
  burnt.value = null;
}

/** Choose what happens without a tap. */
export function setPhoneFree(fuse: boolean, tray_ends: boolean): void {
  send({ key: "act.phone_free", args: {} }, [{ type: "PhoneFreeSet", fuse, tray_ends }]);
}

/** Put the fuse out; return whether the service has heard it. */
async function putOut(id: string): Promise<boolean> {
  const answer = await api.putOutFuse({ id });
  if (answer.kind === "done") show(answer.value);
  return answer.kind === "done";
}

/** Put the fuse out with any touch or key, and notice what the tray did. */
export function watchFuse(): void {
  let last = "";
  const touch = () => {
    const fuse = burning.value;
    if (fuse === null || fuse.id === last) return;
    last = fuse.id;
    void putOut(fuse.id).then((heard) => {
      if (!heard) last = "";
    });
  };
  for (const kind of ["pointerdown", "keydown", "click"])
    window.addEventListener(kind, touch, { capture: true, passive: true });
  let table = "";
  let seen = 0;
  effect(() => {
    const now = view.value;
    if (now === null) return;
    const fresh = now.table === table ? now.log.filter((row) => row.seq > seen) : [];
    table = now.table;
    seen = now.log[now.log.length - 1]?.seq ?? 0;
    // Not if something was done since: what can be undone is that.
    if (fresh.some((row) => row.tray && row.seq >= (now.undo?.seq ?? Number.POSITIVE_INFINITY)))
      burnt.value = { table: now.table, rev: now.rev, at: Date.now() };
  });
}
