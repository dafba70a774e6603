/** An overlay for a film of the table: everybody's totals and the dice in a strip, on nothing. */
import { MonsterTile, Sign, signOf } from "../../art";
import { names } from "../../store/table/table";
import { t } from "../../store/words";
import { endWords } from "../../ui/parts/ending";
import type { SeatView } from "../../wire";
import { askedOf } from "../asked";
import { DemoSticker, DiceRow, diceOf, Fitted } from "../parts";
import { stateOf } from "../seats";
import type { GameProps } from "./game";

export function OverlayScreen({ now, game }: GameProps) {
  const shown = diceOf(game, now.tray);
  const asked = askedOf(game);
  // Nobody's phone is in the film, so the words name who is asked.
  const headline = asked.other ? `${names.player(asked.seat)}: ${asked.headline}` : asked.headline;
  return (
    <main class="tv overlay">
      <div class="overlay-line absolute row">
        <p class={`overlay-head caps one-line overflow-hidden num ${asked.other ? "gold" : ""}`}>
          {game.ended === null ? headline : endWords(game.ended.winners)}
        </p>
        {shown !== null && <DiceRow shown={shown} size={64} />}
        <DemoSticker tray={now.tray} />
      </div>
      <ul class="overlay-seats">
        {game.seats.map((seat) => (
          <OverlaySeat key={seat.seat} seat={seat} state={stateOf(game, seat)} />
        ))}
      </ul>
    </main>
  );
}

function OverlaySeat({ seat, state }: { readonly seat: SeatView; readonly state: string }) {
  return (
    <li class={`overlay-seat row ${state}`}>
      <MonsterTile id={seat.monster} size={72} state={seat.alive ? "in" : "out"} />
      <div class="overlay-words grow">
        <Fitted class="overlay-name num" text={names.player(seat.seat)} most={38} least={24} />
        <p class="overlay-totals">
          {seat.numbers.map(({ what, value }) => (
            <span key={what}>
              <Sign name={signOf(what)} size={26} title={t(`number.${what}`)} meaning />
              <b class="num">{value}</b>
            </span>
          ))}
        </p>
      </div>
    </li>
  );
}
