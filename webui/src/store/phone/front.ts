/** Bring a new question to the front, whatever is open. */
import { effect, signal } from "@preact/signals";
import { done, pendingCommands, showRefusal } from "../server/outbox";
import { leaveScore, score } from "../table/games";
import { game, line, seatPicking, view } from "../table/table";
import { acting } from "../turn/turn";
import { closeSheet, go } from "./route";

/** How long a tap may still be meant for the previous screen. */
const SETTLE_MS = 350;

/** Whether a screen has just appeared by itself: taps are ignored. */
export const settling = signal(false);

/** Whether the newest view results from this phone's own command. */
function isOwnDoing(): boolean {
  const last = done.value;
  const now = view.value;
  return (
    pendingCommands.value.length > 0 ||
    (last !== null && now !== null && last.table === now.table && last.rev >= now.rev)
  );
}

/** Leave what covers the page beside sheets: the choice of a seat, a score of before. */
export function leaveCover(): boolean {
  const covered = seatPicking.value || score.value !== null;
  seatPicking.value = false;
  leaveScore();
  return covered;
}

/** Say that the back button now leaves the page. */
export function warnOfLeaving(): void {
  showRefusal({ key: "back.again", args: {} });
}

/** Bring questions to the front, except those that follow from this phone's own command. */
export function watchFront(): void {
  let asked = "";
  let clock = 0;
  effect(() => {
    const id = acting.value === null ? "" : (game.value?.question?.id ?? "");
    if (id === asked) return;
    asked = id;
    if (id === "" || isOwnDoing()) return;
    seatPicking.value = false;
    leaveScore();
    closeSheet();
    go("monster");
    settling.value = true;
    window.clearTimeout(clock);
    clock = window.setTimeout(() => (settling.value = false), SETTLE_MS);
  });
}

/** Reset when the connection is back. */
export const showStale = signal(false);

export function showStaleNumbers(): void {
  showStale.value = true;
}

export function watchStale(): void {
  line.subscribe((state) => {
    if (state === "live") showStale.value = false;
  });
}
