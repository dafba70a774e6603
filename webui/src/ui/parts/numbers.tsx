/** A Monster's numbers, and its row in the list. */
import { Sign } from "../../art";
import "../../styles/fits/landscape.css";
import "../../styles/fits/large.css";
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
    <div class="tiles three number-tiles">
      {seat.numbers.map(({ what, value, most: of }) => {
        return (
          <button
            key={what}
            type="button"
            class="number-tile boxed col justify-between min-0 relative text-left color-text"
            aria-label={saidOf({ what, value, most: of })}
            onClick={() => openSheet({ kind: "number", seat: seat.seat, what })}
          >
            <span class="number-name row justify-between gap-4 semibold text-14">
              <IdSign id={what} size={26} />
              <span>{t(`number.${what}`)}</span>
            </span>{" "}
            <span class="number-value flex gap-6">
              <Counter value={value} class="huge" />{" "}
              {of !== null && <small>{t("number.of", { most: of })}</small>}
            </span>
          </button>
        );
      })}
    </div>
  );
}

/** How many kinds of tokens a strip has room for. */
const TOKENS = 2;

/** The numbers, tokens and cards of a seat in one row, over the dock of screens that dice are entered on. */
export function OwnStrip({ seat }: { readonly seat: SeatView }) {
  const tokens = seat.tokens.slice(0, TOKENS);
  return (
    <div
      class="own-strip grid gap-8"
      role="group"
      aria-label={t("own.label", { monster: seat.monster })}
    >
      {seat.numbers.map(({ what, value, most }) => (
        <button
          key={what}
          type="button"
          class="own-number boxed middle gap-6 min-0 relative color-text"
          aria-label={saidOf({ what, value, most })}
          onClick={() => openSheet({ kind: "number", seat: seat.seat, what })}
        >
          <NumberSign what={what} size={22} />
          <Counter value={value} class="own-value" />
        </button>
      ))}
      <button
        type="button"
        class="own-number boxed middle gap-6 min-0 relative color-text"
        aria-label={ownCards(seat)}
        onClick={() => openSheet({ kind: "player", seat: seat.seat })}
      >
        <Sign name="cards" size={22} />
        <b class="num own-value">{seat.cards.length}</b>
        {tokens.length > 0 && (
          <span class="own-tokens inline-flex gap-2">
            {tokens.map((token) => (
              <IdSign key={token.kind} id={token.kind} size={16} meaning={false} />
            ))}
          </span>
        )}
      </button>
    </div>
  );
}

/** The number in full, for screen readers. */
function saidOf({ what, value, most }: NumberView): string {
  return most === null
    ? t("number.said", { what, value })
    : t("number.said_of", { what, value, most });
}

function ownCards(seat: SeatView): string {
  const tokens = seat.tokens.map((token) => `${t(`token.${token.kind}`)} ${token.count}`);
  return [t("own.cards", { count: seat.cards.length }), ...tokens].join(", ");
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
      class={`player-row boxed row gap-10 w-full text-left color-text ${active ? "active" : ""} ${asked && !active ? "asked" : ""} ${seat.alive ? "" : "out"}`}
      onClick={() => openSheet({ kind: "player", seat: seat.seat })}
    >
      <MonsterTile monster={seat.monster} size={56} out={!seat.alive} />
      <span class="player-words col grow">
        <span class="player-name">
          <b>{seat.player}</b>{" "}
          {word !== null && <em class={active && seat.alive ? "chip go" : "chip"}>{word}</em>}
        </span>
        <span class="muted">{t(`monster.${seat.monster}`)}</span>
        <span class="row gap-5 semibold text-15">
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
      <span class="player-numbers flex gap-8 rigid">
        {seat.numbers.map(({ what, value }) => (
          <span key={what} class="player-number col items-center gap-5">
            <NumberSign what={what} size={20} />
            <Counter value={value} class="big" />
          </span>
        ))}
      </span>
    </button>
  );
}
