/** Game over: the winner as a poster, and everybody's last numbers. */
import { useId } from "preact/hooks";
import { MonsterShape, MonsterTile, monsterOf, Sign, SignShape, signOf } from "../../art";
import { PatternDef } from "../../art/monsters/patterns";
import { crownOf } from "../../art/monsters/poster";
import { GOLD, INK, PAPER } from "../../art/palette";
import { names } from "../../store/tv/screen";
import { t } from "../../store/words";
import type { Ended, SeatView } from "../../wire";
import { Fitted } from "../parts/fitted";
import { Skyline } from "../parts/skyline";
import type { GameProps } from "./game";

export function OverScreen({ now, game }: GameProps) {
  const ended = game.ended;
  if (ended === null) return null;
  const first = game.seats[ended.winners[0] ?? -1];
  return (
    <main class="tv over">
      <section class="poster">
        <WinnerPoster monster={first?.monster ?? ""} />
        <p class={first === undefined ? "over-turn light" : "over-turn"}>
          {t("status.turn", { turn: game.turn })}
          {!now.saved && ` · ${t("line.unsaved")}`}
        </p>
        <Fitted
          as="h1"
          class={first === undefined ? "over-head num light" : "over-head num"}
          text={headline(ended, first)}
          most={150}
          least={70}
        />
        <p class="over-how">
          <Sign name={first === undefined ? "skull" : "victory_star"} size={52} meaning />{" "}
          {t(`over.${ended.reason}`, { seat: first?.seat ?? 0, count: first?.stars ?? 0 })}
        </p>
      </section>
      <section class="ranking">
        <ul class={`ranks of-${game.seats.length}`}>
          {ranked(game.seats, ended).map((seat) => (
            <Rank key={seat.seat} seat={seat} won={ended.winners.includes(seat.seat)} />
          ))}
        </ul>
        <p class="over-next muted">{t("tv.next")}</p>
      </section>
    </main>
  );
}

function headline(ended: Ended, first: SeatView | undefined): string {
  if (first === undefined) return t("head.nobody");
  if (ended.winners.length === 1) return t("head.wins", { monster: first.seat });
  return t("head.share", { names: ended.winners.map(names.monster).join(" + ") });
}

/** The winners first, then who is alive, then by stars. */
function ranked(seats: readonly SeatView[], ended: Ended): readonly SeatView[] {
  const won = (seat: SeatView) => Number(ended.winners.includes(seat.seat));
  return [...seats].sort(
    (a, b) =>
      won(b) - won(a) ||
      Number(b.alive) - Number(a.alive) ||
      b.stars - a.stars ||
      (b.died_turn ?? 0) - (a.died_turn ?? 0),
  );
}

function Rank({ seat, won }: { readonly seat: SeatView; readonly won: boolean }) {
  return (
    <li class={won ? "rank won" : "rank"}>
      <MonsterTile id={seat.monster} size={120} state={seat.alive ? "in" : "out"} />
      <div class="rank-words">
        <Fitted class="rank-name num" text={names.player(seat.seat)} most={54} least={28} />
        <p class="rank-monster">
          {t(`monster.${seat.monster}`)}
          {!seat.alive && ` · ${t("row.out", { turn: seat.died_turn ?? 0 })}`}
        </p>
      </div>
      <p class="rank-total">
        <Sign name={signOf("stars")} size={46} title={t("number.stars")} meaning />
        <b class="num">{seat.stars}</b>
      </p>
      <p class="rank-total">
        {seat.alive ? (
          <>
            <Sign name={signOf("health")} size={46} title={t("number.health")} meaning />
            <b class="num">{seat.health}</b>
          </>
        ) : (
          <Sign name="skull" size={60} class="muted" />
        )}
      </p>
    </li>
  );
}

/** The winner on its field, crowned; dark where nobody is left. */
function WinnerPoster({ monster: id }: { readonly monster: string }) {
  const pattern = `${useId()}-winner`;
  const monster = monsterOf(id);
  const [x, y] = crownOf(id);
  if (monster === undefined) return <Skyline />;
  return (
    <svg class="winner" viewBox="0 0 850 968" aria-hidden="true" focusable="false">
      <defs>
        <PatternDef id={pattern} name={monster.pattern} ink={INK} scale={4.6} />
      </defs>
      <rect width="850" height="968" fill={monster.field} />
      <rect width="850" height="968" fill={`url(#${pattern})`} opacity={0.14} />
      <circle cx="470" cy="620" r="320" fill={PAPER} opacity={0.45} />
      <g transform="translate(164 436) scale(9.4)">
        <MonsterShape monster={monster} marks={monster.field} />
        <g
          transform={`translate(${x - 9.6} ${y - 16.4}) scale(.8)`}
          fill={GOLD}
          stroke={INK}
          stroke-width="1"
        >
          <SignShape name="crown" />
        </g>
      </g>
    </svg>
  );
}
