/** The outbox: commands being sent, kept and retried under one id until the service accepts, refuses or breaks. */
import { computed, signal } from "@preact/signals";
import type { Command, Conflict, Words } from "../wire";
import { type Answer, api, type Failure, freshId } from "./api";
import { cue, keep, recall } from "./prefs";
import { closeSheet, openSheet } from "./route";
import { game, line, show, view } from "./table";

export type Events = Command["events"];

export interface PendingCommand {
  readonly command: Command;
  /** A description for the list of unsent commands. */
  readonly label: Words;
  readonly since: number;
}

export type Refusal = Readonly<{ words: Words; at: number }>;

const KEY = "monster-table.outbox";
const RETRY_MS = 1_000;
/** How long the response to a command may be newer than the view. */
const FRESH_MS = 3_000;

export const pendingCommands = signal<readonly PendingCommand[]>(kept());
/** Why the last command was refused; shown until the next one. */
export const refusal = signal<Refusal | null>(null);

export interface Done {
  readonly command: string;
  readonly table: string;
  /** The revision it led to: until that changes, Undo is one tap away. */
  readonly rev: number;
  readonly at: number;
  /** Nothing that Undo takes back: a setting. */
  readonly setting: boolean;
  /** It was an undo, so Redo is offered. */
  readonly undid: boolean;
}

/** This phone's last accepted command. */
export const done = signal<Done | null>(null);

/** The last attempt failed: the service was not reached, or was busy. */
export const failing = signal(false);

/** Whether the view does not show yet what this phone's last command led to. */
export const behind = computed(
  () => done.value?.table === view.value?.table && (done.value?.rev ?? 0) > (view.value?.rev ?? 0),
);

let sending = false;
/** What was sent last, and to which question: a second tap before the page shows what the first did is the same. */
let last = { text: "", id: "" };

function kept(): readonly PendingCommand[] {
  try {
    return JSON.parse(recall(KEY, "sessionStorage") ?? "[]") as readonly PendingCommand[];
  } catch {
    return [];
  }
}

function put(list: readonly PendingCommand[]): void {
  pendingCommands.value = list;
  keep(KEY, JSON.stringify(list), "sessionStorage");
}

/**
 * Queue the events as one command and send it; return the command's id. `from`: the revision that the user saw, if it is
 * not the newest.
 */
export function send(
  label: Words,
  events: Events,
  proposal: string | null = null,
  from: number | null = null,
): string {
  const seen = view.value?.rev ?? 0;
  const ahead = behind.value && Date.now() - (done.value?.at ?? 0) < FRESH_MS;
  const text = JSON.stringify([view.value?.table, game.value?.question?.id, events, proposal]);
  const waits = pendingCommands.value.some((one) => one.command.command_id === last.id);
  if (text === last.text && (waits || (ahead && done.value?.command === last.id))) return last.id;
  refusal.value = null;
  const base = ahead && !takesBack(events) ? (done.value?.rev ?? seen) : seen;
  const command: Command = {
    command_id: freshId(),
    base_rev: from ?? base,
    events,
    proposal_id: proposal,
    table: view.value?.table ?? null,
  };
  last = { text, id: command.command_id };
  put([...pendingCommands.value, { command, label, since: Date.now() }]);
  void flush();
  return command.command_id;
}

/** Show why something was refused or did not work. */
export function showRefusal(words: Words): void {
  refusal.value = { words, at: Date.now() };
}

/** Why a request failed: the service's reason, or `silence` if it did not respond. */
export function failureWords(answer: Failure, silence: string): Words {
  return answer.kind === "refused" ? answer.problem.error : { key: silence, args: {} };
}

/** Show why a request failed. */
export function showFailure(answer: Failure, silence = "join.silent"): void {
  showRefusal(failureWords(answer, silence));
}

/** Use what a request brings, or show why it failed; return whether it was done. */
export async function took<T>(
  asked: Promise<Answer<T>>,
  use: (value: T) => void = () => undefined,
): Promise<boolean> {
  const answer = await asked;
  if (answer.kind === "done") use(answer.value);
  else showFailure(answer);
  return answer.kind === "done";
}

/** Clear the offer to undo the last command, and any refusal. */
export function dismiss(): void {
  done.value = null;
  refusal.value = null;
}

export function discard(id: string): void {
  put(pendingCommands.value.filter((pending) => pending.command.command_id !== id));
}

/** Send the pending commands, oldest first, one at a time. */
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
  if (answer.kind === "silent" && answer.broken) {
    failing.value = false;
    put([]); // what was sent after it was for the table that it leads to
    cue("problem");
    showRefusal({ key: "error.internal", args: {} });
    return true;
  }
  if (answer.kind === "silent" || busy) {
    window.setTimeout(() => void flush(), RETRY_MS);
    return false;
  }
  discard(pending.command.command_id);
  if (answer.kind === "done") {
    const { events } = pending.command;
    const setting = events.every((event) => event.type === "PhoneFreeSet");
    const undid = events[events.length - 1]?.type === "Undone";
    done.value = {
      command: pending.command.command_id,
      table: view.value?.table ?? "",
      rev: answer.value.rev,
      at: Date.now(),
      setting,
      undid,
    };
    rebase(answer.value.rev);
    return true;
  }
  refused(pending.command, answer);
  return true;
}

type Refused = Extract<Answer<unknown>, { readonly kind: "refused" }>;

/** Show the fresh view and why; after a conflict, ask what holds. What was sent after an outdated command goes with it. */
function refused(command: Command, answer: Refused): void {
  const { update } = answer.problem;
  const conflict = answer.problem.conflict ?? null; // a service before this page has none
  const later = conflict === null ? undefined : newestOf(conflict, pendingCommands.value);
  if (answer.status === 409) put([]);
  if (update !== null) show(update);
  if (later !== undefined) {
    // The dial was turned on meanwhile: what is asked about is where it stood at last.
    put([{ ...later, command: { ...later.command, base_rev: command.base_rev } }]);
    return;
  }
  cue("problem");
  if (conflict !== null && update !== null) {
    openConflict.value = { conflict, rev: update.view.rev };
    openSheet({ kind: "conflict" });
  } else showFailure(answer);
}

function newestOf(
  { seat, what }: Conflict,
  commands: readonly PendingCommand[],
): PendingCommand | undefined {
  return [...commands]
    .reverse()
    .find(({ command }) =>
      command.events.some(
        (event) =>
          event.type === "Corrected" &&
          (event.numbers ?? []).some((one) => one.seat === seat && one.what === what),
      ),
    );
}

/** Move pending commands to the revision that this phone's previous command led to. */
function rebase(rev: number): void {
  put(
    pendingCommands.value.map((pending) =>
      pending.command.base_rev < rev && !takesBack(pending.command.events)
        ? { ...pending, command: { ...pending.command, base_rev: rev } }
        : pending,
    ),
  );
}

/** Whether the events undo or redo: they are only valid for the revision that the user saw. */
function takesBack(events: Events): boolean {
  return events.some((event) => event.type === "Undone" || event.type === "Redone");
}

/** Send pending commands whenever the connection is back. */
export function watchLine(): void {
  line.subscribe((state) => {
    if (state === "live" && pendingCommands.value.length > 0) void flush();
  });
}

export interface OpenConflict {
  readonly conflict: Conflict;
  /** The revision it was found at: what is chosen applies to that moment alone. */
  readonly rev: number;
}

export const openConflict = signal<OpenConflict | null>(null);

/** Leave the number as it is. */
export function endConflict(): void {
  openConflict.value = null;
  closeSheet();
}
