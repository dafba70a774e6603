/** What screen readers hear of what happened: each sentence once, after the table has settled. */
import { effect, signal } from "@preact/signals";
import type { NewsLine } from "../../wire";
import { game, view, you } from "../table/table";
import { acting, questionWords } from "../turn/turn";
import { explained } from "../words";

const SETTLED_MS = 600;

/** The newest announcement: what hurts this phone's Monster, and everything else. */
export const announced = signal({ hurt: "", other: "" });

/** The question that this phone is asked, announced at once when it comes; empty when none is open. */
export const asked = signal("");

/** The table and the last command of it that was announced. */
let heard: { readonly table: string; readonly act: number } | null = null;
let clock = 0;

function newestAct(happened: readonly NewsLine[]): number {
  return happened.reduce((newest, one) => Math.max(newest, one.act), 0);
}

/** The sentences of these, the oldest command first. */
function text(happened: readonly NewsLine[]): string {
  const inOrder = [...happened].sort((one, other) => one.act - other.act);
  return inOrder.map(explained).join(". ");
}

function announce(): void {
  const table = view.value?.table ?? "";
  const happened = game.value?.happened ?? [];
  const act = heard?.act ?? 0;
  const fresh = happened.filter((one) => one.act > act);
  heard = { table, act: Math.max(act, newestAct(happened)) };
  if (fresh.length === 0) return;
  const seat = you.value.seat;
  const isMine = (one: NewsLine) => seat !== null && one.hurt.includes(seat);
  announced.value = {
    hurt: text(fresh.filter(isMine)),
    other: text(fresh.filter((one) => !isMine(one))),
  };
}

/** Announce each question to this phone once. */
export function watchAsked(): void {
  let known = "";
  effect(() => {
    const question = game.value?.question ?? null;
    const seat = acting.value;
    const own = seat === you.value.seat;
    const id = question === null || seat === null ? "" : `${question.id} ${own}`;
    if (id === known) return;
    known = id;
    if (question === null || seat === null) asked.value = "";
    else {
      const { who, what } = questionWords(question, seat);
      asked.value = `${who} ${what}`;
    }
  });
}

/** Announce what happens from now on; what happened before the page was opened is only shown. */
export function watchNews(): void {
  effect(() => {
    const now = view.value;
    if (now === null) return;
    const happened = now.game?.happened ?? [];
    if (heard?.table !== now.table) heard = { table: now.table, act: newestAct(happened) };
    window.clearTimeout(clock);
    if (newestAct(happened) > heard.act) clock = window.setTimeout(announce, SETTLED_MS);
  });
}
