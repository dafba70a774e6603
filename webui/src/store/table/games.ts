/** Games that are over or were left: the list, one that is fetchedGame at, and the score that is kept until it is left. */
import { computed, effect, signal } from "@preact/signals";
import type { GameLine, GameView, PastGame } from "../../wire";
import { closeSheet, go, openSheet, sheet, tab } from "../phone/route";
import { api } from "../server/api";
import { send, showFailure } from "../server/outbox";
import { beginAt } from "./lobby";
import { setPastGame } from "./past-game";
import { game, show, view } from "./table";

/** null: not answered yet. */
export const games = signal<readonly GameLine[] | null>(null);
const fetchedGame = signal<PastGame | null>(null);
/** The final score of the game before, while the host sets the next: kept until somebody leaves it. */
export const score = signal<GameView | null>(null);

/** The game that the open sheet is about; null until the table has answered. */
export const past = computed<PastGame | null>(() => {
  const open = sheet.value;
  return open?.kind === "past" && fetchedGame.value?.id === open.id ? fetchedGame.value : null;
});

/** The list is on the screen, and new. */
export async function openGames(): Promise<void> {
  openSheet({ kind: "games" });
  const answer = await api.games();
  if (answer.kind === "done") games.value = answer.value.games;
  else showFailure(answer);
}

/** That game is on the screen, to be fetchedGame at. */
export async function openPastGame(id: string): Promise<void> {
  openSheet({ kind: "past", id });
  const answer = await api.past(id);
  if (answer.kind === "done") fetchedGame.value = answer.value;
  else showFailure(answer);
}

/** That game is played on, on every phone. */
export async function resumeGame(id: string): Promise<void> {
  const answer = await api.resumeGame({ id });
  if (answer.kind !== "done") return showFailure(answer);
  go("monster");
  show(answer.value);
}

let leaving = false;

/** The table is set again with the same box and seats; the game that was stays in the list. */
export function setUpAgain({ game: box, edition, house, seats, ended }: GameView): void {
  leaving = true;
  beginAt(ended === null ? "seats" : "start");
  closeSheet();
  tab.value = "monster";
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

/** From now on a final score that is fetchedGame at stays when another phone sets the next game. */
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
