/** The files of a game, and its links for BG Stats. */
import { computed, signal } from "@preact/signals";
import type { PlayAnswer } from "../../wire";
import { prefs } from "../phone/prefs";
import { openSheet, sheet } from "../phone/route";
import { api } from "../server/api";
import { showFailure } from "../server/outbox";

interface Fetched {
  readonly id: string;
  readonly play: PlayAnswer;
}

const fetched = signal<Fetched | null>(null);

/** The links of the open sheet's game; null until they are fetched. */
export const play = computed<PlayAnswer | null>(() => {
  const open = sheet.value;
  return open?.kind === "export" && fetched.value?.id === open.id ? fetched.value.play : null;
});

/** Open the sheet with everything that can be kept of a game. */
export async function openExport(id: string, ended: boolean): Promise<void> {
  openSheet({ kind: "export", id, ended });
  if (!ended) return;
  const answer = await api.play(id, prefs.value.language);
  if (answer.kind === "done") fetched.value = { id, play: answer.value };
  else showFailure(answer);
}

/** The address of a game's file. */
export function fileOf(id: string, name: "scores.csv" | "log.jsonl"): string {
  return `/api/games/${encodeURIComponent(id)}/${name}`;
}

/** The address of the QR code for BG Stats. */
export function playQr(id: string): string {
  return `/api/games/${encodeURIComponent(id)}/bgstats.svg?lang=${prefs.value.language}`;
}
