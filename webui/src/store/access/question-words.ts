/** The open question of this phone in words: who is asked, and what for. */
import type { Question } from "../../wire";
import { you } from "../table/table";
import { askedSeat } from "../turn/turn";
import { knows, t } from "../words";

export function questionWords(question: Question, seat: number): { who: string; what: string } {
  const own = seat === you.value.seat;
  const turn = own && question.kind === "roll" && question.main;
  const what = knows(`waiting.${question.key}`)
    ? `waiting.${question.key}`
    : `waiting.${question.kind}`;
  const who = turn ? "front.turn" : own ? "front.asked" : "front.for";
  return { who: t(who, { seat: askedSeat(question) }), what: t(what) };
}
