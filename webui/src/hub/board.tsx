/** One table: its title, its state, and a line for each seat. */
import { MonsterTile, Sign } from "../art";
import { type Heard, helpOf } from "../store/hub/tables";
import { t } from "../store/words";
import type { SeatCard, TableLine } from "../wire";
import { nameOf } from "./names";

export function TableBoard({ one }: { readonly one: Heard }) {
  const { line } = one;
  const { card } = line;
  const needed = helpOf(one).length > 0 ? " needed" : "";
  return (
    <li class={`hub-board${needed}${line.online ? "" : " away"}`}>
      <h3>
        <Title line={line} />
      </h3>
      <p class="hub-state">{stateOf(line)}</p>
      <ul class="hub-seats">
        {card.seats.map((seat, number) => (
          <Seat key={`${number} ${seat.monster}`} seat={seat} turn={card.active === number} />
        ))}
      </ul>
      <Rows line={line} />
    </li>
  );
}

/** The title leads to the table's own page. */
function Title({ line: { card } }: { readonly line: TableLine }) {
  if (!/^https?:\/\//.test(card.address)) return <>{card.title}</>;
  return <a href={card.address}>{card.title}</a>;
}

function stateOf({ card, online }: TableLine): string {
  const parts = online ? [] : [t("hub.offline")];
  if (card.game === null) return [...parts, t("hub.no_game")].join(" · ");
  parts.push(t(`game.${card.game}`));
  if (card.reason === null) return [...parts, t("over.turn", { turn: card.turn })].join(" · ");
  const winners = card.winners.flatMap((number) => {
    const seat = card.seats[number];
    return seat === undefined ? [] : [nameOf(seat)];
  });
  const won = winners.length === 0 ? t("home.nobody") : winners.join(", ");
  return [...parts, t("hub.winner", { name: won })].join(" · ");
}

function Seat({ seat, turn }: { readonly seat: SeatCard; readonly turn: boolean }) {
  return (
    <li class={`hub-seat${turn ? " turn" : ""}${seat.alive ? "" : " out"}`}>
      <MonsterTile id={seat.monster} size={32} state={seat.alive ? "in" : "out"} />
      <span class="hub-name">
        {nameOf(seat)}
        {turn && <span class="sr-only"> ({t("hub.has_turn")})</span>}
      </span>
      <SeatNumber what="health" sign="heal" value={seat.health} />
      <SeatNumber what="stars" sign="victory_star" value={seat.stars} />
      <SeatNumber what="energy" sign="energy" value={seat.energy} />
    </li>
  );
}

interface SeatNumberProps {
  readonly what: "health" | "stars" | "energy";
  readonly sign: "heal" | "victory_star" | "energy";
  readonly value: number;
}

function SeatNumber({ what, sign, value }: SeatNumberProps) {
  return (
    <span class={`hub-number means-${what}`}>
      <Sign name={sign} size={18} title={t(`number.${what}`)} /> {value}
    </span>
  );
}

/** What of the table's log the hub lacks. */
function Rows({ line }: { readonly line: TableLine }) {
  if (line.rows >= line.card.rows && line.gaps.length === 0 && line.replaced === 0) return null;
  const gaps = line.gaps.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return (
    <p class="hub-rows">
      {t("hub.rows", { rows: line.rows, count: line.card.rows })}
      {gaps.length > 0 && ` · ${t("hub.gaps", { rows: gaps.join(", ") })}`}
      {line.replaced > 0 && ` · ${t("hub.replaced", { count: line.replaced })}`}
    </p>
  );
}
