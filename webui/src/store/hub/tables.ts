/** What the hub knows: all tables by name, results, standings, and how the line to it is. */
import { computed, signal } from "@preact/signals";
import type { HubChange, ResultLine, StandingLine, TableLine } from "../../wire";

/** A table with when its line came, by this page's clock. */
export interface Heard {
  readonly line: TableLine;
  readonly at: number;
}

const QUIET_MS = 10 * 60_000;
/** How often the page looks at the clock. */
const LOOK_MS = 15_000;

const heard = signal<ReadonlyMap<string, Heard>>(new Map());
const clock = signal(Date.now());
export const results = signal<readonly ResultLine[]>([]);
export const standings = signal<readonly StandingLine[]>([]);
/** Whether the hub has its broker. */
export const connected = signal(true);
/** Whether the hub's disk takes no more rows. */
export const full = signal(false);
/** Whether a table is left out, since the hub takes no more. */
export const tooMany = signal(false);
/** Whether the oldest results were dropped, since the hub keeps no more. */
export const dropped = signal(false);
/** Whether anything has come yet, and whether the stream is open now. */
export const began = signal(false);
export const listening = signal(false);

let newest = -1;

/** All tables, by title and name. */
export const tables = computed<readonly Heard[]>(() =>
  [...heard.value.values()].sort(
    (a, b) =>
      a.line.card.title.localeCompare(b.line.card.title) || a.line.name.localeCompare(b.line.name),
  ),
);

/** Minutes since the table has done anything; 0 below ten. */
export function quietMinutes({ line, at }: Heard): number {
  const quiet = line.quiet_s * 1000 + Math.max(0, clock.value - at);
  return isPlaying(line) && quiet >= QUIET_MS ? Math.floor(quiet / 60_000) : 0;
}

export function isPlaying({ card }: TableLine): boolean {
  return card.game !== null && card.reason === null;
}

/** Why somebody should go to the table, as keys after `hub.help.`; empty where nobody needs to. */
export function helpOf(one: Heard): readonly string[] {
  const doubled = one.line.doubled ? ["doubled"] : [];
  if (!one.line.online) return [...doubled, ...(isPlaying(one.line) ? ["offline"] : [])];
  return [...doubled, ...one.line.card.help, ...(quietMinutes(one) > 0 ? ["quiet"] : [])];
}

/** Take in a message of the stream; `whole`: it has all tables, those it lacks are gone. */
function take(change: HubChange, whole: boolean): void {
  const now = Date.now();
  const next = new Map(whole ? [] : heard.peek());
  for (const name of change.gone) next.delete(name);
  for (const line of change.tables) next.set(line.name, { line, at: now });
  heard.value = next;
  if (change.results !== null) results.value = change.results;
  if (change.standings !== null) standings.value = change.standings;
  connected.value = change.connected;
  full.value = change.full;
  tooMany.value = change.too_many;
  dropped.value = change.dropped;
  clock.value = now;
  newest = change.number;
  began.value = true;
}

/** Listen to the hub; the browser opens the stream again by itself. */
export function listen(): void {
  const source = new EventSource("/api/hub/stream");
  let whole = true;
  source.addEventListener("open", () => {
    whole = true;
    listening.value = true;
  });
  source.addEventListener("message", (event: MessageEvent<string>) => {
    const change = JSON.parse(event.data) as HubChange;
    if (!whole && change.number < newest) return;
    take(change, whole);
    whole = false;
  });
  source.addEventListener("error", () => {
    listening.value = false;
    if (source.readyState === EventSource.CLOSED) window.setTimeout(listen, 5_000);
  });
}

/** Count how long tables have been quiet. */
export function watchClock(): void {
  window.setInterval(() => {
    clock.value = Date.now();
  }, LOOK_MS);
}
