/** Commands: one function for each action of the game. */
import type * as wire from "../wire";
import { api } from "./api";
import { type Events, send } from "./outbox";
import { openSheet } from "./route";
import { game, view } from "./table";
import type { Throw } from "./tray";
import { setOrder } from "./turn";

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
  const rev = view.value?.rev;
  ordering = true;
  const answer = await api.preview({ faces: one.faces, rethrown: one.rethrown, order: [] });
  ordering = false;
  if (view.value?.rev === rev)
    sendDice(seat, one, answer.kind === "done" ? answer.value.order : [], proposal);
}

/**
 * Submit the dice and end the turn, as one command; `ends` are the answers that end it after these dice, in this
 * order.
 */
export function applyAndEnd(
  seat: number,
  one: Throw,
  order: readonly wire.Face[],
  proposal: string | null,
  ends: readonly string[],
): void {
  sendDice(seat, one, order, proposal, ends);
}

function sendDice(
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
