/** A Monster's numbers, and its row in the list. */
import { openSheet } from "../../store/phone/route";
import { game } from "../../store/table/table";
import { t } from "../../store/words";
import type { NumberView, SeatView, Number as What } from "../../wire";
import { Counter, IdSign, NumberSign } from "./kit";
import { MonsterTile } from "./picture";

export function numberOf(seat: SeatView, what: What): NumberView {
  return seat.numbers.find((one) => one.what === what) ?? { what, value: 0, most: 0 };
}

/** Large, just under the fold; a tap opens the number's sheet. */
export function NumberTiles({ seat }: { readonly seat: SeatView }) {
  return (
    <div class="tiles three">
      {seat.numbers.map(({ what, value, most: of }) => {
        return (
          <button
            key={what}
            type="button"
            class="number-tile"
            aria-label={
              of === null
                ? t("number.said", { what, value })
                : t("number.said_of", { what, value, most: of })
            }
            onClick={() => openSheet({ kind: "number", seat: seat.seat, what })}
          >
            <span class="number-name">
              <NumberSign what={what} size={26} />
              <span>{t(`number.${what}`)}</span>
            </span>
            <span class="number-value">
              <Counter value={value} class="huge" />
              {of !== null && <small>{t("number.of", { most: of })}</small>}
            </span>
          </button>
        );
      })}
    </div>
  );
}

/** The borough's name where there are boroughs, else the place's. */
function whereabouts(seat: SeatView): string {
  const area = game.value?.areas.find((one) => one.id === seat.area);
  return area !== undefined && area.stacks.length > 0 ? area.id : (seat.place ?? "");
}

function rowWord(seat: SeatView, active: boolean, asked: boolean): string | null {
  if (!seat.alive) return t("row.out", { turn: seat.died_turn ?? 0 });
  if (active) return t("row.turn");
  return asked ? t("row.asked") : null;
}

/** One seat in the list of all, in seat order. */
export function PlayerRow({ seat }: { readonly seat: SeatView }) {
  const now = game.value;
  const asked = now?.question?.seat === seat.seat;
  const active = now?.active === seat.seat && now.ended === null;
  const word = rowWord(seat, active, asked);
  return (
    <button
      type="button"
      class={`player-row ${active ? "active" : ""} ${asked && !active ? "asked" : ""} ${seat.alive ? "" : "out"}`}
      onClick={() => openSheet({ kind: "player", seat: seat.seat })}
    >
      <MonsterTile monster={seat.monster} size={56} out={!seat.alive} />
      <span class="player-words">
        <span class="player-name">
          <b>{seat.player}</b>{" "}
          {word !== null && <em class={active && seat.alive ? "chip go" : "chip"}>{word}</em>}
        </span>
        <span class="muted">{t(`monster.${seat.monster}`)}</span>
        <span class="player-place">
          {seat.place !== null && (
            <>
              <IdSign id="pin" size={16} meaning={false} /> {t(`place.${whereabouts(seat)}`)}
            </>
          )}
          {seat.goals.map((goal) => (
            <IdSign key={goal} id={goal} size={20} />
          ))}
        </span>
      </span>
      <span class="player-numbers">
        {seat.numbers.map(({ what, value }) => (
          <span key={what} class="player-number">
            <NumberSign what={what} size={20} />
            <Counter value={value} class="big" />
          </span>
        ))}
      </span>
    </button>
  );
}
