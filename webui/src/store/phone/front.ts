/** A question comes to the front of its phone, whatever is looked at. */
import { effect, signal } from "@preact/signals";
import { done, pendingCommands } from "../server/outbox";
import { leaveScore } from "../table/games";
import { seatPicking } from "../table/seat";
import { game, view } from "../table/table";
import { acting } from "../turn/turn";
import { closeSheet, tab } from "./route";

/** So long a thumb may still be on its way to what stood there before. */
const SETTLE_MS = 350;

/** True just after a screen came by itself: what is tapped now was meant for the one before. */
export const settling = signal(false);

/** Whether the newest view is what this phone's own command led to. */
function isOwnDoing(): boolean {
  const last = done.value;
  const now = view.value;
  return (
    pendingCommands.value.length > 0 ||
    (last !== null && now !== null && last.table === now.table && last.rev >= now.rev)
  );
}

/** From now on questions come to the front; what this phone's own acts lead to, in the log say, waits there. */
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
    tab.value = "monster";
    settling.value = true;
    window.clearTimeout(clock);
    clock = window.setTimeout(() => (settling.value = false), SETTLE_MS);
  });
}
