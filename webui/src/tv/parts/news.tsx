/** What happened last, one sentence each. */
import { Sign, signOf } from "../../art";
import { say } from "../../store/words";
import type { Happened } from "../../wire";

export function News({
  news,
  most,
}: {
  readonly news: readonly Happened[];
  readonly most: number;
}) {
  return (
    <div class="tv-news">
      {news.slice(0, most).map((one, index) => (
        <p key={index} class={index === 0 ? "" : "muted"}>
          <Sign name={signOf(one.sign, "hand")} size={34} /> {say(one.words)}
        </p>
      ))}
    </div>
  );
}
