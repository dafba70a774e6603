/** The win chances turn by turn: lines to drag along, with a legend, or a table. */
import { useState } from "preact/hooks";
import { ChanceGraph, ChanceKey } from "../../art/chances";
import { names } from "../../store/table/table";
import { t } from "../../store/words";
import { MonsterTile } from "../../ui/parts/picture";
import type { ChanceView, SeatView, StoryView } from "../../wire";
import "./story.css";

interface ChartProps {
  readonly story: StoryView;
  readonly seats: readonly SeatView[];
}

/** The words of a moment: its turn, or the end. */
function momentOf(one: ChanceView | undefined): string {
  return one === undefined || one.ended ? t("story.end") : t("over.turn", { turn: one.turn });
}

function percent(one: ChanceView | undefined, seat: number): number {
  return Math.round(100 * (one?.chances[seat] ?? 0));
}

export function ChanceChart({ story, seats }: ChartProps) {
  const turned = story.chance.findIndex((one) => one.turn === story.turning_point?.turn);
  const [at, setAt] = useState(Math.max(0, turned));
  const now = story.chance[at];
  const words = seats.map((seat) =>
    t("story.at", { name: names.player(seat.seat), percent: percent(now, seat.seat) }),
  );
  return (
    <section class="story-chart boxed color-text picture" aria-label={t("story.chance")}>
      <p class="story-chart-head flex wrap justify-between">
        <b>{t("story.chance")}</b> <span class="muted">{t("story.drag")}</span>
      </p>
      <div class="story-graph relative">
        <ChanceGraph
          chance={story.chance}
          seats={seats}
          width={342}
          height={172}
          text={13}
          mark={{ at, words: momentOf(now) }}
        />
        <input
          type="range"
          class="story-scrub"
          min={0}
          max={story.chance.length - 1}
          value={at}
          aria-label={t("story.chance")}
          aria-valuetext={`${momentOf(now)}: ${words.join(", ")}`}
          onInput={(event) => setAt(Number(event.currentTarget.value))}
        />
      </div>
      <ul class="story-legend grid text-15" aria-hidden="true">
        {seats.map((seat, index) => (
          <li key={seat.seat}>
            <MonsterTile monster={seat.monster} size={20} />
            <ChanceKey seat={seat.seat} monster={seat.monster} />
            <span>{words[index]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The same as a table, a row a turn. */
export function ChanceTable({ story, seats }: ChartProps) {
  return (
    <div class="story-table boxed">
      <table>
        <caption>{t("story.chance")} (%)</caption>
        <thead>
          <tr>
            <th scope="col">{t("time.turn")}</th>
            {seats.map((seat) => (
              <th key={seat.seat} scope="col">
                <MonsterTile monster={seat.monster} size={28} />
                <span class="sr-only">{names.player(seat.seat)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {story.chance.map((one) => (
            <tr key={`${one.turn}${one.ended}`}>
              <th scope="row">{one.ended ? t("story.end") : one.turn}</th>
              {seats.map((seat) => (
                <td key={seat.seat}>{percent(one, seat.seat)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
