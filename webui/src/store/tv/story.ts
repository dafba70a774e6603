/** The story of a game that has ended, for a television: asked for once for each end. */
import { computed, effect, signal } from "@preact/signals";
import type { StoryView } from "../../wire";
import { kind, view } from "./screen";

const AGAIN_MS = 15_000;
const MOST_TRIES = 4;

interface Fetched {
  readonly end: string;
  readonly story: StoryView;
}

const fetched = signal<Fetched | null>(null);

/** What tells one end from another; "" while the game goes on. */
const end = computed(() => {
  const game = view.value?.game ?? null;
  if (kind !== "tv" || game === null || game.ended === null) return "";
  const numbers = game.seats.map(({ health, stars, energy }) => [health, stars, energy]);
  return JSON.stringify([view.value?.run, game.turn, game.ended, numbers]);
});

/** null: no game has ended, or its story is not here yet. */
export const story = computed<StoryView | null>(() =>
  fetched.value !== null && fetched.value.end === end.value ? fetched.value.story : null,
);

/** Fetch the story whenever a game has ended. */
export function watchStory(): void {
  effect(() => {
    if (end.value !== "") void load(end.value, 1);
  });
}

async function load(which: string, attempt: number): Promise<void> {
  const found = await asked();
  if (which !== end.peek()) return;
  if (found !== null) fetched.value = { end: which, story: found };
  else if (attempt < MOST_TRIES) window.setTimeout(() => void load(which, attempt + 1), AGAIN_MS);
}

async function asked(): Promise<StoryView | null> {
  try {
    const headers = { "X-Monster-Table": "1" };
    const answer = await fetch("/api/tv/story", { credentials: "same-origin", headers });
    return answer.ok ? ((await answer.json()) as StoryView) : null;
  } catch {
    return null;
  }
}
