/** News: what came of the latest command, one sentence each: who was hit, entered, left, bought, won. */
import { game } from "../../store/table/table";
import { explained } from "../../store/words";
import type { NewsLine } from "../../wire";
import { IdSign } from "../parts/kit";

const SHOWN = 2;

/** The results of the latest command, newest first, as many as fit into a screen's head. */
export function newest(): readonly NewsLine[] {
  const all = game.value?.happened ?? [];
  return all.filter((one) => one.act === all[0]?.act).slice(0, SHOWN);
}

/** Further results of the last roll. */
export function earlier(): readonly NewsLine[] {
  return (game.value?.happened ?? []).slice(newest().length);
}

/** The news; it stays until something else happens. */
export function News({ over }: { readonly over: boolean }) {
  const news = newest();
  // A head always reserves its space; over a picture it needs none.
  if (news.length === 0 && over) return null;
  return (
    <div class={`news col gap-2 bold leading-120 ${over ? "over" : ""}`}>
      {news.map((one, index) => (
        <p key={index}>
          <IdSign id={one.sign} size={18} meaning={false} /> {explained(one)}
        </p>
      ))}
    </div>
  );
}
