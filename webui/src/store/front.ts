/** What comes to the front by itself: a new question, whatever is open, with its sound. */
import { effect, signal } from "@preact/signals";
import { leaveScore, score } from "./games";
import { done, pendingCommands, showRefusal } from "./outbox";
import { cue } from "./prefs";
import { closeSheet, go } from "./route";
import { game, line, seatPicking, view, you } from "./table";
import { acting, sharedSeat } from "./turn";
import { t } from "./words";

const REPEAT_MS = 20_000;

/** Play a sound when this phone is asked. */
export function watchAttention(): void {
  let question = "";
  let proposal = "";
  let repeat = 0;
  effect(() => {
    const asked = acting.value === null ? "" : (game.value?.question?.id ?? "");
    if (asked === question) return;
    question = asked;
    window.clearTimeout(repeat);
    document.title = asked === "" ? "Monster Table" : `● ${t("title")}`;
    if (asked === "") return;
    // Answering for another seat is no turn; a watcher has none.
    const here = you.value.seat === acting.value || sharedSeat.value === acting.value;
    const mine = here && game.value?.active === acting.value;
    cue(mine ? "turn" : "question");
    if (!mine) repeat = window.setTimeout(() => cue("question"), REPEAT_MS);
  });
  effect(() => {
    const read = view.value?.tray.proposal?.id ?? "";
    if (read === proposal) return;
    proposal = read;
    if (read !== "" && acting.value !== null) cue("read");
  });
}

/** What a television shows in the code that this phone has scanned: it waits to be let in. */
export const tvWaiting = signal("");
const TV = "tv-";

function scanned(): string | null {
  const fragment = window.location.hash.slice(1);
  return fragment.startsWith(TV) ? fragment.slice(TV.length) : null;
}

/** Take it from the address's fragment, if a camera has opened that, in a new page or in this one. */
export function watchTv(): void {
  const look = () => {
    const found = scanned();
    if (found === null) return;
    window.history.replaceState(null, "", "/");
    tvWaiting.value = found;
  };
  window.addEventListener("hashchange", look);
  look();
}

export function forgetTv(): void {
  tvWaiting.value = "";
}

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
  if (scanned() === null) showRefusal({ key: "back.again", args: {} });
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
