/** What is fetched while it is looked at: previews of dice, why a number is what it is, the log, what was forgotten, moments, odds, tied names of cards. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type * as wire from "../wire";
import { type Answer, api } from "./api";
import { failureWords, send, showFailure, took } from "./outbox";
import { prefs } from "./prefs";
import { closeSheet, openSheet, sheet } from "./route";
import { game, line, view, you } from "./table";
import { activeProposal, throwOf } from "./tray";
import { acting, correct, fixes, thrown } from "./turn";

type FetchedLog = Readonly<{ table: string; rows: readonly wire.LogRow[] }>;

const fetchedLog = signal<FetchedLog | null>(null);
let wantedLog = "";

/** All known rows, oldest first; the view's rows replace fetched ones. */
const known = computed<readonly wire.LogRow[]>(() => {
  const newest = view.value?.log ?? [];
  const first = newest[0]?.seq ?? 0;
  const older = fetchedLog.value?.table === view.value?.table ? (fetchedLog.value?.rows ?? []) : [];
  return [...older.filter((row) => row.seq < first), ...newest];
});

async function fetchLog(table: string, rev: number): Promise<void> {
  const key = `${table}:${rev}`;
  if (key === wantedLog) return;
  wantedLog = key;
  const answer = await api.log();
  if (wantedLog !== key) return;
  if (answer.kind === "done" && view.value?.table === table)
    fetchedLog.value = { table, rows: answer.value.rows };
  else wantedLog = "";
}

/** Return the log; its older rows are fetched again after each change. */
export function useLog(): { readonly rows: readonly wire.LogRow[]; readonly whole: boolean } {
  const now = view.value;
  const table = now?.table ?? "";
  const rev = now?.rev ?? 0;
  const more = (now?.log[0]?.seq ?? 1) > 1;
  useEffect(() => {
    if (more && line.value === "live") void fetchLog(table, rev);
  }, [more, table, rev, line.value]);
  const rows = known.value;
  return { rows, whole: rows.every((row, index) => row.seq === index + 1) };
}

export interface LogLine {
  readonly key: string;
  /** Whether it came of the row above it. */
  readonly came: boolean;
  readonly turn: number;
  /** Whose turn it is. */
  readonly active: number;
  readonly sign: string;
  readonly words: wire.Words;
  readonly why: readonly wire.Cause[];
  readonly changes: readonly wire.Change[];
  readonly undone: boolean;
  readonly ahead: boolean;
  readonly at: string;
  readonly by: string;
  /** Whether the dice tray sent it. */
  readonly tray: boolean;
}

const SAME = (one: wire.Change, other: wire.Change) =>
  one.seat === other.seat && one.what === other.what;

/** The changes of several rows taken together, without numbers that are what they were. */
function net(changes: readonly wire.Change[]): readonly wire.Change[] {
  const found: wire.Change[] = [];
  for (const change of changes) {
    const at = found.findIndex((one) => SAME(one, change));
    const before = found[at]?.before ?? change.before;
    if (at < 0) found.push(change);
    else found[at] = { ...change, before };
  }
  return found.filter((one) => one.before !== one.after);
}

function ownLine(row: wire.LogRow, changes: readonly wire.Change[]): LogLine {
  const shown = row.happened.flatMap((one) => one.changes);
  const own = net(changes).filter((one) => !shown.some((other) => SAME(one, other)));
  return { ...row, key: `${row.seq}`, came: false, changes: own };
}

function cameOf({ seq, undone, at }: wire.LogRow, one: wire.NewsLine, index: number): LogLine {
  const key = `${seq}.${index}`;
  return { ...one, key, came: true, undone, at, ahead: false, by: "", tray: false };
}

/** The lines of these rows, oldest first. */
export function linesOf(rows: readonly wire.LogRow[]): readonly LogLine[] {
  const lines: LogLine[] = [];
  let changes: readonly wire.Change[] = [];
  rows.forEach((row, index) => {
    const next = rows[index + 1];
    changes = [...changes, ...row.changes];
    if (next?.joins && next.undone === row.undone) return;
    if (!row.quiet) lines.push(ownLine(row, changes));
    lines.push(...row.happened.map((one, n) => cameOf(row, one, n)));
    changes = [];
  });
  return lines;
}

type Chain = Readonly<{ of: string; rows: readonly wire.Why[]; drastic: readonly wire.Drastic[] }>;

const RETRY_MS = 2_000;
const chain = signal<Chain | null>(null);
let wantedWhy = "";
/** What a screen shows now; fetched again if that failed. */
let watchedWhy = "";

async function fetchWhy(of: string, rev: number, seat: number, what: string): Promise<void> {
  const key = `${of}:${rev}`;
  if (key === wantedWhy) return;
  wantedWhy = key;
  const answer = await api.why(seat, what);
  if (wantedWhy !== key) return;
  if (answer.kind === "done") chain.value = { of, ...answer.value };
  else {
    wantedWhy = "";
    window.setTimeout(() => {
      if (watchedWhy === key) void fetchWhy(of, rev, seat, what);
    }, RETRY_MS);
  }
}

interface Explained {
  /** The changes of the number, oldest first; null until they are fetched. */
  readonly rows: readonly wire.Why[] | null;
  /** Values that are asked about before they are set. */
  readonly drastic: readonly wire.Drastic[];
}

export function useWhy(seat: number, what: string): Explained {
  const of = `${view.value?.table ?? ""}:${seat}:${what}`;
  const rev = view.value?.rev ?? 0;
  useEffect(() => {
    if (line.value !== "live") return undefined;
    watchedWhy = `${of}:${rev}`;
    void fetchWhy(of, rev, seat, what);
    return () => {
      watchedWhy = "";
    };
  }, [of, rev, line.value]);
  return chain.value?.of === of ? chain.value : { rows: null, drastic: [] };
}

/** The number that was entered and not yet confirmed by the service; null: none. */
export const dialled = signal<number | null>(null);

/** A number that was entered and is not sent until somebody says so. */
export interface Held {
  readonly seat: number;
  readonly what: wire.Number;
  readonly value: number;
  readonly outcomes: readonly wire.Words[];
  /** The revision that the user saw; null: the newest. */
  readonly from: number | null;
}

export const held = signal<Held | null>(null);

/**
 * Show the number and send it as a correction; if it is among the `drastic`, ask first. `from`: the revision that the
 * user saw, if it is not the newest.
 */
export function dial(
  seat: number,
  what: wire.Number,
  value: number,
  drastic: readonly wire.Drastic[],
  from: number | null = null,
): void {
  const found = drastic.find((one) => one.value === value);
  const next = { seat, what, value, outcomes: found?.outcomes ?? [], from };
  if (found !== undefined) held.value = next;
  else sendHeld(next);
}

function sendHeld({ seat, what, value, from }: Held): void {
  held.value = null;
  dialled.value = value;
  correct({ seat, what, value }, from);
}

/** Send the number that was asked about. */
export function dialAnyway(): void {
  if (held.value !== null) sendHeld(held.value);
}

/** Leave the number as it is. */
export function letBe(): void {
  held.value = null;
}

/** Show the service's number again. */
export function endDial(): void {
  dialled.value = null;
}

/** Return the whole number that was typed; null if it is none, or beyond the limit. */
export function typedNumber(text: string, most: number | null): number | null {
  if (!/^\d{1,3}$/.test(text.trim())) return null;
  const value = Number(text);
  return most !== null && value > most ? null : value;
}

type FetchedFindings = Readonly<{ table: string; found: wire.ForgottenView }>;

const fetchedFindings = signal<FetchedFindings | null>(null);
let wantedFindings = "";

/** The findings of the game that is played; null until they are fetched. */
export function forgotten(): wire.ForgottenView | null {
  const found = fetchedFindings.value;
  return found !== null && found.table === view.value?.table ? found.found : null;
}

/** What the findings depend on: the rows of the log. */
export function forgottenKey(): string {
  const now = view.value;
  return `${now?.table ?? ""} ${now?.rev ?? 0}`;
}

/** Fetch the findings, unless they are being fetched for the same state. */
export async function fetchForgotten(key: string): Promise<void> {
  if (wantedFindings === key) return;
  wantedFindings = key;
  const table = view.value?.table ?? "";
  const answer = await api.forgotten();
  if (wantedFindings !== key) return;
  if (answer.kind === "done") fetchedFindings.value = { table, found: answer.value };
  else {
    wantedFindings = "";
    if (sheet.value?.kind === "forgotten") showFailure(answer);
  }
}

/** Mend a finding. */
export function giveBack(found: wire.ForgottenView, one: wire.Finding): void {
  if (one.fix === null) return;
  const seat = one.seat ?? 0;
  send({ key: "act.give", args: { seat } }, [one.fix], null, found.rev);
}

/** Leave the other findings as they are; or ask about those that were left. */
export function handleFindings(request: wire.ForgottenRequest): void {
  const table = view.value?.table ?? "";
  void took(api.actOnForgotten({ ...request, table }), (found) => {
    fetchedFindings.value = { table, found };
  });
}

/** null: not fetched yet. What is shown stays as it was when this was fetched. */
export const timeView = signal<wire.TimeView | null>(null);
/** The moment shown; it stays until the next one has arrived. */
export const moment = signal<wire.TimeMoment | null>(null);
/** The row that was chosen last. */
export const chosenRow = signal(0);
/** The branch whose moments the line leads through; null: the line that counts. */
export const branchShown = signal<wire.BranchView | null>(null);

const NO_LINE: wire.TimeLine = { turns: [], steps: [] };
const kept = new Map<number, wire.TimeMoment>();

/** The moments to go through, oldest first: those of a branch come after what both lines share. */
export const path = computed<wire.TimeLine>(() => {
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
  openSheet({ kind: "time" });
  await fetchTime();
}

/** Fetch the moments again, and show now. */
export async function fetchTime(): Promise<void> {
  const answer = await api.time();
  if (answer.kind !== "done") return showFailure(answer);
  if (sheet.value?.kind !== "time") return;
  kept.clear();
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

export function turnOf(index: number): wire.TimeTurn | null {
  return path.value.turns[index] ?? null;
}

/** The row so many steps or turns away; null if the path ends. */
export function rowAway(kind: "step" | "turn", by: 1 | -1): number | null {
  const { turns, steps } = path.value;
  const rows = kind === "step" ? steps : turns.map((one) => one.row);
  const now = chosenRow.value;
  const found =
    by > 0 ? rows.find((row) => row > now) : [...rows].reverse().find((row) => row < now);
  return found ?? null;
}

/** Show the end of a branch; null: the line that counts, now. */
export function seeBranch(branch: wire.BranchView | null): void {
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

/** Answers whose chances lie nearer than this are as good as each other. */
const MATTERS = 0.02;

/** Whether it makes no difference to speak of which answer is given. */
export function hardlyMatters({ lines }: wire.CoachAnswer): boolean {
  const chances = lines.map((line) => line.chance);
  return lines.length > 1 && Math.max(...chances) - Math.min(...chances) < MATTERS;
}

/** Whether this phone's own seat decides now, and wants odds. */
export const hasOdds = computed(
  () => prefs.value.odds && acting.value !== null && acting.value === you.value.seat,
);
/** null: not fetched yet, or refused. */
export const keeps = signal<wire.KeepsAnswer | null>(null);
export const coach = signal<wire.CoachAnswer | null>(null);
export const refusedOdds = signal<wire.Words | null>(null);
export const coaching = signal(false);

function openDice(): wire.PreviewRequest {
  const question = game.value?.question ?? null;
  const one = question?.kind === "roll" && question.main ? throwOf(question) : null;
  if (one === null || one.missing > 0 || one.gone.length > 0) return { faces: [] };
  return { faces: one.faces, rethrown: one.rethrown };
}

let knownDice: { readonly key: string; readonly request: wire.PreviewRequest } | null = null;

/**
 * The dice of the open roll, if all are known. The same object until the dice or the game change: a view that only
 * says who is here, or what the camera does, must not throw away what was worked out.
 */
export const dice = computed<wire.PreviewRequest>(() => {
  const request = openDice();
  const key = JSON.stringify([view.value?.table, view.value?.rev, request]);
  if (knownDice?.key !== key) knownDice = { key, request };
  return knownDice.request;
});

/** Whether the dice that lie here were entered, so that those to throw again can be marked. */
export const canMark = computed(() => {
  const question = game.value?.question ?? null;
  if (question === null || activeProposal.value !== null) return false;
  return question.rethrow.length > 0 && (dice.value.rethrown ?? []).length === 0;
});

/** Mark all dice but these as thrown again, and go back to them. */
export function keepDice(kept: readonly number[]): void {
  const again = (game.value?.question?.rethrow ?? []).filter((index) => !kept.includes(index));
  thrown.value = Object.fromEntries(again.map((index) => [index, null]));
  closeSheet();
}

/** Forget what was worked out, and what is being worked out. */
function startOver(): void {
  keeps.value = null;
  coach.value = null;
  refusedOdds.value = null;
  coaching.value = false;
}

/** Open the page; the coach is asked by a tap of its own. */
export function openOdds(): void {
  startOver();
  openSheet({ kind: "odds" });
}

/** Begin again for these dice or this question; `roll`: fetch the ways to keep the dice. */
export async function fetchKeeps(request: wire.PreviewRequest, roll: boolean): Promise<void> {
  startOver();
  if (!roll) return;
  const answer = await api.keeps(request);
  if (sheet.value?.kind === "odds" && dice.value === request) keeps.value = taken(answer);
}

export async function askCoach(): Promise<void> {
  const request = dice.value;
  coaching.value = true;
  const answer = await api.coach(request);
  // Another question has begun again meanwhile.
  if (dice.value !== request) return;
  coaching.value = false;
  coach.value = taken(answer);
}

/** Return what came; a refusal is shown on the page. */
function taken<T>(answer: Answer<T>): T | null {
  refusedOdds.value = null;
  if (answer.kind === "done") return answer.value;
  refusedOdds.value = failureWords(answer, "error.forecast.late");
  return null;
}

type LatestPreview = Readonly<{ key: string; answer: wire.PreviewAnswer }>;

/** The newest preview, with the key of its query. */
export const latestPreview = signal<LatestPreview | null>(null);
let wanted = "";

/** Dice, which of them were rerolled, and the order of their groups. */
export interface PreviewQuery {
  readonly faces: readonly wire.Face[];
  readonly rethrown: readonly number[];
  readonly order: readonly wire.Face[];
}

export function keyOf(query: PreviewQuery, rev: number): string {
  return `${rev}:${query.faces.join(",")}:${query.rethrown.join(",")}:${query.order.join(",")}`;
}

/** Fetch a preview unless it is there or being fetched. Call it from an effect. */
export async function fetchPreview(query: PreviewQuery, rev: number): Promise<void> {
  const key = keyOf(query, rev);
  if (key === wanted) return;
  wanted = key;
  const answer = await api.preview(query);
  if (wanted !== key) return;
  if (answer.kind === "done") latestPreview.value = { key, answer: answer.value };
  else wanted = "";
}

/** Return the preview of exactly these dice; null until it is there. */
export function previewOf(query: PreviewQuery, rev: number): wire.PreviewAnswer | null {
  return latestPreview.value?.key === keyOf(query, rev) ? latestPreview.value.answer : null;
}

/** Return the preview that came with the proposal; null if a face was corrected or dice were rerolled. */
export function proposalPreview(
  question: wire.Question,
  proposal: wire.Proposal | null,
): wire.PreviewAnswer | null {
  if (proposal === null || !question.main || question.showing.length > 0) return null;
  if (Object.keys(fixes.value).length > 0) return null;
  return proposal.preview;
}

const MOST_ORDERS = 40;
const asked = new Set<string>();

/** Previews of orders of the dice on the screen, with the reasons for them, by the keys of their queries. */
export const orderPreviews = signal<ReadonlyMap<string, wire.PreviewAnswer>>(new Map());

/** Fetch the preview of an order with its reasons, unless it is there or being fetched. Call it from an effect. */
export async function fetchOrder(query: PreviewQuery, rev: number): Promise<void> {
  const key = keyOf(query, rev);
  if (asked.has(key)) return;
  if (asked.size >= MOST_ORDERS) {
    asked.clear();
    orderPreviews.value = new Map();
  }
  asked.add(key);
  const answer = await api.preview({ ...query, why: true });
  if (answer.kind === "done")
    orderPreviews.value = new Map([...orderPreviews.value, [key, answer.value]]);
  else asked.delete(key);
}

/** What cards are called in the table's box, by card: names that were tied to them. */
export const tiedNames = signal<Readonly<Record<string, string>>>({});

/** Read which names are tied to cards; tie this one first. */
export async function readCardNames(tie?: wire.CardNameRequest): Promise<void> {
  const answer = await (tie === undefined ? api.cardNames() : api.nameCard(tie));
  if (answer.kind === "done") tiedNames.value = answer.value.names;
}
