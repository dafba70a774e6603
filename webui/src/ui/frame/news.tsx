/** What came of the newest act, in a sentence each: who was hit, entered, left, fell, won. */
import { game } from "../../store/table/table";
import { say } from "../../store/words";
import type { Happened } from "../../wire";
import { IdSign } from "../parts/kit";

const SHOWN = 2;

/** What the newest act came to, the newest first, as far as a screen's head has room for it. */
export function newest(): readonly Happened[] {
  const all = game.value?.happened ?? [];
  return all.filter((one) => one.act === all[0]?.act).slice(0, SHOWN);
}

/** What the last roll came to beside that. */
export function earlier(): readonly Happened[] {
  return (game.value?.happened ?? []).slice(newest().length);
}

/** Stays until something else happens: nothing moves by itself. */
export function News({ over }: { readonly over: boolean }) {
  const news = newest();
  // Its room in a head is always there; over a picture it needs none.
  if (news.length === 0 && over) return null;
  return (
    <div class={over ? "news over" : "news"} role="status">
      {news.map((one, index) => (
        <p key={index}>
          <IdSign id={one.sign} size={18} meaning={false} /> {say(one.words)}
        </p>
      ))}
    </div>
  );
}
