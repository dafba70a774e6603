/** The question this phone answers and for which seat, what was entered for it, and the command of each action. */
import { computed, effect, signal } from "@preact/signals";
import type * as wire from "../wire";
import type { Face, Question } from "../wire";
import { api } from "./api";
import { type Events, send } from "./outbox";
import { keep, recall } from "./prefs";
import { openSheet } from "./route";
import { game, seatOf, update, view, you } from "./table";
import type { Throw } from "./tray";
import { knows, t } from "./words";

/** A seat of one table that this phone has chosen. */
export type SeatAt = Readonly<{ table: string; seat: number }>;

const SHARED = "monster-table.shared";

export function storedSeat(key: string): SeatAt | null {
  try {
    return JSON.parse(recall(key) ?? "null") as SeatAt | null;
  } catch {
    return null;
  }
}

const chosen = signal<SeatAt | null>(storedSeat(SHARED));

/** The other seat of this phone, while it plays at this table and has no phone of its own. */
export const sharedSeat = computed<number | null>(() => {
  const now = chosen.value;
  if (now === null || now.table !== view.value?.table) return null;
  if (you.value.seat === null || you.value.seat === now.seat) return null;
  return (seatOf(now.seat)?.phones ?? 1) === 0 ? now.seat : null;
});

/** Let this phone be asked for that seat too; null: for none but its own. */
export function shareWith(seat: number | null): void {
  const table = view.value?.table ?? "";
  chosen.value = seat === null ? null : { table, seat };
  keep(SHARED, JSON.stringify(chosen.value));
}

/** What a draft may be of: each kind is kept once. */
export type DraftKind = "typed" | "put-right" | "order" | "ahead";

export interface Kept<T> {
  /** The table with the question, dice or seat that it is about. */
  readonly of: string;
  readonly value: T;
}

function draftKey(kind: DraftKind): string {
  return `monster-table.draft.${kind}`;
}

export function remember<T>(kind: DraftKind, of: string, value: T): void {
  keep(draftKey(kind), JSON.stringify({ of, value }), "sessionStorage");
}

export function forget(kind: DraftKind): void {
  keep(draftKey(kind), "null", "sessionStorage");
}

/** Return the draft of this kind, whatever it is about; null if there is none. */
export function kept<T>(kind: DraftKind): Kept<T> | null {
  try {
    return JSON.parse(recall(draftKey(kind), "sessionStorage") ?? "null") as Kept<T> | null;
  } catch {
    return null;
  }
}

/** Return the draft about this; null if there is none. */
export function recalled<T>(kind: DraftKind, of: string): T | null {
  const found = kept<T>(kind);
  return found !== null && found.of === of && of !== "" ? found.value : null;
}

/** An order that is being made, of a table, a question and its faces. */
export const orderDraft = signal<Kept<readonly Face[]> | null>(kept("order"));

/** Store the draft; null discards it. */
export function draftOrder(draft: Kept<readonly Face[]> | null): void {
  orderDraft.value = draft;
  if (draft === null) forget("order");
  else remember("order", draft.of, draft.value);
}

/** Return the order with the face at `index` moved by `by` places. */
export function moved<T>(order: readonly T[], index: number, by: number): readonly T[] {
  const next = [...order];
  const [one] = next.splice(index, 1);
  if (one !== undefined) next.splice(index + by, 0, one);
  return next;
}

export interface AheadDraft {
  readonly seat: number;
  readonly flee: number | null;
  readonly stay: number | null;
  readonly to: string;
}

const draft = signal<Kept<AheadDraft> | null>(kept("ahead"));

/** What a draft of this seat is about: the table, and what is set ahead now. */
function aboutSeat(seat: number): string {
  return `${view.value?.table ?? ""}:${seat}:${JSON.stringify(you.value.ahead)}`;
}

/** The draft; null if there is none, or something else was set ahead since. */
export const aheadDraft = computed<AheadDraft | null>(() => {
  const found = draft.value;
  return found !== null && found.of === aboutSeat(found.value.seat) ? found.value : null;
});

/** Store the draft; null discards it. */
export function draftAhead(value: AheadDraft | null): void {
  draft.value = value === null ? null : { of: aboutSeat(value.seat), value };
  if (draft.value === null) forget("ahead");
  else remember("ahead", draft.value.of, draft.value.value);
}

const answeringFor = signal<string | null>(null);
/** The question that this phone could answer and leaves to its owner. */
const declined = signal<string | null>(null);

/** Answer the open question on this phone, for any seat. */
export function answerInPlace(): void {
  declined.value = null;
  answeringFor.value = game.value?.question?.id ?? null;
}

/** Leave the open question to its owner. */
export function leaveToOwner(): void {
  answeringFor.value = null;
  declined.value = game.value?.question?.id ?? null;
}

/** Return the seat that is asked; a question to the table is the active seat's to answer. */
export function askedSeat(question: Question): number {
  return question.seat ?? game.value?.active ?? 0;
}

export function mayAnswer(question: Question): boolean {
  const { role, seat } = you.value;
  return role === "host" || (seat !== null && question.may_answer.includes(seat));
}

/**
 * The seat this phone answers for now; null if it only waits. The host's phone answers for seats without a
 * phone, and for everybody while the table is being set up.
 */
export const acting = computed<number | null>(() => {
  const question = game.value?.question ?? null;
  if (question === null || game.value?.ended) return null;
  const asked = askedSeat(question);
  const { role, seat } = you.value;
  if (seat === asked) return asked;
  if (!mayAnswer(question)) return null;
  if (answeringFor.value === question.id || sharedSeat.value === asked) return asked;
  if (declined.value === question.id) return null;
  if (role === "host" && (seatOf(asked)?.phones === 0 || game.value?.phase === "setup"))
    return asked;
  return null;
});

/** The secret question that was opened on this phone, which is another seat's. */
const opened = signal("");

/** Open what is asked on this phone for another seat alone. */
export function openSecret(): void {
  opened.value = game.value?.question?.id ?? "";
}

/** Whether this phone asks another seat what that seat alone may read, and nobody has opened it yet. */
export const isShut = computed(() => {
  const question = game.value?.question ?? null;
  if (question === null || acting.value === null || acting.value === you.value.seat) return false;
  return question.secret && opened.value !== question.id;
});

/** Faces entered by hand for the open roll. */
export const tapped = signal<readonly Face[]>([]);
/** Dice of `Question.showing` that were rerolled, by index, with the face entered by hand; null: none yet. */
export const thrown = signal<Readonly<Record<number, Face | null>>>({});
/** Whether the roll is entered by hand rather than by the camera. */
export const byHand = signal(false);
/** Corrected faces of the proposal, by index; null: not a die. */
export const fixes = signal<Readonly<Record<number, Face | null>>>({});
/** The order of groups, if somebody has chosen one. */
export const chosenOrder = signal<readonly Face[] | null>(null);
/** The search text for a revealed card. */
export const letters = signal("");
/** The question, and the dice proposed for it, that the signals above belong to. */
let enteredFor = "";
let enteredForDice = "";

/** Enter the next die's face by hand; the camera is ignored from then on. */
export function tap(face: Face): void {
  tapped.value = [...tapped.value, face];
  byHand.value = true;
}

/** Enter the roll by hand; what the camera read is kept. */
export function countByHand(): void {
  byHand.value = true;
}

export function watchCamera(): void {
  byHand.value = false;
}

/** Remove one of the dice entered by hand. */
export function untap(index: number): void {
  tapped.value = tapped.value.filter((_, at) => at !== index);
}

export function untapLast(): void {
  untap(tapped.value.length - 1);
}

export function untapAll(): void {
  tapped.value = [];
}

/** Correct a die of the proposal; null: not a die. */
export function fixDie(index: number, face: Face | null): void {
  fixes.value = { ...fixes.value, [index]: face };
}

/** Enter the face of the first rerolled die that has none yet. */
export function nameRethrown(face: Face): void {
  const first = Object.keys(thrown.value)
    .map(Number)
    .find((index) => thrown.value[index] === null);
  if (first !== undefined) thrown.value = { ...thrown.value, [first]: face };
}

export function clearRethrown(): void {
  thrown.value = {};
}

/** Choose the order of groups; null: the service's suggestion. */
export function setOrder(order: readonly Face[] | null): void {
  chosenOrder.value = order;
}

export function setLetters(text: string): void {
  letters.value = text;
}

interface Typed {
  readonly tapped: readonly Face[];
  readonly thrown: Readonly<Record<number, Face | null>>;
  readonly byHand: boolean;
  readonly letters: string;
}

interface PutRight {
  readonly fixes: Readonly<Record<number, Face | null>>;
  readonly order: readonly Face[] | null;
}

/** The open question, by its table; empty if there is none. */
function askedNow(): string {
  const id = game.value?.question?.id;
  return id === undefined ? "" : `${view.value?.table ?? ""}:${id}`;
}

/** The dice proposed for the question; a service that starts again counts its proposals again. */
function proposedNow(question: string): string {
  const proposal = view.value?.tray.proposal?.id ?? "";
  return proposal === "" ? question : `${question}:${update.value?.run ?? ""}:${proposal}`;
}

/**
 * Reset entries for a new question, and corrections for a new proposal. Entries for the open question, and
 * corrections of the dice that are proposed, survive other tabs and a reload.
 */
export function watchQuestions(): void {
  effect(() => {
    const question = askedNow();
    const dice = proposedNow(question);
    if (question !== enteredFor) {
      enteredFor = question;
      const typed = recalled<Typed>("typed", question);
      tapped.value = typed?.tapped ?? [];
      thrown.value = typed?.thrown ?? {};
      byHand.value = typed?.byHand ?? false;
      letters.value = typed?.letters ?? "";
    }
    if (dice !== enteredForDice) {
      enteredForDice = dice;
      const right = recalled<PutRight>("put-right", dice);
      fixes.value = right?.fixes ?? {};
      chosenOrder.value = right?.order ?? null;
    }
  });
  effect(() => {
    const typed: Typed = {
      tapped: tapped.value,
      thrown: thrown.value,
      byHand: byHand.value,
      letters: letters.value,
    };
    if (enteredFor === "") return;
    const some =
      typed.byHand ||
      typed.tapped.length > 0 ||
      typed.letters !== "" ||
      Object.keys(typed.thrown).length > 0;
    if (some) remember("typed", enteredFor, typed);
    else forget("typed");
  });
  effect(() => {
    const right: PutRight = { fixes: fixes.value, order: chosenOrder.value };
    if (enteredForDice === "") return;
    if (right.order !== null || Object.keys(right.fixes).length > 0)
      remember("put-right", enteredForDice, right);
    else forget("put-right");
  });
}

export function questionWords(question: Question, seat: number): { who: string; what: string } {
  const own = seat === you.value.seat;
  const turn = own && question.kind === "roll" && question.main;
  const what = knows(`waiting.${question.key}`)
    ? `waiting.${question.key}`
    : `waiting.${question.kind}`;
  const who = turn ? "front.turn" : own ? "front.asked" : "front.for";
  return { who: t(who, { seat: askedSeat(question) }), what: t(what) };
}

// Commands: one function for each action of the game.

const label = (key: string, args: wire.Words["args"] = {}): wire.Words => ({ key, args });

let ordering = false;

/**
 * Submit the dice with the order of their groups, as one command. Where `order` is null the preview is not there
 * yet; its order is fetched first, so that a quick tap is not asked group by group.
 */
export async function applyDice(
  seat: number,
  one: Throw,
  order: readonly wire.Face[] | null,
  proposal: string | null,
): Promise<void> {
  if (ordering) return;
  if (order !== null) return sendDice(seat, one, order, proposal);
  const asked = view.value?.game?.question?.id;
  ordering = true;
  const answer = await api.preview({ faces: one.faces, rethrown: one.rethrown, order: [] });
  ordering = false;
  if (view.value?.game?.question?.id === asked)
    sendDice(seat, one, answer.kind === "done" ? answer.value.order : [], proposal);
}

/** Submit the dice as one command; `ends` are the answers that end the turn after them, in this order. */
export function sendDice(
  seat: number,
  one: Throw,
  order: readonly wire.Face[],
  proposal: string | null,
  ends: readonly string[] = [],
): void {
  const events: Events[number][] = [
    { type: "DiceRolled", faces: one.faces, rethrown: one.rethrown, final: true },
    ...ends.map((option) => ({ type: "Chosen" as const, seat, option })),
  ];
  // The order first: final dice without a question resolve at once.
  if (order.length > 1) events.unshift({ type: "OrderChosen", seat, faces: order });
  send(label("act.apply", { count: one.faces.length }), events, proposal);
}

/** Submit a throw that is not the last. */
export function sendThrow(one: Throw, proposal: string | null): void {
  send(
    label("act.throw", { count: one.faces.length }),
    [{ type: "DiceRolled", faces: one.faces, rethrown: one.rethrown, final: false }],
    proposal,
  );
}

/** Submit the order of the remaining groups. */
export function chooseOrder(seat: number, faces: readonly wire.Face[]): void {
  setOrder(null);
  send(label("act.order"), [{ type: "OrderChosen", seat, faces: [...faces] }]);
}

/** Answer a question; `before` are answers that this one implies (staying, when something is bought). */
export function choose(
  seat: number,
  option: string,
  words: wire.Words,
  before: readonly string[] = [],
): void {
  send(
    words,
    [...before, option].map((one) => ({ type: "Chosen" as const, seat, option: one })),
  );
}

export function answer(question: wire.Question, seat: number, option: wire.Option): void {
  const asked = question.seat ?? seat;
  if (question.early)
    send(option.label, [{ type: "AnsweredEarly", seat: asked, option: option.key }]);
  else choose(asked, option.key, option.label);
}

/** Have this die thrown again: by the question itself, or by a power that is used in the same command. */
export function haveThrown(question: wire.Question, seat: number, die: wire.DieOdds): void {
  const asked = question.seat ?? seat;
  const events: Events[number][] = [{ type: "Chosen", seat: asked, option: die.option }];
  if (die.ref !== "") events.unshift({ type: "PowerUsed", seat: asked, ref: die.ref });
  send(label("rethrow.this", { face: die.face }), events);
}

export function activatePower(seat: number, ref: string, words: wire.Words): void {
  send(words, [{ type: "PowerUsed", seat, ref }]);
}

export function showCard(name: string | null): void {
  const question = game.value?.question;
  const shown = question?.secret
    ? label("did.looked", { seat: question.seat ?? 0 })
    : label("act.card", { card: name ?? "" });
  send(name === null ? label("act.no_card") : shown, [{ type: "CardShown", name }]);
}

/** Leave the card that was looked at, without its name. */
export function leaveUnnamed(): void {
  send(label("choice.peeked.pass"), [{ type: "CardShown", name: "" }]);
}

/** Name the building on top of the stack that is asked about. */
export function showTile(name: string | null): void {
  send(name === null ? label("act.no_tile") : label("act.tile", { tile: name }), [
    { type: "TileShown", name },
  ]);
}

export function putOff(): void {
  send(label("act.put_off"), [{ type: "PutOff" }]);
}

/** Correct a number by hand; `from` as for `send`. */
export function correct(number: wire.Correction, from: number | null = null): void {
  send(
    label("act.correct", { seat: number.seat, what: number.what, value: number.value }),
    [{ type: "Corrected", numbers: [number], places: [], reason: "" }],
    null,
    from,
  );
}

/** Set an answer ahead for when the seat is hit in the city; null withdraws it. */
export function setAhead(seat: number, ahead: wire.Ahead | null): void {
  send(label("act.ahead", { seat }), [{ type: "AheadSaid", seat, ahead }]);
}

export function undo(seq: number): void {
  send(label("act.undo"), [{ type: "Undone", seq }]);
}

/** Undo a command; undoing the start of the game asks first. */
export function takeBack(act: wire.Undoable): void {
  if (act.host_only) openSheet({ kind: "unstart", seq: act.seq });
  else undo(act.seq);
}

export function redo(seq: number): void {
  send(label("act.redo"), [{ type: "Redone", seq }]);
}
