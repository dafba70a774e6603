/** The story of a finished game: fetched when it is looked at, and when a game has just ended. */
import { signal } from "@preact/signals";
import type { GameView, StoryView, Words } from "../../wire";
import { closeSheet, openSheet } from "../phone/route";
import { api } from "../server/api";
import { openPastGame, past } from "../table/games";
import { game, view } from "../table/table";

interface Fetched {
  readonly id: string;
  /** The row that the story was asked for: another end has another story. */
  readonly rev: number;
  /** null: being worked out, or refused. */
  readonly story: StoryView | null;
  readonly refused: Words | null;
}

const fetched = signal<Fetched | null>(null);

/** Return what is known of a game's story. */
export function storyOf(id: string): Fetched | null {
  return fetched.value?.id === id ? fetched.value : null;
}

/** Fetch the story, unless that of this row is here or on its way. */
export async function fetchStory(id: string, rev: number): Promise<void> {
  const known = fetched.peek();
  if (known?.id === id && known.rev === rev && known.refused === null) return;
  const asked: Fetched = { id, rev, story: null, refused: null };
  fetched.value = asked;
  const answer = await api.story(id);
  if (fetched.peek() !== asked) return;
  if (answer.kind === "done") fetched.value = { ...asked, story: answer.value };
  else {
    const refused =
      answer.kind === "refused" ? answer.problem.error : { key: "error.forecast.late", args: {} };
    fetched.value = { ...asked, refused };
  }
}

/** The row that the shown game stands at. */
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
