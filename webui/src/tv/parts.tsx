/** Parts of the screens of televisions and overlays: words that fit, dice, the way in, news, seats, what is asked. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { DieArt, isSign, MonsterTile, Sign, signOf } from "../art";
import { PAPER } from "../art/signs";
import { Towers } from "../art/towers";
import { useSeconds } from "../store/source";
import { inOrder, names } from "../store/table";
import { monsterName, say, t } from "../store/words";
import { AT_REST, isTroubled, trayKey } from "../ui/tray-state";
import type * as wire from "../wire";

/** What the camera sees, in a few words. */
function trayWords(tray: wire.Tray): string {
  const dice = tray.proposal?.dice.length ?? 0;
  if (tray.camera !== "ok" || tray.state !== "read" || dice === 0) return t(trayKey(tray));
  return t("tv.dice_read", { count: dice });
}

/** Says on every screen that the dice are no real ones. */
export function DemoSticker({ tray }: { readonly tray: wire.Tray }) {
  if (!tray.demo) return null;
  return (
    <span class="demo-sticker one-line color-ink text-30">
      <Sign name="dice" size={32} /> {t("demo")}
    </span>
  );
}

export function CameraState({ tray }: { readonly tray: wire.Tray }) {
  const tone =
    isTroubled(tray) || tray.drift !== null ? "doubt" : tray.camera === "ok" ? "go" : "muted";
  const rolls = tray.camera === "ok" && tray.state === "rolling" && tray.roll > 0;
  return (
    <span class={`camera semibold ${tone}`}>
      <Sign name={tray.camera === "ok" ? "camera" : "camera_off"} size={36} /> {trayWords(tray)}
      {rolls && ` · ${t("tray.roll", { roll: tray.roll })}`}
    </span>
  );
}

export function StateLine({ now, game }: { now: wire.ViewerView; game: wire.GameView }) {
  return (
    <p class="state-line">
      <b>{t("status.turn", { turn: game.turn })}</b>
      <DemoSticker tray={now.tray} />
      <CameraState tray={now.tray} />
      {!now.saved && (
        <span class="doubt">
          <Sign name="warning" size={32} /> {t("line.unsaved")}
        </span>
      )}
      {game.house.length > 0 && (
        <span class="muted house">
          <Sign name="house" size={32} /> {game.house.map((one) => t(`house.${one}`)).join(" · ")}
        </span>
      )}
    </p>
  );
}

type ShownDie = Readonly<{ face: wire.Face | null; colour: "black" | "green"; sure: boolean }>;

/** `moved`: they may lie otherwise by now. */
export type ShownDice = Readonly<{
  title: string;
  dice: readonly ShownDie[];
  moved?: boolean;
}>;

const MOVING: readonly string[] = ["rolling", "settling", "taken"];

/** The dice to show with the words above them; null if nothing was rolled yet. */
export function diceOf(game: wire.GameView, tray: wire.Tray): ShownDice | null {
  const read = tray.camera === "ok" ? tray.proposal : null;
  if (read !== null) {
    const dice = read.dice.map(({ face, colour, sure }) => ({
      face,
      colour: colourOf(colour),
      sure,
    }));
    const title = t(MOVING.includes(tray.state) ? "proposal.rolling" : "tv.read");
    return { title, dice, moved: !AT_REST.includes(tray.state) };
  }
  const question = game.question;
  if (question?.kind === "roll" && question.showing.length > 0) {
    return { title: t("tv.rolled", { seat: game.active }), dice: question.showing.map(plain) };
  }
  if (game.last_roll.length === 0) return null;
  const seat = game.last_roll_seat ?? game.active;
  const key = seat === game.active ? "tv.rolled" : "tv.rolled_before";
  return { title: t(key, { seat }), dice: game.last_roll.map(plain) };
}

/** A die that was entered: nothing is known but its face. */
export function plain(face: wire.Face): ShownDie {
  return { face, colour: "black", sure: true };
}

function colourOf(colour: string): "black" | "green" {
  return colour === "green" ? "green" : "black";
}

export function DiceRow({ shown, size }: { readonly shown: ShownDice; readonly size: number }) {
  return (
    <div
      class={shown.moved ? "dice-row moved" : "dice-row"}
      role="img"
      aria-label={spokenDice(shown)}
    >
      {shown.dice.map((die, index) => (
        <Die key={index} die={die} size={size} />
      ))}
    </div>
  );
}

function Die({ die: { face, colour, sure }, size }: { die: ShownDie; size: number }) {
  const doubtful = !sure || face === null;
  return (
    <span class={doubtful ? "tv-die doubtful" : "tv-die"}>
      {face !== null && isSign(face) ? (
        <DieArt face={face} colour={colour} size={size} />
      ) : (
        <span class="unknown num">?</span>
      )}
    </span>
  );
}

function spokenDice({ title, dice }: ShownDice): string {
  const faces = dice.map(({ face }) => (face === null ? t("die.unknown") : t(`face.${face}`)));
  return `${title}: ${faces.join(", ")}`;
}

export interface FittedProps {
  readonly text: string;
  /** The largest and the smallest size in px. */
  readonly most: number;
  readonly least: number;
  readonly class?: string;
  readonly as?: "h1" | "p";
}

/** Fit a box to its words whenever they change, and once more when the faces have come, later than the words. */
function useFit(adjust: (box: HTMLElement) => void, words: string) {
  const box = useRef<HTMLHeadingElement & HTMLParagraphElement & HTMLDivElement>(null);
  useLayoutEffect(() => {
    let there = true;
    const measure = () => {
      if (there && box.current !== null) adjust(box.current);
    };
    measure();
    document.fonts.ready.then(measure, measure);
    return () => {
      there = false;
    };
  }, [words]);
  return box;
}

/** Words that shrink until they fit into their box, whose size the style sheet gives. */
export function Fitted({ text, most, least, class: extra, as: Tag = "p" }: FittedProps) {
  const box = useFit((one) => shrink(one, most, least), `${text} ${most}`);
  return (
    <Tag ref={box} class={`fitted overflow-hidden ${extra ?? ""}`}>
      {text}
    </Tag>
  );
}

function shrink(box: HTMLElement, most: number, least: number): void {
  for (let size = most; size >= least; size -= 2) {
    box.style.fontSize = `${size}px`;
    if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) return;
  }
}

export function FuseLine({ fuse }: { readonly fuse: wire.Fuse }) {
  const seconds = useSeconds(fuse);
  return (
    <p class="dice-title semibold text-30 tv-fuse">
      <b>{t(`fuse.${fuse.kind}`, { seconds })}</b> · {t("fuse.stop_tv")}
    </p>
  );
}

/** The QR code's picture; its address changes with the code and the address. */
export function Qr({ join, size }: { readonly join: wire.Join; readonly size: number }) {
  return (
    <img
      class="qr"
      src={`/api/tv/qr.svg?code=${join.code}&address=${encodeURIComponent(join.address)}`}
      alt={t("qr.alt", { address: join.address })}
      width={size}
      height={size}
    />
  );
}

/** The QR code of the table's Wi-Fi, if the host shows it to all; a phone without that network scans it first. */
export function WifiCode({ join }: { readonly join: wire.Join | null }) {
  if (!showsWifi(join)) return null;
  return (
    <section class="wifi-code absolute color-ink">
      <Fitted class="wifi-head one-line num" text={t("qr.wifi_code")} most={72} least={40} />
      <img class="qr" src="/api/tv/wifi.svg" alt={t("qr.wifi_alt")} width={416} height={416} />
      <Fitted class="wifi-how" text={t("qr.wifi_scan")} most={32} least={28} />
    </section>
  );
}

export function showsWifi(join: wire.Join | null): boolean {
  return join?.open === true && join.wifi === "all";
}

/** The small way in beside a game; nothing while the table is closed. */
export function JoinCorner({ join }: { readonly join: wire.Join | null }) {
  if (join === null || !join.open) return null;
  return (
    <div class="join-corner">
      <Qr join={join} size={176} />
      <p class="num join-code">
        {join.code.slice(0, 3)} {join.code.slice(3)}
      </p>
      <p class="join-how">{t("head.scan")}</p>
    </div>
  );
}

/** The address without its scheme, which every browser adds; of several tables, the name first. */
export function shortAddress(join: wire.Join): string {
  const address = join.address.replace(/^https?:\/\//, "");
  return join.table === "" ? address : `${join.table} · ${address}`;
}

const SIZE = 30;
const SMALLEST = 28;

export function News({ news, most }: { news: readonly wire.NewsLine[]; most: number }) {
  const shown = inOrder(news.slice(0, most));
  const sentences = shown.map(({ words }) => say(words));
  const box = useFit(fill, sentences.join("\n"));
  return (
    <div ref={box} class="tv-news overflow-hidden text-30">
      {shown.map((one, index) => (
        <p key={index} class={index === shown.length - 1 ? "" : "muted"}>
          <Sign name={signOf(one.sign, "hand")} size={34} /> {sentences[index]}
        </p>
      ))}
    </div>
  );
}

/** Leave out the oldest sentences that have no room; the newest stays, in smaller letters. */
function fill(box: HTMLElement): void {
  const lines = [...box.children] as HTMLElement[];
  for (const line of lines) line.style.display = "";
  box.style.fontSize = `${SIZE}px`;
  const fits = () => box.scrollHeight <= box.clientHeight;
  while (!fits() && lines.length > 1) (lines.shift() as HTMLElement).style.display = "none";
  if (!fits()) box.style.fontSize = `${SMALLEST}px`;
}

const FAR =
  "0 50 420, 120 70 540, 196 46 580, 306 56 480, 364 52 372, 418 70 494, 484 46 490, 700 52 500, 790 90 418, 916 86 300, 1010 60 570, 1086 60 360, 1130 70 286";
const NEAR =
  "0 48 420, 54 80 610, 142 70 560, 236 64 540, 316 100 600, 420 90 572, 540 50 456, 584 60 450, 650 40 520, 690 56 434, 772 84 610, 880 70 620, 968 56 566, 1040 90 580, 1148 52 500";

export function Skyline() {
  return (
    <svg
      class="skyline corner"
      viewBox="0 0 1200 1080"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
    >
      <rect width="1200" height="1080" fill="#10141b" />
      <circle cx="930" cy="250" r="150" fill={PAPER} />
      <circle cx="984" cy="204" r="30" fill="#d5cbb7" />
      <circle cx="880" cy="300" r="18" fill="#d5cbb7" />
      <Towers towers={FAR} base={840} fill="#1d2a35" lit={17} pane={5} />
      <Towers towers={NEAR} base={840} fill="#14110f" lit={5} pane={5} />
      <path d="M0 836H1200V1080H0Z" fill="#14110f" />
      <path d="M0 836H1200V846H0Z" fill="#8a7350" />
    </svg>
  );
}

export interface Asked {
  readonly headline: string;
  /** The seat that it is about. */
  readonly seat: number;
  /** Whether another seat than the active one has to answer. */
  readonly other: boolean;
  /** Where it is answered; null if the table answers. */
  readonly note: string | null;
}

/** Return what the table waits for. */
export function askedOf(game: wire.GameView): Asked {
  const question = game.question;
  const seat = question?.seat ?? game.active;
  const other = seat !== game.active;
  const [second] = seatsAsked(game).filter((one) => one !== seat);
  const note =
    question?.kind !== "choice"
      ? null
      : second === undefined
        ? t("tv.answer_on", { seat })
        : t("tv.answer_both", { seat, other: second });
  return { headline: headlineOf(game, seat), seat, other, note };
}

/** The seats that have to answer now: two that were hit at once are asked together. */
export function seatsAsked({ question }: wire.GameView): readonly number[] {
  if (question?.seat == null) return [];
  const open = question.also.filter((one) => one.answer === null);
  return [question.seat, ...open.map((one) => one.seat)];
}

/** What is asked of a stack: what stood under a building that fell, or what lies on top now. */
function tileKey({ fallen }: wire.Question): string {
  return fallen === null ? "head.top" : "head.tile";
}

function headlineOf(game: wire.GameView, seat: number): string {
  const question = game.question;
  if (question === null) return t("head.turn_of", { seat: game.active });
  switch (question.kind) {
    case "roll":
      return question.main ? t("tv.rolls", { seat }) : say(question.prompt);
    case "reveal_card":
      return t("head.card");
    case "reveal_tile":
      return t(tileKey(question));
    case "choice":
      if (question.window === "flee") return t(onlyOneOutside(game) ? "head.yield" : "head.flee");
      if (question.window === "place") return t("head.place", { seat });
      if (question.key === "buy" || question.key === "move") return t("tv.buys", { seat });
      return say(question.prompt);
  }
}

/** Whether who leaves the city has one place to go, so that it yields. */
function onlyOneOutside(game: wire.GameView): boolean {
  return game.places.filter((place) => !place.inside).length === 1;
}

export type SeatState = "turn" | "asked" | "out" | "rest";

export function stateOf(game: wire.GameView, seat: wire.SeatView): SeatState {
  if (!seat.alive) return "out";
  if (seat.seat !== game.active && seatsAsked(game).includes(seat.seat)) return "asked";
  return seat.seat === game.active ? "turn" : "rest";
}

type SeatCardProps = Readonly<{ game: wire.GameView; seat: wire.SeatView; tile: number }>;

/** One seat; the style sheet decides whether it is a card or a row. */
export function SeatCard({ game, seat, tile }: SeatCardProps) {
  const state = stateOf(game, seat);
  return (
    <li class={`seat plate ${state}`}>
      <MonsterTile monster={seat.monster} size={tile} out={!seat.alive} />
      <div class="seat-words">
        <Fitted class="seat-name num" text={names.player(seat.seat)} most={54} least={28} />
        <p class="seat-monster one-line semibold text-30">{monsterName(seat)}</p>
        <Where game={game} seat={seat} />
      </div>
      <p class="seat-goals">
        {seat.goals.filter(isSign).map((goal) => (
          <Sign key={goal} name={goal} size={56} title={t(`goal.${goal}`)} meaning />
        ))}
      </p>
      <Totals numbers={seat.numbers} />
    </li>
  );
}

/** An area of many places goes by its own name; the map has the place. */
const MANY_PLACES = 3;

function whereOf(game: wire.GameView, seat: wire.SeatView): string | null {
  const area = game.areas.find((one) => one.id === seat.area);
  return area !== undefined && area.places.length >= MANY_PLACES ? area.id : seat.place;
}

function Where({ game, seat }: { readonly game: wire.GameView; readonly seat: wire.SeatView }) {
  const where = whereOf(game, seat);
  const words = seat.alive
    ? where !== null && t(`place.${where}`)
    : t("row.out", { turn: seat.died_turn ?? 0 });
  return (
    <p class="seat-where one-line overflow-hidden">
      {words && <Sign name={seat.alive ? "pin" : "skull"} size={28} />} {words}
    </p>
  );
}

/** Six digits in a row need smaller ones, still above 8 % of the screen's height. */
const MANY_DIGITS = 6;

export function Totals({ numbers }: { readonly numbers: readonly wire.NumberView[] }) {
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
