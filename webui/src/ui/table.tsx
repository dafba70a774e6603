/** What stands on a table: Monsters in pictures and numbers, places, cards, the log's rows, the final score. */
import "../styles/fits.css";
import type { ComponentChildren } from "preact";
import {
  DieArt,
  MonsterShape,
  MonsterTile,
  monsterOf,
  type PosterState,
  Sign,
  signOf,
  TableMap,
} from "../art";
import { PosterArt } from "../art/monsters";
import { type LogLine, linesOf } from "../store/looks";
import { openSheet } from "../store/route";
import { game, names, seatOf, you } from "../store/table";
import { answer } from "../store/turn";
import { cardName, cardText, explained, monsterName, say, t } from "../store/words";
import type * as wire from "../wire";
import type {
  CardView,
  Change,
  GameView,
  LogRow,
  NumberView,
  Option,
  SeatView,
  Number as What,
} from "../wire";
import { endWords, ranked } from "./ending";
import { earlier, Headline, headlineStyle, newest } from "./frame";
import { Counter, Deltas, IdSign, isSame, NumberSign } from "./kit";

export interface PosterProps {
  readonly seat: SeatView;
  readonly headline: string;
  readonly state?: PosterState;
  /** Omit name and place, which the text below has. */
  readonly plain?: boolean;
  readonly children?: ComponentChildren;
}

const ROOM = 164;
/** Two lines, above a box of numbers. */
const PLAIN_ROOM = 190;
const LARGEST = 68;
const WITH_NEWS = 54;

/** The head of a screen as a poster: field, silhouette, skyline, with text beside them. */
export function Poster({ seat, headline, state = "mine", plain = false, children }: PosterProps) {
  // Name and place stay above the band of news.
  const most = newest().length === 0 ? LARGEST : WITH_NEWS;
  const style = plain
    ? headlineStyle(headline, PLAIN_ROOM, 2, LARGEST)
    : headlineStyle(headline, ROOM, 3, most);
  return (
    <div class={`poster-top relative overflow-hidden color-ink state-${state}`}>
      <PosterArt monster={seat.monster} state={state} />
      <div class="poster-text col gap-4 relative">
        <h1 id="headline" class="headline" style={style}>
          {headline}
        </h1>
        {!plain && <p class="poster-who bold text-18">{monsterName(seat)}</p>}
        {!plain && seat.place !== null && (
          <p class="poster-where row gap-6 bold leading-115">
            <Sign name="pin" size={16} /> {t(`place.${seat.place}`)}
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

/** A silhouette in a shade of the background, behind plain text. */
export function Shadow({ monster: id }: { readonly monster: string }) {
  const monster = monsterOf(id);
  if (monster === undefined) return null;
  return (
    <svg class="shadow" viewBox="0 0 64 64" aria-hidden="true">
      <MonsterShape monster={monster} ink="currentColor" />
    </svg>
  );
}

type MonsterAtProps = Readonly<{ monster: string; at: string; marks: string }>;

/** A monster in a picture, moved and scaled; nothing if no monster has this id. */
function MonsterAt({ monster: id, at, marks }: MonsterAtProps) {
  const monster = monsterOf(id);
  return monster === undefined ? null : (
    <g transform={at}>
      <MonsterShape monster={monster} marks={marks} />
    </g>
  );
}

/** A monster before the moon over a dark city. */
export function Night({ monster }: { readonly monster: string }) {
  return (
    <svg class="fill" viewBox="0 0 390 300" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
      <circle cx="318" cy="122" r="82" fill="#e0a800" />
      <MonsterAt monster={monster} at="translate(228 70) scale(2.9)" marks="#f7b801" />
      <path
        d="M0 300V270H30V250H60V268H96V232L118 214L140 232V262H176V246H212V272H240V254H262V276H300V218H366V300Z"
        fill="#14110f"
      />
      <path
        d="M50 258h4v6h-4zM108 240h4v6h-4zM122 252h4v6h-4zM190 256h4v6h-4zM318 236h4v6h-4zM344 258h4v6h-4z"
        fill="#f7b801"
      />
    </svg>
  );
}

function TitlePicture() {
  return (
    <svg class="fill" viewBox="0 0 390 240" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <rect width="390" height="240" fill="#14110f" />
      <circle cx="292" cy="126" r="98" fill="#e4572e" />
      <path
        d="M0 240V166H40V126H92V176H130V96H168V150H210V110L234 90L258 110V150H310V80H352V160H390V240Z"
        fill="#2a1d17"
      />
      <MonsterAt monster="puffin_rex" at="translate(208 50) scale(2.6)" marks="#e4572e" />
      <MonsterAt monster="inkwell" at="translate(150 124) scale(1.4)" marks="#f7b801" />
      <MonsterAt monster="crabminster" at="translate(8 164) scale(0.8)" marks="#f7b801" />
      <path
        d="M0 240V206H44V192H74V212H104V200H132V216H170V204H214V196H236V212H276V200L296 186L316 200V216H352V196H390V240Z"
        fill="#14110f"
      />
      <path
        d="M18 214h4v6h-4zM52 200h4v6h-4zM116 206h4v6h-4zM196 210h4v6h-4zM226 202h4v6h-4zM290 204h4v6h-4zM368 204h4v6h-4z"
        fill="#f7b801"
      />
    </svg>
  );
}

/** The head of a page before a game: words over a picture. */
export function TitleHead({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <>
      {children ?? <TitlePicture />}
      <h1 id="headline" class="headline title-words">
        {text}
      </h1>
    </>
  );
}

/** The board with everybody on it. */
export function BoardMap() {
  const now = game.value;
  if (now === null) return null;
  return (
    <div class="board-map">
      <TableMap game={now} words={(id) => t(`place.${id}`)} title={t("table.map")} />
    </div>
  );
}

export function numberOf(seat: SeatView, what: What): NumberView {
  return seat.numbers.find((one) => one.what === what) ?? { what, value: 0, most: 0 };
}

/** Large, just under the fold; a tap opens the number's sheet. */
export function NumberTiles({ seat }: { readonly seat: SeatView }) {
  return (
    <div class="tiles three number-tiles">
      {seat.numbers.map(({ what, value, most }) => (
        <button
          key={what}
          type="button"
          class="number-tile boxed col justify-between min-0 relative text-left color-text"
          aria-label={saidOf({ what, value, most })}
          onClick={() => openSheet({ kind: "number", seat: seat.seat, what })}
        >
          <span class="number-name muted row justify-between gap-4 semibold text-14">
            <IdSign id={what} size={26} />
            <span>{t(`number.${what}`)}</span>
          </span>{" "}
          <span class="number-value flex gap-6">
            <Counter value={value} class="huge" />{" "}
            {most !== null && <small>{t("number.of", { most })}</small>}
          </span>
        </button>
      ))}
    </div>
  );
}

const TOKENS = 2;

/** The numbers, tokens and cards of a seat in one row, over the dock of screens that dice are entered on. */
export function OwnStrip({ seat }: { readonly seat: SeatView }) {
  const tokens = seat.tokens.slice(0, TOKENS);
  return (
    <div
      class="own-strip grid cols-4 gap-8"
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
          <Counter value={value} class="own-value text-28" />
        </button>
      ))}
      <button
        type="button"
        class="own-number boxed middle gap-6 min-0 relative color-text"
        aria-label={ownCards(seat)}
        onClick={() => openSheet({ kind: "player", seat: seat.seat })}
      >
        <Sign name="cards" size={22} />
        <b class="num own-value text-28">{seat.cards.length}</b>
        {tokens.length > 0 && (
          <span class="col gap-2">
            {tokens.map((token) => (
              <IdSign key={token.kind} id={token.kind} size={16} meaning={false} />
            ))}
          </span>
        )}
      </button>
    </div>
  );
}

function saidOf({ what, value, most }: NumberView): string {
  return most === null
    ? t("number.said", { what, value })
    : t("number.said_of", { what, value, most });
}

function ownCards(seat: SeatView): string {
  const tokens = seat.tokens.map((token) => `${t(`token.${token.kind}`)} ${token.count}`);
  return [t("own.cards", { count: seat.cards.length }), ...tokens].join(", ");
}

/** The borough's name if there are boroughs, else the place's. */
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
  const also = now?.question?.also.some((one) => one.seat === seat.seat && one.answer === null);
  const asked = also || now?.question?.seat === seat.seat;
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
          <b class="text-18">{seat.player}</b>{" "}
          {word !== null && <em class={active && seat.alive ? "chip go" : "chip"}>{word}</em>}
        </span>
        <span class="muted">{monsterName(seat)}</span>
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

interface PlaceCardsProps {
  readonly question: wire.Question;
  /** Who answers. */
  readonly seat: number;
  readonly options: readonly Option[];
  /** Consequences that all places share, shown above them. */
  readonly shared?: readonly Change[];
}

/** Places as answers, side by side. */
export function PlaceCards({ question, seat, options, shared = [] }: PlaceCardsProps) {
  return (
    <div class="two">
      {options.map((option) => (
        <PlaceCard
          key={option.key}
          option={option}
          shared={shared}
          onTap={() => answer(question, seat, option)}
        />
      ))}
    </div>
  );
}

type PlaceCardProps = Readonly<{ option: Option; shared: readonly Change[]; onTap: () => void }>;

/** A place as an answer; full ones are dashed and disabled. */
function PlaceCard({ option, shared, onTap }: PlaceCardProps) {
  const place = game.value?.places.find((one) => one.id === option.place);
  const units = game.value?.areas.find((area) => area.id === place?.area)?.units.length ?? 0;
  const stands = place?.monsters ?? [];
  const first = seatOf(stands[0] ?? null);
  const own = option.consequence.filter((change) => !shared.some((one) => isSame(one, change)));
  const inside = (
    <>
      {first === null ? (
        <span class="empty-spot rigid rounded" aria-hidden="true" />
      ) : (
        <MonsterTile monster={first.monster} size={44} />
      )}
      <span class="col min-0 break-words leading-120">
        <b>{t(`place.${option.place ?? ""}`)}</b>
        <small class="muted">
          {stands.length === 0 ? t("place.empty") : stands.map(names.player).join(", ")}
          {units > 0 && (
            <>
              {" "}
              <Sign name="infantry" size={16} title={t("units", { count: units })} /> {units}
            </>
          )}
        </small>
        {!option.enabled && (
          <small>{option.reason === null ? t("place.full") : say(option.reason)}</small>
        )}
        {own.length > 0 && (
          <small>
            <Deltas changes={own} size={14} />
          </small>
        )}
      </span>
    </>
  );
  return option.enabled ? (
    <button
      type="button"
      class="place-card row gap-8 min-0 text-left on-panel color-text"
      data-answer={option.key}
      onClick={onTap}
    >
      {inside}
    </button>
  ) : (
    <div class="place-card row gap-8 min-0 text-left muted full">{inside}</div>
  );
}

export function CardShelf({ seat }: { readonly seat: SeatView }) {
  if (seat.cards.length === 0 && seat.tokens.length === 0 && seat.trophies.length === 0) {
    return (
      <div class="shelf boxed pad-8-12 row gap-14 empty">
        <Sign name="cards" size={30} class="muted" />
        <span>
          <b>{t("shelf.none")}</b>
          <br />
          <small class="muted">{t("shelf.none_how")}</small>
        </span>
      </div>
    );
  }
  return (
    <div class="shelf boxed pad-8-12 col gap-10">
      {seat.tokens.length > 0 && (
        <p class="flex wrap gap-6">
          {seat.tokens.map((token) => (
            <span key={token.kind} class="chip">
              <IdSign id={token.kind} size={18} /> {t(`token.${token.kind}`)} {token.count}
            </span>
          ))}
        </p>
      )}
      {seat.trophies.length > 0 && (
        <p class="flex wrap gap-6">
          <small class="muted">{t("shelf.trophies")}</small>
          {seat.trophies.map((unit) => (
            <span key={unit.kind} class="chip">
              <IdSign id={unit.kind} size={18} /> {t(`tile.${unit.kind}`)} {unit.count}
            </span>
          ))}
        </p>
      )}
      {seat.cards.map((card) => (
        <CardLine key={card.id} card={card} />
      ))}
    </div>
  );
}

/** A card's name and effect, marked if the engine does not carry it out. */
export function CardLine({ card }: { readonly card: CardView }) {
  return (
    <div class={`card-line flex gap-10 ${card.automatic ? "" : "by-table"}`}>
      <Sign
        name={card.automatic ? "cards" : "hand"}
        size={22}
        class={card.automatic ? "muted" : "sky"}
      />
      <span>
        <b>{cardName(card.name)}</b>
        {card.copies !== null && (
          <span class="muted"> {t("card.copies", { card: card.copies })}</span>
        )}
        {card.counters > 0 && (
          <span class="chip">{t("card.counters", { count: card.counters })}</span>
        )}
        <br />
        <small class="muted">{cardText(card.name)}</small>
        {!card.automatic && (
          <>
            <br />
            <small class="sky">{t("card.by_table")}</small>
          </>
        )}
      </span>
    </div>
  );
}

/** Dice in a row, which a screen reader has as one picture. */
export function DiceRow({ faces, size }: { faces: readonly wire.Face[]; size: number }) {
  const words = faces.map((face) => t(`face.${face}`)).join(", ");
  return (
    <p class="dice-row flex wrap gap-8" role="img" aria-label={words}>
      {faces.map((face, index) => (
        <DieArt key={index} face={face} size={size} />
      ))}
    </p>
  );
}

/** Dice in a line of words, each with its face in words. */
export function Faces({ faces, size, class: extra = "" }: FacesProps) {
  return (
    <span class={`${extra} inline-flex wrap gap-4`}>
      {faces.map((face, index) => (
        <DieArt key={index} face={signOf(face, "dice")} size={size} title={t(`face.${face}`)} />
      ))}
    </span>
  );
}

type FacesProps = Readonly<{ faces: readonly wire.Face[]; size: number; class?: string }>;

export function LastRoll() {
  const now = game.value;
  if (now === null || now.last_roll.length === 0 || now.last_roll_seat === null) return null;
  const seat = now.last_roll_seat;
  return (
    <div class="panel last-roll">
      <b>{t(seat === you.value.seat ? "last_roll.you" : "last_roll.of", { seat })}</b>
      <DiceRow faces={now.last_roll} size={44} />
      {earlier().map((one, index) => (
        <p key={index} class="small">
          {explained(one)}
        </p>
      ))}
    </div>
  );
}

/** Whether the head is a poster; not if nobody is left. */
export function hasPoster({ ended }: GameView): boolean {
  return ended === null || ended.winners.length > 0;
}

/** The stars that rain on the winner. */
const RAIN = Array.from({ length: 14 }, (_, n) => ({
  left: `${4 + ((n * 29) % 90)}vw`,
  animationDelay: `${(n * 7) % 20}00ms`,
}));

/** The winner's poster, `mine` if that is this phone's; without a winner, that of the active seat. */
export function FinalHead({ now, mine = null }: { now: GameView; mine?: number | null }) {
  const winners = now.ended?.winners ?? [];
  const own = mine !== null && winners.includes(mine);
  const first = now.seats[(own ? mine : winners[0]) ?? now.active];
  if (now.ended === null)
    return first === undefined ? null : (
      <Poster seat={first} headline={t("head.turn_of", { seat: now.active })} />
    );
  if (first === undefined || winners.length === 0) {
    return (
      <>
        <Headline text={endWords([])} most={64} />
        <p>{t(`over.${now.ended.reason}`, { count: 0 })}</p>
      </>
    );
  }
  return (
    <Poster seat={first} headline={endWords(winners, mine)} state="won" plain>
      <p class="poster-note bold leading-120">
        {t(own ? `won.${now.ended.reason}` : `over.${now.ended.reason}`, {
          seat: first.seat,
          count: first.stars,
        })}
      </p>
      <span class="star-rain" aria-hidden="true">
        {RAIN.map((style) => (
          <span key={style.left} style={style}>
            <Sign name="victory_star" size={26} />
          </span>
        ))}
      </span>
    </Poster>
  );
}

/** So many stand in one row; more stand three by three. */
const FEW = 4;

/** Everybody's last numbers, the winners first. */
export function Final({ now }: { readonly now: GameView }) {
  const winners = now.ended?.winners ?? [];
  return (
    <div class={`final grid gap-8 ${now.seats.length > FEW ? "by-three" : ""}`}>
      {ranked(now.seats, now.ended).map((seat) => (
        <div
          key={seat.seat}
          class={`final-seat boxed col items-center gap-5 text-center ${winners.includes(seat.seat) ? "won" : ""}`}
        >
          <MonsterTile monster={seat.monster} size={44} out={!seat.alive} />
          <b>{names.player(seat.seat)}</b>
          <span class="text-28">
            <NumberSign what="stars" size={20} /> <b class="num">{seat.stars}</b>
          </span>
          <span class="muted inline-row gap-3 text-15">
            {seat.alive ? (
              <>
                <NumberSign what="health" size={15} /> {seat.health}
                <NumberSign what="energy" size={15} /> {seat.energy}
              </>
            ) : (
              <>
                <IdSign id="skull" size={16} /> {t("over.turn", { turn: seat.died_turn ?? 0 })}
              </>
            )}
          </span>
        </div>
      ))}
    </div>
  );
}

/** `seats`: the seats of the rows' game. */
export function LogRows({ rows, seats }: { rows: readonly LogRow[]; seats: readonly SeatView[] }) {
  const lines = linesOf(rows);
  return (
    <>
      {lines.map((one, index) => (
        <Row key={one.key} row={one} fresh={lines[index - 1]?.turn !== one.turn} seats={seats} />
      ))}
    </>
  );
}

/** The hour and minute of a row, as this phone's clock has them. */
export function clock(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? ""
    : `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`;
}

function Row({ row, fresh, seats }: { row: LogLine; fresh: boolean; seats: readonly SeatView[] }) {
  const seat = seats[row.active] ?? null;
  const said = explained(row);
  const whose = new Set(row.changes.map((change) => names.player(change.seat)));
  const plain = whose.size === 1 && said.includes([...whose].join());
  return (
    <>
      {fresh && row.turn > 0 && (
        <p class="log-turn row gap-10 text-17">
          {seat !== null && <MonsterTile monster={seat.monster} size={32} />}
          <b>
            {seat === null
              ? t("status.turn", { turn: row.turn })
              : t("log.turn", { turn: row.turn, seat: seat.seat })}
          </b>
        </p>
      )}
      <div
        class={`log-row row gap-12 dotted-below ${row.came ? "came" : ""} ${row.undone ? "undone" : ""}`}
      >
        <IdSign id={row.sign} size={24} />
        <span class="grow">
          <span class="log-said">{said}</span>{" "}
          {row.changes.map((change, index) => (
            <span key={index} class="log-change">
              <Deltas changes={[change]} size={18} plain={plain} />
            </span>
          ))}
          {row.ahead && <small class="muted">{t("log.ahead")}</small>}
          {row.undone && <small class="muted">{t("log.was_undone")}</small>}
        </span>
        <small class="muted">
          {row.tray ? t("by.tray") : row.by === "" ? clock(row.at) : row.by}
        </small>
      </div>
    </>
  );
}
