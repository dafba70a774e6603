/** Earlier games: the list, the one being viewed, and the final score kept on the screen. */
import { computed, effect, signal } from "@preact/signals";
import type { GameLine, GameView, PastGame } from "../../wire";
import { closeSheet, go, openSheet, sheet, tab } from "../phone/route";
import { api } from "../server/api";
import { send, showFailure } from "../server/outbox";
import { isDemo, layDemoDice } from "../turn/tray";
import { beginAt } from "./lobby";
import { game, setPastGame, show, view } from "./table";

/** null: not fetched yet. */
export const games = signal<readonly GameLine[] | null>(null);
const fetchedGame = signal<PastGame | null>(null);
/** The final score of the previous game while the host sets up the next; kept until it is closed. */
export const score = signal<GameView | null>(null);

/** The sheets about one game. */
const OF_A_GAME: readonly string[] = ["past", "story", "picture"];

/** The earlier game of the open sheet; null until it is fetched. */
export const past = computed<PastGame | null>(() => {
  const open = sheet.value;
  const id = open !== null && OF_A_GAME.includes(open.kind) && "id" in open ? open.id : null;
  return fetchedGame.value?.id === id ? fetchedGame.value : null;
});

/** Open the list of games, freshly fetched. */
export async function openGames(): Promise<void> {
  openSheet({ kind: "games" });
  const answer = await api.games();
  if (answer.kind === "done") games.value = answer.value.games;
  else showFailure(answer);
}

/** Open an earlier game, to view it. */
export async function openPastGame(id: string): Promise<void> {
  openSheet({ kind: "past", id });
  const answer = await api.past(id);
  if (answer.kind === "done") fetchedGame.value = answer.value;
  else showFailure(answer);
}

/** Continue that game on every phone. */
export async function resumeGame(id: string): Promise<void> {
  const answer = await api.resumeGame({ id });
  if (answer.kind !== "done") return showFailure(answer);
  go("monster");
  show(answer.value);
}

let leaving = false;

/** Set up a new game with the same box and seats, or begin another with demo dice; the present one stays in the list. */
export function setUpAgain({ game: box, edition, house, ended }: GameView): void {
  const seats = view.value?.game?.seats ?? [];
  leaving = true;
  closeSheet();
  tab.value = "monster";
  if (ended !== null && isDemo.value && seats.some((seat) => seat.player === ""))
    return void layDemoDice(true);
  beginAt(ended === null ? "seats" : "start", ended?.last ?? null);
  send({ key: "act.again", args: {} }, [
    {
      type: "TableSet",
      game: box,
      edition,
      house,
      seats: seats.map(({ player, monster }) => ({ player, monster })),
    },
  ]);
}

export function leaveScore(): void {
  score.value = null;
}

/** Keep a final score on the screen when another phone sets up the next game. */
export function watchScore(): void {
  let table = "";
  let seen: GameView | null = null;
  effect(() => {
    const now = view.value;
    if (now !== null && now.table !== table) {
      const looking = tab.peek() === "monster" && sheet.peek() === null;
      if (seen !== null && looking && !leaving) score.value = seen;
      leaving = false;
      table = now.table;
    }
    seen = game.value?.ended ? game.value : null;
  });
  effect(() => setPastGame(score.value ?? past.value?.game ?? null));
}
