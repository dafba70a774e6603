/** The time machine: the game's moments, the one that is looked at, and playing on from there. */
import { computed, signal } from "@preact/signals";
import type { BranchView, TimeLine, TimeMoment, TimeTurn, TimeView } from "../../wire";
import { closeSheet, openSheet, sheet } from "../phone/route";
import { api } from "../server/api";
import { send, showFailure } from "../server/outbox";

/** null: not fetched yet. What is shown stays as it was when this was fetched. */
export const timeView = signal<TimeView | null>(null);
/** The moment shown; it stays until the next one has arrived. */
export const moment = signal<TimeMoment | null>(null);
/** The row that was chosen last. */
export const chosenRow = signal(0);
/** The branch whose moments the line leads through; null: the line that counts. */
export const branchShown = signal<BranchView | null>(null);

const NO_LINE: TimeLine = { turns: [], steps: [] };
const kept = new Map<number, TimeMoment>();

/** The moments to go through, oldest first: those of a branch come after what both lines share. */
export const path = computed<TimeLine>(() => {
  const line = timeView.value?.line ?? NO_LINE;
  const branch = branchShown.value;
  if (branch === null) return line;
  const shared = <T>(list: readonly T[], row: (one: T) => number) =>
    list.filter((one) => row(one) <= branch.fork);
  return {
    turns: [...shared(line.turns, (one) => one.row), ...branch.line.turns],
    steps: [...shared(line.steps, (one) => one), ...branch.line.steps],
  };
});

/** The index of the turn that the chosen row belongs to. */
export const turnAt = computed<number>(() => {
  const later = path.value.turns.findIndex((one) => one.row >= chosenRow.value);
  return later < 0 ? path.value.turns.length - 1 : later;
});

/** Open the time machine at this moment, freshly fetched. */
export async function openTime(): Promise<void> {
  // What was looked at before may be of another table.
  timeView.value = null;
  moment.value = null;
  branchShown.value = null;
  chosenRow.value = 0;
  kept.clear();
  openSheet({ kind: "time" });
  await fetchTime();
}

/** Fetch the moments again, and show now. */
export async function fetchTime(): Promise<void> {
  const answer = await api.time();
  if (answer.kind !== "done") return showFailure(answer);
  if (sheet.value?.kind !== "time") return;
  kept.clear();
  branchShown.value = null;
  timeView.value = answer.value;
  backToNow();
}

/** Show the table as it was after this row. */
export function lookAt(row: number): void {
  chosenRow.value = row;
  const known = kept.get(row);
  if (known === undefined) void fetchMoment(row);
  else moment.value = known;
}

async function fetchMoment(row: number): Promise<void> {
  const from = timeView.value;
  const answer = await api.moment(row);
  if (timeView.value !== from) return;
  if (answer.kind === "done") {
    kept.set(row, answer.value);
    if (chosenRow.value === row) moment.value = answer.value;
  } else if (chosenRow.value === row) showFailure(answer);
}

/** Show the end of the turn at this place of the path. */
export function lookAtTurn(index: number): void {
  const turn = turnOf(index);
  if (turn !== null) lookAt(turn.row);
}

export function turnOf(index: number): TimeTurn | null {
  return path.value.turns[index] ?? null;
}

/** The row so many steps or turns away; null where the path ends. */
export function rowAway(kind: "step" | "turn", by: 1 | -1): number | null {
  const { turns, steps } = path.value;
  const rows = kind === "step" ? steps : turns.map((one) => one.row);
  const now = chosenRow.value;
  const found =
    by > 0 ? rows.find((row) => row > now) : [...rows].reverse().find((row) => row < now);
  return found ?? null;
}

/** Show the end of a branch; null: the line that counts, now. */
export function seeBranch(branch: BranchView | null): void {
  branchShown.value = branch;
  if (branch === null) backToNow();
  else lookAt(branch.row);
}

export function backToNow(): void {
  branchShown.value = null;
  const steps = timeView.value?.line.steps ?? [];
  const last = steps[steps.length - 1];
  if (last !== undefined) lookAt(last);
}

/** Play on from the moment shown: what counted until now becomes a branch. */
export function playOn(): void {
  const from = timeView.value;
  const then = moment.value;
  if (from === null || then === null || then.way.length === 0) return;
  closeSheet();
  send({ key: "act.play_on", args: { turn: then.turn } }, [...then.way], null, from.rev);
}
