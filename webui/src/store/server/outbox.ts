/** Commands on their way: kept and retried under one id until the table has said yes or no. */
import { signal } from "@preact/signals";
import type { Command, Words } from "../../wire";
import { cue } from "../phone/cues";
import { line, show, view } from "../table/table";
import { api, type Failure } from "./api";

export type Events = Command["events"];

export interface PendingCommand {
  readonly command: Command;
  /** What it does, for the list of things not sent. */
  readonly label: Words;
  readonly since: number;
}

export interface Refusal {
  readonly words: Words;
  readonly at: number;
}

const KEY = "monster-table.outbox";
const RETRY_MS = 1_000;
/** So long a phone may know by the answer to its command what the view has yet to tell. */
const FRESH_MS = 3_000;

export const pendingCommands = signal<readonly PendingCommand[]>(kept());
/** Why the last command was refused; shown until the next act. */
export const refusal = signal<Refusal | null>(null);

export interface Done {
  readonly table: string;
  /** `rev` of the table after it: while nothing came after, taking it back is one tap away. */
  readonly rev: number;
  readonly at: number;
  /** It took something back, so what can be offered is to do that again. */
  readonly undid: boolean;
}

/** This phone's last command, as far as the table has taken it. */
export const done = signal<Done | null>(null);

/** The last try came to nothing: the table was not reached, or had no time. */
export const failing = signal(false);

let sending = false;

function kept(): readonly PendingCommand[] {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEY) ?? "[]") as readonly PendingCommand[];
  } catch {
    return [];
  }
}

function put(list: readonly PendingCommand[]): void {
  pendingCommands.value = list;
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(list));
  } catch {
    // Not kept over a reload, then.
  }
}

function freshId(): string {
  const bytes = window.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The events are on their way to the table as one transaction. */
export function send(label: Words, events: Events, proposal: string | null = null): void {
  refusal.value = null;
  const seen = view.value?.rev ?? 0;
  const own =
    done.value?.table === view.value?.table && Date.now() - (done.value?.at ?? 0) < FRESH_MS;
  const base = own && !takesBack(events) ? Math.max(seen, done.value?.rev ?? 0) : seen;
  const command: Command = {
    command_id: freshId(),
    base_rev: base,
    events,
    proposal_id: proposal,
    table: view.value?.table ?? null,
  };
  put([...pendingCommands.value, { command, label, since: Date.now() }]);
  void flush();
}

/** Show why something was refused or did not work. */
export function showRefusal(words: Words): void {
  refusal.value = { words, at: Date.now() };
}

/** Show why a request came to nothing: the table's reason, or `silence` where it did not answer. */
export function showFailure(answer: Failure, silence = "join.silent"): void {
  showRefusal(answer.kind === "refused" ? answer.problem.error : { key: silence, args: {} });
}

/** Nothing more is offered about the last command, and no refusal is shown. */
export function dismiss(): void {
  done.value = null;
  refusal.value = null;
}

export function discard(id: string): void {
  put(pendingCommands.value.filter((pending) => pending.command.command_id !== id));
}

/** Sends what waits, oldest first, one at a time. */
export async function flush(): Promise<void> {
  if (sending) return;
  sending = true;
  try {
    for (
      let pending = pendingCommands.value[0];
      pending !== undefined;
      pending = pendingCommands.value[0]
    ) {
      if (!(await deliver(pending))) break;
    }
  } finally {
    sending = false;
  }
}

async function deliver(pending: PendingCommand): Promise<boolean> {
  const answer = await api.command(pending.command);
  const busy = answer.kind === "refused" && answer.status === 429;
  failing.value = busy || (answer.kind === "silent" && !answer.late);
  if (answer.kind === "silent" || busy) {
    window.setTimeout(() => void flush(), RETRY_MS);
    return false;
  }
  discard(pending.command.command_id);
  if (answer.kind === "done") {
    const undid = pending.command.events.some((event) => event.type === "Undone");
    done.value = { table: view.value?.table ?? "", rev: answer.value.rev, at: Date.now(), undid };
    rebase(answer.value.rev);
  } else {
    showFailure(answer);
    cue("problem");
    if (answer.problem.update !== null) show(answer.problem.update);
    if (answer.status === 409) put([]);
  }
  return true;
}

/** What was tapped after a command of this phone was meant for the table after it. */
function rebase(rev: number): void {
  put(
    pendingCommands.value.map((pending) =>
      pending.command.base_rev < rev && !takesBack(pending.command.events)
        ? { ...pending, command: { ...pending.command, base_rev: rev } }
        : pending,
    ),
  );
}

/** Undo and redo are meant for the table that was seen, and for nothing that was played since. */
function takesBack(events: Events): boolean {
  return events.some((event) => event.type === "Undone" || event.type === "Redone");
}

/** The outbox empties itself whenever there is a line. */
export function watchLine(): void {
  line.subscribe((state) => {
    if (state === "live" && pendingCommands.value.length > 0) void flush();
  });
}
