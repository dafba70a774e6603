/** The game that sentences refer to: the current one, or an earlier one being viewed. */
import { signal } from "@preact/signals";
import type { GameView } from "../../wire";

const earlier = signal<GameView | null>(null);

/** Set the earlier game; null: sentences refer to the current one. */
export function setPastGame(one: GameView | null): void {
  earlier.value = one;
}

export function pastGame(): GameView | null {
  return earlier.value;
}
