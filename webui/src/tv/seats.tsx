/** The seats with their totals: a card each in a band below, or a row each in a rail. */
import { isSign, MonsterTile, Sign, signOf } from "../art";
import { names } from "../store/table/table";
import { t } from "../store/words";
import type { GameView, NumberView, SeatView } from "../wire";
import { Fitted } from "./parts";

export type SeatState = "turn" | "asked" | "out" | "rest";

export function stateOf(game: GameView, seat: SeatView): SeatState {
  if (!seat.alive) return "out";
  const asked = game.question?.seat ?? null;
  if (asked === seat.seat && asked !== game.active) return "asked";
  return seat.seat === game.active ? "turn" : "rest";
}

/** One seat; the style sheet decides whether it is a card or a row. */
export function SeatCard({ game, seat, tile }: { game: GameView; seat: SeatView; tile: number }) {
  const state = stateOf(game, seat);
  return (
    <li class={`seat plate ${state}`}>
      <MonsterTile id={seat.monster} size={tile} state={seat.alive ? "in" : "out"} />
      <div class="seat-words">
        <Fitted class="seat-name num" text={names.player(seat.seat)} most={54} least={28} />
        <p class="seat-monster one-line semibold text-30">{t(`monster.${seat.monster}`)}</p>
        <Where game={game} seat={seat} />
      </div>
      <Goals goals={seat.goals} />
      <Totals numbers={seat.numbers} />
    </li>
  );
}

/** An area of many places goes by its own name; the map has the place. */
const MANY_PLACES = 3;

function whereOf(game: GameView, seat: SeatView): string | null {
  const area = game.areas.find((one) => one.id === seat.area);
  return area !== undefined && area.places.length >= MANY_PLACES ? area.id : seat.place;
}

function Where({ game, seat }: { readonly game: GameView; readonly seat: SeatView }) {
  const where = whereOf(game, seat);
  if (!seat.alive) {
    return (
      <p class="seat-where one-line overflow-hidden">
        <Sign name="skull" size={28} /> {t("row.out", { turn: seat.died_turn ?? 0 })}
      </p>
    );
  }
  return (
    <p class="seat-where one-line overflow-hidden">
      {where !== null && (
        <>
          <Sign name="pin" size={28} /> {t(`place.${where}`)}
        </>
      )}
    </p>
  );
}

function Goals({ goals }: { readonly goals: readonly string[] }) {
  const drawn = goals.filter(isSign);
  if (drawn.length === 0) return null;
  return (
    <p class="seat-goals">
      {drawn.map((goal) => (
        <Sign key={goal} name={goal} size={56} title={t(`goal.${goal}`)} meaning />
      ))}
    </p>
  );
}

/** Six digits in a row need smaller ones, still above 8 % of the screen's height. */
const MANY_DIGITS = 6;

export function Totals({ numbers }: { readonly numbers: readonly NumberView[] }) {
  const digits = numbers.reduce((sum, { value }) => sum + String(value).length, 0);
  return (
    <p class={digits >= MANY_DIGITS ? "totals tight" : "totals"}>
      {numbers.map(({ what, value }) => (
        <span key={what} class="total row">
          <Sign name={signOf(what)} size={44} title={t(`number.${what}`)} meaning />
          <b class="num">{value}</b>
        </span>
      ))}
    </p>
  );
}
