/** The screens of televisions and overlays: outside, before a game, in it, at its end. */
import { DieArt, MonsterTile, monsterOf, Sign, type SignName, signOf } from "../art";
import { ChanceGraph } from "../art/chances";
import { LargeMap } from "../art/maps";
import { PosterArt, Winner } from "../art/monsters";
import { Towers } from "../art/towers";
import { keepsCookies } from "../store/api";
import type { Fall } from "../store/reminders";
import { names } from "../store/table";
import { pair, story } from "../store/tv";
import { monsterName, say, t } from "../store/words";
import { endWords, ranked, turnedMark } from "../ui/ending";
import type { GameView, Join, Lobby, SeatDraft, SeatView, StoryView, ViewerView } from "../wire";
import * as parts from "./parts";

export type GameProps = Readonly<{ now: ViewerView; game: GameView }>;

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
  const asked = parts.askedOf(game);
  return (
    <main class="tv band">
      <section class="scene corner overflow-hidden">
        <LargeMap game={game} zoom={1} high={false} words={placeName} title={t("table.map")} />
        <parts.StateLine now={now} game={game} />
        <parts.JoinCorner join={now.join} />
      </section>
      <section class="side absolute col overflow-hidden">
        <WhoIsAsked game={game} asked={asked} />
        <Headline asked={asked} most={124} />
        <Note asked={asked} />
        <Dice now={now} game={game} room={520} />
        <parts.News news={game.happened} most={2} />
      </section>
      <Seats game={game} tile={108} />
    </main>
  );
}

function WithRail({ now, game }: GameProps) {
  const asked = parts.askedOf(game);
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
        <parts.StateLine now={now} game={game} />
        <Headline asked={asked} most={124} />
        <div class="rail-words absolute col">
          <Note asked={asked} />
          <parts.News news={game.happened} most={1} />
        </div>
        <Dice now={now} game={game} room={boroughs ? 620 : 520} />
        <parts.JoinCorner join={now.join} />
      </section>
      <Seats game={game} tile={132} />
    </main>
  );
}

function Seats({ game, tile }: { readonly game: GameView; readonly tile: number }) {
  return (
    <ul class={`seats absolute of-${game.seats.length}`}>
      {game.seats.map((seat) => (
        <parts.SeatCard key={seat.seat} game={game} seat={seat} tile={tile} />
      ))}
    </ul>
  );
}

function WhoIsAsked({ game, asked }: { readonly game: GameView; readonly asked: parts.Asked }) {
  const seat = game.seats[asked.seat];
  if (seat === undefined) return null;
  return (
    <div class="who row">
      <MonsterTile monster={seat.monster} size={132} />
      <div>
        <parts.Fitted class="who-name" text={names.player(seat.seat)} most={40} least={28} />
        <p class="muted">{monsterName(seat)}</p>
      </div>
    </div>
  );
}

function Headline({ asked, most }: { readonly asked: parts.Asked; readonly most: number }) {
  const tone = asked.other ? "headline num gold" : "headline num";
  return (
    <div role="status" aria-live="polite">
      <parts.Fitted as="h1" class={tone} text={asked.headline} most={most} least={44} />
    </div>
  );
}

function Note({ asked }: { readonly asked: parts.Asked }) {
  return asked.note === null ? null : <p class="note">{asked.note}</p>;
}

const LARGEST_DIE = 82;
const GAP = 8;

function Dice({ now, game, room }: GameProps & { readonly room: number }) {
  const shown = parts.diceOf(game, now.tray);
  if (shown === null) return null;
  const { fuse } = now.tray;
  const fitting = Math.floor(room / Math.max(shown.dice.length, 1)) - GAP;
  return (
    <div class="dice-box">
      {fuse === null ? (
        <p class="dice-title semibold text-30">{shown.title}</p>
      ) : (
        <parts.FuseLine key={fuse.id} fuse={fuse} />
      )}
      <parts.DiceRow shown={shown} size={Math.min(LARGEST_DIE, fitting)} />
    </div>
  );
}

export function OverlayScreen({ now, game }: GameProps) {
  const shown = parts.diceOf(game, now.tray);
  const asked = parts.askedOf(game);
  // Nobody's phone is in the video, so the words name who is asked.
  const who = parts.seatsAsked(game).map(names.player).join(" + ");
  const headline = asked.other ? `${who}: ${asked.headline}` : asked.headline;
  return (
    <main class="tv overlay">
      <div class="overlay-line absolute row">
        <p class={`overlay-head one-line overflow-hidden num ${asked.other ? "gold" : ""}`}>
          {game.ended === null ? headline : endWords(game.ended.winners)}
        </p>
        {shown !== null && <parts.DiceRow shown={shown} size={64} />}
        <parts.DemoSticker tray={now.tray} />
      </div>
      <ul class="overlay-seats">
        {game.seats.map((seat) => (
          <OverlaySeat key={seat.seat} seat={seat} state={parts.stateOf(game, seat)} />
        ))}
      </ul>
    </main>
  );
}

function OverlaySeat({ seat, state }: { readonly seat: SeatView; readonly state: string }) {
  return (
    <li class={`overlay-seat row ${state}`}>
      <MonsterTile monster={seat.monster} size={72} out={!seat.alive} />
      <div class="overlay-words grow">
        <parts.Fitted
          class="overlay-name num"
          text={names.player(seat.seat)}
          most={38}
          least={24}
        />
        <p class="overlay-totals">
          {seat.numbers.map(({ what, value }) => (
            <span key={what} class="row">
              <Sign name={signOf(what)} size={26} title={t(`number.${what}`)} meaning />
              <b class="num">{value}</b>
            </span>
          ))}
        </p>
      </div>
    </li>
  );
}

export function OverScreen({ now, game }: GameProps) {
  const ended = game.ended;
  if (ended === null) return null;
  const shown = story.value !== null && story.value.chance.length > 1 ? story.value : null;
  const first = game.seats[ended.winners[0] ?? -1];
  return (
    <main class="tv over">
      <section class="poster corner overflow-hidden">
        <WinnerPoster monster={first?.monster ?? ""} />
        <p class={`over-turn absolute color-ink ${first === undefined ? "light" : ""}`}>
          {t("status.turn", { turn: game.turn })}
          {!now.saved && ` · ${t("line.unsaved")}`} <parts.DemoSticker tray={now.tray} />
        </p>
        <parts.Fitted
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
          <parts.Fitted
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
      <MonsterTile monster={seat.monster} size={120} out={!seat.alive} />
      <div class="rank-words grow">
        <parts.Fitted class="rank-name num" text={names.player(seat.seat)} most={54} least={28} />
        <p class="rank-monster muted">
          {monsterName(seat)}
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

function WinnerPoster({ monster: id }: { readonly monster: string }) {
  if (monsterOf(id) === undefined) return <parts.Skyline />;
  return (
    <svg class="winner corner" viewBox="0 0 850 968" aria-hidden="true">
      <Winner id={id} width={850} height={968} x={164} y={436} scale={9.4} />
    </svg>
  );
}

export function LobbyScreen({ now, lobby }: { now: ViewerView; lobby: Lobby }) {
  const most =
    lobby.boxes.find((box) => box.game === lobby.game)?.players_max ?? lobby.seats.length;
  const seats: Array<SeatDraft | null> = [...lobby.seats];
  while (seats.length < most) seats.push(null);
  const phones = lobby.seats.filter((seat) => seat.phones > 0).length;
  return (
    <main class="tv lobby">
      <WayIn join={now.join} />
      <section class={parts.showsWifi(now.join) ? "quay with-wifi" : "quay"}>
        <parts.Skyline />
        <parts.WifiCode join={now.join} />
        <parts.Fitted
          as="h1"
          class="lobby-head absolute num"
          text={t("tv.who_plays")}
          most={150}
          least={60}
        />
        <p class="lobby-game absolute one-line semibold">
          <Sign name="dice" size={40} /> {t(`game.${lobby.game}`)} ·{" "}
          <span class="lobby-phones one-line">
            {t("tv.phones_in", { count: phones, all: lobby.seats.length })}
          </span>
        </p>
        <ul class="quay-seats">
          {seats.map((seat, index) => (
            <QuaySeat key={index} seat={seat} index={index} isHost={now.host === index} />
          ))}
        </ul>
        <p class="lobby-foot absolute text-30">
          <parts.DemoSticker tray={now.tray} />
          <parts.CameraState tray={now.tray} />
          <span class="muted">
            {now.host === null ? t("tv.host_starts_any") : t("tv.host_starts", { seat: now.host })}
          </span>
        </p>
      </section>
    </main>
  );
}

function WayIn({ join }: { readonly join: Join | null }) {
  if (join === null || !join.open) {
    return (
      <section class="way-in corner color-ink">
        <Sign name="lock" size={240} class="way-lock" />
        <p class="way-closed">{t("qr.closed")}</p>
      </section>
    );
  }
  return (
    <section class="way-in corner color-ink">
      <svg class="way-skyline" viewBox="0 0 720 200" aria-hidden="true">
        <Towers towers={GOLDEN} base={200} fill="#c99200" />
      </svg>
      <parts.Fitted class="way-head one-line num" text={t("head.scan")} most={128} least={60} />
      <div class="way-frame">
        <parts.Qr join={join} size={580} />
      </div>
      <p class="way-code" role="img" aria-label={join.code.split("").join(" ")}>
        {join.code.split("").map((letter, index) => (
          <b key={index} class="num">
            {letter}
          </b>
        ))}
      </p>
      <parts.Fitted
        class="way-address one-line semibold"
        text={parts.shortAddress(join)}
        most={44}
        least={28}
      />
    </section>
  );
}

type QuaySeatProps = Readonly<{ seat: SeatDraft | null; index: number; isHost: boolean }>;

function QuaySeat({ seat, index, isHost }: QuaySeatProps) {
  const name = seat?.player || t("seat.head", { count: index + 1 });
  const [sign, words] = presence(seat, isHost);
  return (
    <li class={seat === null ? "quay-seat free" : "quay-seat"}>
      {seat === null ? (
        <span class="quay-gap" />
      ) : (
        <MonsterTile monster={seat.monster} size={170} />
      )}
      <span class="quay-stand" />
      <parts.Fitted
        class="quay-name num"
        text={seat === null ? name : names.player(index)}
        most={46}
        least={28}
      />
      <p
        class={
          sign === "tick" ? "quay-state one-line semibold go" : "quay-state one-line semibold muted"
        }
      >
        {sign !== null && <Sign name={sign} size={26} />} {words}
      </p>
    </li>
  );
}

function presence(seat: SeatDraft | null, isHost: boolean): readonly [SignName | null, string] {
  if (seat === null) return [null, t("tv.free")];
  if (seat.phones === 0) return ["clock", t("tv.no_phone")];
  return ["tick", t(isHost ? "role.host" : "qr.in")];
}

const GOLDEN =
  "0 50 70, 56 60 20, 122 80 76, 206 50 50, 262 100 96, 368 70 10, 444 50 66, 500 60 30, 566 80 88, 650 70 60";

/** Not let in: the host's phone scans the code with its camera, and says yes. */
export function PairScreen() {
  return (
    <main class="tv entry row">
      <img
        class="qr"
        src={`/api/tv/pair/${pair}.svg`}
        alt={t("tv.pair_qr")}
        width={640}
        height={640}
      />
      <div class="entry-words grow">
        <parts.Fitted as="h1" class="entry-head num" text={t("tv.pair")} most={130} least={60} />
        <p class="entry-how">{t(keepsCookies() ? "tv.pair_how" : "join.cookies")}</p>
      </div>
    </main>
  );
}

/** A Monster has fallen: who, by what, and the roll that did it, large. */
export function FallScreen({ game, fall }: { readonly game: GameView; readonly fall: Fall }) {
  const seat = game.seats[fall.seat];
  if (seat === undefined) return null;
  const title = t("tv.roll_of", { seat: game.last_roll_seat ?? game.active });
  const dice = game.last_roll.map(parts.plain);
  return (
    <main class="tv fall">
      <section class="poster corner overflow-hidden">
        <PosterArt monster={seat.monster} state="out" />
      </section>
      <section class="fall-words absolute col" role="status">
        <parts.Fitted
          as="h1"
          class="fall-head num"
          text={t("head.is_out", { monster: seat.seat })}
          most={170}
          least={80}
        />
        <p class="fall-who">{t("tv.fall", { name: names.player(seat.seat), count: seat.stars })}</p>
        {fall.change !== null && (
          <p class="fall-change row num">
            <Sign name={signOf("health")} size={120} title={t("number.health")} meaning />
            {fall.change.before} <Sign name="arrow_right" size={70} /> {fall.change.after}
          </p>
        )}
        {dice.length > 0 && (
          <>
            <p class="dice-title semibold text-30">{title}</p>
            <parts.DiceRow
              shown={{ title, dice }}
              size={Math.min(140, Math.floor(1000 / dice.length) - 8)}
            />
          </>
        )}
        {fall.hit !== null && (
          <parts.Fitted class="fall-how" text={say(fall.hit.words)} most={48} least={32} />
        )}
      </section>
    </main>
  );
}

export function OverlayOutside() {
  return <p class="overlay-outside">{t(keepsCookies() ? "tv.overlay_outside" : "join.cookies")}</p>;
}
