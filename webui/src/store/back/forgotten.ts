/** What was forgotten: the service's findings, fetched while they are looked at. */
import { signal } from "@preact/signals";
import type { Finding, ForgottenRequest, ForgottenView } from "../../wire";
import { go, openSheet, sheet } from "../phone/route";
import { api } from "../server/api";
import { send, showFailure } from "../server/outbox";
import { view } from "../table/table";

interface Fetched {
  readonly table: string;
  readonly found: ForgottenView;
}

const fetched = signal<Fetched | null>(null);
let wanted = "";

/** The findings of the game that is played; null until they are fetched. */
export function forgotten(): ForgottenView | null {
  const found = fetched.value;
  return found !== null && found.table === view.value?.table ? found.found : null;
}

export function openForgotten(): void {
  openSheet({ kind: "forgotten" });
}

/** What the findings depend on: the rows of the log. */
export function forgottenKey(): string {
  const now = view.value;
  return `${now?.table ?? ""} ${now?.rev ?? 0}`;
}

/** Fetch the findings, unless they are being fetched for the same state. */
export async function fetchForgotten(key: string): Promise<void> {
  if (wanted === key) return;
  wanted = key;
  const table = view.value?.table ?? "";
  const answer = await api.forgotten();
  if (wanted !== key) return;
  if (answer.kind === "done") fetched.value = { table, found: answer.value };
  else {
    wanted = "";
    if (sheet.value?.kind === "forgotten") showFailure(answer);
  }
}

/** Mend a finding. */
export function giveBack(found: ForgottenView, one: Finding): void {
  if (one.fix === null) return;
  const seat = one.seat ?? 0;
  send({ key: "act.give", args: { seat } }, [one.fix], null, found.rev);
}

async function act(request: ForgottenRequest): Promise<void> {
  const table = view.value?.table ?? "";
  const answer = await api.actOnForgotten({ ...request, table });
  if (answer.kind === "done") fetched.value = { table, found: answer.value };
  else showFailure(answer);
}

export function leaveRest(): void {
  void act({ act: "leave" });
}

export function askAgain(): void {
  void act({ act: "ask" });
}

/** Show everybody's numbers, to compare them with the table. */
export function checkDials(): void {
  go("table");
}
