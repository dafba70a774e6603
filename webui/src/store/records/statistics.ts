/** Statistics of all finished games: fetched when they are looked at, and again while games are being counted. */
import { signal } from "@preact/signals";
import type { KnownName, StatisticsView } from "../../wire";
import { openSheet, sheet } from "../phone/route";
import { api } from "../server/api";
import { showFailure } from "../server/outbox";
import { knows, t } from "../words";

export const SEGMENTS = ["players", "monsters", "dice"] as const;
export type Segment = (typeof SEGMENTS)[number];

const AGAIN_MS = 2_000;

/** null: not fetched yet. */
export const statistics = signal<StatisticsView | null>(null);
export const segment = signal<Segment>("players");
/** The box whose dice are shown; "": that of the most dice. */
export const diceBox = signal("");
export const asTable = signal(false);
let clock = 0;

/** Open the statistics, freshly fetched. */
export async function openStatistics(): Promise<void> {
  openSheet({ kind: "statistics" });
  await fetchStatistics();
}

async function fetchStatistics(): Promise<void> {
  window.clearTimeout(clock);
  const answer = await api.statistics();
  if (answer.kind !== "done") return showFailure(answer);
  take(answer.value);
}

function take(found: StatisticsView): void {
  statistics.value = found;
  const open = sheet.value?.kind;
  if (found.counting > 0 && (open === "statistics" || open === "record"))
    clock = window.setTimeout(() => void fetchStatistics(), AGAIN_MS);
}

export function chooseSegment(one: Segment): void {
  segment.value = one;
}

export function chooseDice(game: string): void {
  diceBox.value = game;
}

export function showTable(shown: boolean): void {
  asTable.value = shown;
}

/** Count the games of `name` as those of `into`; without `into`: take them apart. Return whether it was done. */
export async function changeNames(name: string, into: string | null): Promise<boolean> {
  const answer = await api.changeNames({ name, into });
  if (answer.kind === "done") take(answer.value);
  else showFailure(answer);
  return answer.kind === "done";
}

/** A card's name in a box that need not be the one being played. */
export function cardIn(game: string, id: string): string {
  const key = `card.${game}.${id}.name`;
  return knows(key) ? t(key) : id.replace(/_/g, " ");
}

/** Those who played last come first; empty until they are fetched, and where the table does not answer. */
export const knownNames = signal<readonly KnownName[]>([]);

export async function fetchNames(): Promise<void> {
  const answer = await api.names();
  if (answer.kind === "done") knownNames.value = answer.value.names;
}
