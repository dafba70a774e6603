/** Statistics, stories and files of finished games, and figures as the phone's language writes them. */
import { computed, signal } from "@preact/signals";
import type { GameView, KnownName, PlayAnswer, StatisticsView, StoryView, Words } from "../wire";
import { api } from "./api";
import { openPastGame, past } from "./games";
import { failureWords, took } from "./outbox";
import { prefs } from "./prefs";
import { closeSheet, openSheet, sheet } from "./route";
import { game, view } from "./table";
import { dayAndMonth, knows, locales, t } from "./words";

/** A number with so many decimals at most. */
export function figure(value: number, decimals = 0): string {
  return value.toLocaleString([...locales()], { maximumFractionDigits: decimals });
}

/** A number with exactly so many decimals. */
export function fixed(
  value: number,
  decimals: number,
  style: "decimal" | "percent" = "decimal",
): string {
  return value.toLocaleString([...locales()], {
    style,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** A share in hundredths, without a sign. */
export function hundredths(share: number, decimals = 0): string {
  return fixed(100 * share, decimals);
}

/** A share with its sign. */
export function percent(share: number, decimals = 1): string {
  return fixed(share, decimals, "percent");
}

/** A day without its time; "" for an invalid one. */
export function date(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleDateString([...locales()], dayAndMonth());
}

type FetchedPlay = Readonly<{ id: string; play: PlayAnswer }>;

const fetchedPlay = signal<FetchedPlay | null>(null);

/** The links of the open sheet's game; null until they are fetched. */
export const play = computed<PlayAnswer | null>(() => {
  const open = sheet.value;
  return open?.kind === "export" && fetchedPlay.value?.id === open.id
    ? fetchedPlay.value.play
    : null;
});

/** Open the sheet with everything that can be kept of a game. */
export async function openExport(id: string, ended: boolean): Promise<void> {
  openSheet({ kind: "export", id, ended });
  if (!ended) return;
  await took(api.play(id, prefs.value.language), (found) => {
    fetchedPlay.value = { id, play: found };
  });
}

/** The address of a game's file. */
export function fileOf(id: string, name: "scores.csv" | "log.jsonl"): string {
  return `/api/games/${encodeURIComponent(id)}/${name}`;
}

/** The address of the QR code for BG Stats. */
export function playQr(id: string): string {
  return `/api/games/${encodeURIComponent(id)}/bgstats.svg?lang=${prefs.value.language}`;
}

export const SEGMENTS = ["players", "monsters", "dice"] as const;
export type Segment = (typeof SEGMENTS)[number];

const AGAIN_MS = 2_000;

/** null: not fetched yet. */
export const statistics = signal<StatisticsView | null>(null);
export const segment = signal<Segment>("players");
/** The box whose dice are shown; "": that of the most dice. */
export const diceBox = signal("");
let clock = 0;

/** Open the statistics, freshly fetched. */
export async function openStatistics(): Promise<void> {
  openSheet({ kind: "statistics" });
  await fetchStatistics();
}

async function fetchStatistics(): Promise<void> {
  window.clearTimeout(clock);
  await took(api.statistics(), take);
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

/** Count the games of `name` as those of `into`; without `into`: take them apart. Return whether it was done. */
export function changeNames(name: string, into: string | null): Promise<boolean> {
  return took(api.changeNames({ name, into }), take);
}

/** A card's name in a box that need not be the one being played. */
export function cardIn(game: string, id: string): string {
  const key = `card.${game}.${id}.name`;
  return knows(key) ? t(key) : id.replace(/_/g, " ");
}

/** Those who played last come first; null until they are fetched, empty if the table does not answer. */
export const knownNames = signal<readonly KnownName[] | null>(null);

export async function fetchNames(): Promise<void> {
  const answer = await api.names();
  knownNames.value = answer.kind === "done" ? answer.value.names : (knownNames.value ?? []);
}

interface FetchedStory {
  readonly id: string;
  /** The row that the story was asked for: another end has another story. */
  readonly rev: number;
  /** null: being worked out, or refused. */
  readonly story: StoryView | null;
  readonly refused: Words | null;
}

const fetchedStory = signal<FetchedStory | null>(null);

/** Return what is known of a game's story. */
export function storyOf(id: string): FetchedStory | null {
  return fetchedStory.value?.id === id ? fetchedStory.value : null;
}

/** Fetch the story, unless that of this row is here or on its way. */
export async function fetchStory(id: string, rev: number): Promise<void> {
  const known = fetchedStory.peek();
  if (known?.id === id && known.rev === rev && known.refused === null) return;
  const asked: FetchedStory = { id, rev, story: null, refused: null };
  fetchedStory.value = asked;
  const answer = await api.story(id);
  if (fetchedStory.peek() !== asked) return;
  if (answer.kind === "done") fetchedStory.value = { ...asked, story: answer.value };
  else fetchedStory.value = { ...asked, refused: failureWords(answer, "error.forecast.late") };
}

function rowOf(id: string): number {
  return view.value?.table === id ? view.value.rev : 0;
}

export async function openStory(id: string): Promise<void> {
  openSheet({ kind: "story", id });
  await fetchStory(id, rowOf(id));
}

export async function openPicture(id: string): Promise<void> {
  openSheet({ kind: "picture", id });
  await fetchStory(id, rowOf(id));
}

/** Go back to where the story was opened: an earlier game, or the screen below. */
export function leaveStory(id: string): void {
  if (past.value === null || view.value?.table === id) closeSheet();
  else void openPastGame(id);
}

/** The last position of the game that the open story is about: of the one on the table, how it stands now. */
export function gameOf(id: string): GameView | null {
  return view.value?.table === id ? game.value : (past.value?.game ?? null);
}
