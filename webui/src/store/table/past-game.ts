/** Which game sentences speak of: the one that is played, or an earlier one that is looked at. */
import { signal } from "@preact/signals";
import type { GameView } from "../../wire";

const earlier = signal<GameView | null>(null);

/** null: sentences speak of the game that is played. */
export function setPastGame(one: GameView | null): void {
  earlier.value = one;
}

export function pastGame(): GameView | null {
  return earlier.value;
}
