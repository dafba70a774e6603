/** A screen that only shows, a television or an overlay: how it gets in, its view, its language, the last game's story. */
import { computed, effect, signal } from "@preact/signals";
import type { GameView, StoryView, ViewerKind, ViewerView, You } from "../wire";
import { api, freshId } from "./api";
import { LANGUAGES, type Language, prefs } from "./prefs";
import { fallsOf, oneByOne } from "./reminders";
import { makeSource, type Source, TV_WAIT_MS } from "./source";
import { inOrder, STRANGER, show, stranger } from "./table";
import { loadWords } from "./words";

/** Both kinds share one page; the address tells which this is. */
export const kind: ViewerKind = window.location.pathname === "/overlay" ? "overlay" : "tv";
/** null: nothing received yet, or not let in. */
export const viewer = signal<ViewerView | null>(null);
/** What a television shows in its code until the host lets it in. */
export const pair = freshId();
const PAIR_MS = 2_000;

const NOBODY: You = { ...STRANGER, role: "spectator" };
let source: Source | null = null;

/** Monsters that have just fallen, with the roll that did it: each the whole picture, for a moment. */
export const moments = oneByOne(8_000);

/** Show the falls that are news on this screen; what happened before it was let in is only listed. */
function watchFalls(before: GameView | null, now: GameView | null): void {
  if (before === null || now === null) return;
  const known = Math.max(0, ...before.happened.map((one) => one.act));
  const falls = fallsOf(inOrder(now.happened)).filter((one) => one.act > known);
  if (falls.length > 0) moments.show(falls);
}

function take(fresh: ViewerView): void {
  watchFalls(viewer.value?.game ?? null, fresh.game);
  const nothing = { rev: 0, table: "", notices: [], log: [], undo: null, redo: null };
  const people = { persons: [], claims: [], host: null, host_lost: false };
  viewer.value = fresh;
  show({
    run: fresh.run,
    number: fresh.number,
    you: NOBODY,
    view: { ...fresh, ...nothing, people },
  });
}

/** Ask again and again until the host has let this television in. */
async function waitForHost(): Promise<void> {
  const answer = await api.pair({ pair });
  if (answer.kind === "done" && answer.value.let_in) source?.open();
  else window.setTimeout(() => void waitForHost(), PAIR_MS);
}

/** Let this screen in by the token in the address's fragment, which is removed; then listen. */
export async function startScreen(): Promise<void> {
  watchLanguage();
  watchStory();
  const token = window.location.hash.slice(1);
  if (token !== "") {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    await api.enter(kind, { token, code: null });
  }
  const stream = makeSource({
    path: `/api/${kind}/stream`,
    begin: () => source?.open(),
    longest: TV_WAIT_MS,
    on: {
      message: (data) => take(JSON.parse(data) as ViewerView),
      beat: () => undefined,
      stranger: () => {
        source?.close();
        stranger.value = true;
        viewer.value = null;
        if (kind === "tv") void waitForHost();
      },
    },
  });
  source = stream;
  window.addEventListener("online", stream.open);
  stream.open();
}

function known(name: string | null | undefined): Language | undefined {
  return LANGUAGES.find((one) => one === name);
}

/** The language of the address, else the host's choice, else the browser's. */
function watchLanguage(): void {
  const asked = known(new URLSearchParams(window.location.search).get("lang"));
  const own = asked ?? prefs.peek().language;
  let spoken: Language | null = null;
  effect(() => {
    const language = asked ?? known(viewer.value?.language) ?? own;
    if (language === spoken) return;
    spoken = language;
    prefs.value = { ...prefs.peek(), language };
    void loadWords(language);
  });
}

const AGAIN_MS = 15_000;
const MOST_TRIES = 4;
const fetched = signal<{ readonly end: string; readonly story: StoryView } | null>(null);

/** What tells one end from another; "" while the game goes on. */
const end = computed(() => {
  const game = viewer.value?.game ?? null;
  if (kind !== "tv" || game === null || game.ended === null) return "";
  const numbers = game.seats.map(({ health, stars, energy }) => [health, stars, energy]);
  return JSON.stringify([viewer.value?.run, game.turn, game.ended, numbers]);
});

/** null: no game has ended, or its story is not here yet. */
export const story = computed<StoryView | null>(() =>
  fetched.value?.end === end.value ? fetched.value.story : null,
);

function watchStory(): void {
  effect(() => {
    if (end.value !== "") void loadStory(end.value, 1);
  });
}

async function loadStory(which: string, attempt: number): Promise<void> {
  const answer = await api.shownStory();
  if (which !== end.peek()) return;
  if (answer.kind === "done") fetched.value = { end: which, story: answer.value };
  else if (attempt < MOST_TRIES)
    window.setTimeout(() => void loadStory(which, attempt + 1), AGAIN_MS);
}
