/** Game over: the winner as a poster, and everybody's last numbers. */
import { DieArt, MonsterTile, monsterOf, Sign, signOf } from "../../art";
import { ChanceGraph } from "../../art/chances";
import { Winner } from "../../art/monsters/winner";
import { names } from "../../store/table/table";
import { story } from "../../store/tv";
import { say, t } from "../../store/words";
import { endWords, ranked, turnedMark } from "../../ui/parts/ending";
import type { SeatView, StoryView } from "../../wire";
import { DemoSticker, Fitted, Skyline } from "../parts";
import type { GameProps } from "./game";

export function OverScreen({ now, game }: GameProps) {
  const ended = game.ended;
  if (ended === null) return null;
  const shown = story.value !== null && story.value.chance.length > 1 ? story.value : null;
  const first = game.seats[ended.winners[0] ?? -1];
  return (
    <main class="tv over">
      <section class="poster">
        <WinnerPoster monster={first?.monster ?? ""} />
        <p class={`over-turn absolute color-ink ${first === undefined ? "light" : ""}`}>
          {t("status.turn", { turn: game.turn })}
          {!now.saved && ` · ${t("line.unsaved")}`} <DemoSticker tray={now.tray} />
        </p>
        <Fitted
          as="h1"
          class={`over-head absolute color-ink num ${first === undefined ? "light" : ""}`}
          text={endWords(ended.winners)}
          most={150}
          least={70}
        />
        <p class="over-how absolute row semibold">
          <Sign name={first === undefined ? "skull" : "victory_star"} size={52} meaning />{" "}
          {t(`over.${ended.reason}`, { seat: first?.seat ?? 0, count: first?.stars ?? 0 })}
        </p>
      </section>
      <section class="ranking">
        <ul
          key={shown === null ? "alone" : "with"}
          class={`ranks col of-${game.seats.length}${shown === null ? "" : " with-story"}`}
        >
          {ranked(game.seats, ended).map((seat) => (
            <Rank key={seat.seat} seat={seat} won={ended.winners.includes(seat.seat)} />
          ))}
        </ul>
        {shown !== null && <StoryParts story={shown} seats={game.seats} />}
        <p class="over-next muted">{t("tv.next")}</p>
      </section>
    </main>
  );
}

const GRAPH_WIDTH = 1010;
const GRAPH_HEIGHT = { few: 340, many: 216 };
const FEW = 4;
const LETTERS = 28;

/** The chances turn by turn, and where the game turned, with the dice of that turn. */
function StoryParts({ story: one, seats }: { story: StoryView; seats: readonly SeatView[] }) {
  const point = one.turning_point;
  return (
    <>
      <div class="over-graph plate">
        <p>{t("story.chance")}</p>
        <ChanceGraph
          chance={one.chance}
          seats={seats}
          width={GRAPH_WIDTH}
          height={seats.length > FEW ? GRAPH_HEIGHT.many : GRAPH_HEIGHT.few}
          text={LETTERS}
          mark={turnedMark(one)}
        />
      </div>
      {point !== null && (
        <div class="over-turned row">
          <span class="over-dice">
            {point.faces.slice(0, MOST_DICE).map((face, index) => (
              <DieArt key={index} face={signOf(face, "dice")} size={52} title={t(`face.${face}`)} />
            ))}
          </span>
          <Fitted
            class="over-words grow"
            text={[
              t("story.turned", { turn: point.turn }),
              ...point.happened.slice(0, 1).map((news) => say(news.words)),
            ].join(" ")}
            most={34}
            least={28}
          />
        </div>
      )}
    </>
  );
}

const MOST_DICE = 8;

function Rank({ seat, won }: { readonly seat: SeatView; readonly won: boolean }) {
  return (
    <li class={won ? "rank row plate won" : "rank row plate"}>
      <MonsterTile id={seat.monster} size={120} state={seat.alive ? "in" : "out"} />
      <div class="rank-words grow">
        <Fitted class="rank-name num" text={names.player(seat.seat)} most={54} least={28} />
        <p class="rank-monster">
          {t(`monster.${seat.monster}`)}
          {!seat.alive && ` · ${t("row.out", { turn: seat.died_turn ?? 0 })}`}
        </p>
      </div>
      <p class="rank-total row">
        <Sign name={signOf("stars")} size={46} title={t("number.stars")} meaning />
        <b class="num">{seat.stars}</b>
      </p>
      <p class="rank-total row">
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
  if (monsterOf(id) === undefined) return <Skyline />;
  return (
    <svg class="winner corner" viewBox="0 0 850 968" aria-hidden="true" focusable="false">
      <Winner id={id} width={850} height={968} x={164} y={436} scale={9.4} />
    </svg>
  );
}
