/** A running game: where everybody stands, whose turn it is, what is asked, and all totals. */
import { MonsterTile } from "../../art";
import { LargeMap } from "../../art/maps";
import { names } from "../../store/table/table";
import { t } from "../../store/words";
import type { GameView, ViewerView } from "../../wire";
import { type Asked, askedOf } from "../asked";
import { DiceRow, diceOf, Fitted, FuseLine, JoinCorner, News, StateLine } from "../parts";
import { SeatCard } from "../seats";

export interface GameProps {
  readonly now: ViewerView;
  readonly game: GameView;
}

const placeName = (id: string) => t(`place.${id}`);

/** Up to so many seats have their totals in a band below; more have a rail at the right. */
const MOST_IN_BAND = 4;

export function GameScreen(props: GameProps) {
  return props.game.seats.length <= MOST_IN_BAND ? (
    <WithBand {...props} />
  ) : (
    <WithRail {...props} />
  );
}

function WithBand({ now, game }: GameProps) {
  const asked = askedOf(game);
  return (
    <main class="tv band">
      <section class="scene corner overflow-hidden">
        <LargeMap game={game} zoom={1} high={false} words={placeName} title={t("table.map")} />
        <StateLine now={now} game={game} />
        <JoinCorner join={now.join} />
      </section>
      <section class="side absolute col overflow-hidden">
        <WhoIsAsked game={game} asked={asked} />
        <Headline asked={asked} most={124} />
        <Note asked={asked} />
        <Dice now={now} game={game} room={520} />
        <News news={game.happened} most={2} />
      </section>
      <Seats game={game} tile={108} />
    </main>
  );
}

function WithRail({ now, game }: GameProps) {
  const asked = askedOf(game);
  const boroughs = game.areas.some((area) => area.stacks.length > 0);
  return (
    <main class={boroughs ? "tv rail with-boroughs" : "tv rail"}>
      <section class="scene corner overflow-hidden">
        <LargeMap
          game={game}
          zoom={boroughs ? 1.36 : 1}
          high
          words={placeName}
          title={t("table.map")}
        />
        <StateLine now={now} game={game} />
        <Headline asked={asked} most={124} />
        <div class="rail-words absolute col">
          <Note asked={asked} />
          <News news={game.happened} most={1} />
        </div>
        <Dice now={now} game={game} room={boroughs ? 620 : 520} />
        <JoinCorner join={now.join} />
      </section>
      <Seats game={game} tile={132} />
    </main>
  );
}

function Seats({ game, tile }: { readonly game: GameView; readonly tile: number }) {
  return (
    <ul class={`seats absolute of-${game.seats.length}`}>
      {game.seats.map((seat) => (
        <SeatCard key={seat.seat} game={game} seat={seat} tile={tile} />
      ))}
    </ul>
  );
}

function WhoIsAsked({ game, asked }: { readonly game: GameView; readonly asked: Asked }) {
  const seat = game.seats[asked.seat];
  if (seat === undefined) return null;
  return (
    <div class="who row">
      <MonsterTile id={seat.monster} size={132} />
      <div>
        <Fitted class="who-name" text={names.player(seat.seat)} most={40} least={28} />
        <p class="who-monster">{t(`monster.${seat.monster}`)}</p>
      </div>
    </div>
  );
}

function Headline({ asked, most }: { readonly asked: Asked; readonly most: number }) {
  const tone = asked.other ? "headline num gold" : "headline num";
  return (
    <div role="status" aria-live="polite">
      <Fitted as="h1" class={tone} text={asked.headline} most={most} least={44} />
    </div>
  );
}

function Note({ asked }: { readonly asked: Asked }) {
  return asked.note === null ? null : <p class="note">{asked.note}</p>;
}

const LARGEST_DIE = 82;
const GAP = 8;

function Dice({ now, game, room }: GameProps & { readonly room: number }) {
  const shown = diceOf(game, now.tray);
  if (shown === null) return null;
  const { fuse } = now.tray;
  const fitting = Math.floor(room / Math.max(shown.dice.length, 1)) - GAP;
  return (
    <div class="dice-box">
      {fuse === null ? (
        <p class="dice-title semibold text-30">{shown.title}</p>
      ) : (
        <FuseLine key={fuse.id} fuse={fuse} />
      )}
      <DiceRow shown={shown} size={Math.min(LARGEST_DIE, fitting)} />
    </div>
  );
}
