/** Sounds that call this phone's player: once for each turn, question, reading and problem. */
import { effect } from "@preact/signals";
import { sharedSeat } from "../access/shared";
import { game, view, you } from "../table/table";
import { acting } from "../turn/turn";
import { t } from "../words";
import { cue } from "./cues";

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
