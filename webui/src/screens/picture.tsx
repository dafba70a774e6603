/** The picture of a game to keep and share, made on this phone: shapes by SVG, words by the canvas. */
import "../styles/looks.css";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MonsterTile, SignShape } from "../art";
import { ChanceGraph, ChanceKey } from "../art/chances";
import { Winner } from "../art/monsters";
import { GOLD, INK, PAPER } from "../art/signs";
import { gameOf, leaveStory, storyOf } from "../store/records";
import { names } from "../store/table";
import { say, t } from "../store/words";
import { endWords, turnedMark } from "../ui/ending";
import { Headline, Screen } from "../ui/frame";
import { Act, Spoken } from "../ui/kit";
import type { GameView, SeatView, StoryView } from "../wire";

export const WIDTH = 1080;
export const HEIGHT = 1350;
const HEAD = 640;
const MARGIN = 40;
const SEATS_TOP = HEAD + 24;
const SEATS_HEIGHT = 210;
/** A seat so wide has its name beside its tile, and its health. */
const WIDE = 190;
const GRAPH_TOP = SEATS_TOP + SEATS_HEIGHT + 20;
const GRAPH_HEIGHT = 400;
const DISPLAY = '900 100px "Big Shoulders Display"';
const TEXT = '600 40px "Atkinson Hyperlegible Next Variable"';

/** Return the picture as PNG; null if the browser cannot draw it. */
export async function drawn(story: StoryView, now: GameView): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  try {
    pen.drawImage(await imageOf(<Shapes story={story} now={now} />), 0, 0, WIDTH, HEIGHT);
    await Promise.all([document.fonts.load(DISPLAY), document.fonts.load(TEXT)]);
    write(pen, story, now);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } catch {
    return null;
  }
}

function imageOf(drawing: preact.VNode): Promise<HTMLImageElement> {
  const stage = document.createElement("div");
  render(drawing, stage);
  const svg = stage.querySelector("svg");
  const text = svg === null ? "" : new XMLSerializer().serializeToString(svg);
  render(null, stage);
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = fail;
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}

function winnerOf(now: GameView): SeatView | undefined {
  return now.seats[now.ended?.winners[0] ?? -1];
}

function left(index: number, count: number): number {
  return MARGIN + ((WIDTH - 2 * MARGIN + 16) * index) / count;
}

function Shapes({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  const winner = winnerOf(now);
  const count = now.seats.length;
  const cell = (WIDTH - 2 * MARGIN + 16) / count - 16;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      font-family="sans-serif"
    >
      <rect width={WIDTH} height={HEIGHT} fill={INK} />
      {winner !== undefined && (
        <Winner id={winner.monster} width={WIDTH} height={HEAD} x={520} y={150} scale={8} />
      )}
      <rect y={HEAD} width={WIDTH} height={HEIGHT - HEAD} fill={INK} />
      {now.seats.map((seat, index) => (
        <g key={seat.seat} transform={`translate(${left(index, count)} ${SEATS_TOP})`}>
          <rect
            x="3"
            y="3"
            width={cell - 6}
            height={SEATS_HEIGHT - 6}
            rx="12"
            fill="#211c18"
            stroke={now.ended?.winners.includes(seat.seat) ? GOLD : "#80705e"}
            stroke-width={now.ended?.winners.includes(seat.seat) ? 8 : 3}
          />
          <g transform="translate(18 20)">
            <MonsterTile monster={seat.monster} size={76} out={!seat.alive} />
          </g>
          <g transform={`translate(104 ${cell > WIDE ? 78 : 52})`}>
            <ChanceKey seat={seat.seat} monster={seat.monster} />
          </g>
          <g transform="translate(18 150) scale(1.6)" fill={GOLD}>
            <SignShape name="victory_star" />
          </g>
          {cell > WIDE && (
            <g
              transform={`translate(${18 + cell / 2 - 10} 150) scale(1.6)`}
              fill={seat.alive ? "#ff6b8b" : PAPER}
            >
              <SignShape name={seat.alive ? "heal" : "skull"} />
            </g>
          )}
        </g>
      ))}
      {story.chance.length > 1 && (
        <g transform={`translate(${MARGIN} ${GRAPH_TOP})`}>
          <ChanceGraph
            chance={story.chance}
            seats={now.seats}
            width={WIDTH - 2 * MARGIN}
            height={GRAPH_HEIGHT}
            text={26}
            mark={turnedMark(story)}
          />
        </g>
      )}
    </svg>
  );
}

function write(pen: CanvasRenderingContext2D, story: StoryView, now: GameView): void {
  const winner = winnerOf(now);
  const ended = now.ended;
  if (ended === null) return;
  pen.fillStyle = winner === undefined ? PAPER : INK;
  const bottom = headline(pen, endWords(ended.winners).toUpperCase());
  pen.font = TEXT;
  const how = t(`over.${ended.reason}`, { seat: winner?.seat ?? 0, count: winner?.stars ?? 0 });
  sentence(pen, how, bottom + 64);
  const cell = (WIDTH - 2 * MARGIN + 16) / now.seats.length - 16;
  now.seats.forEach((seat, index) => {
    const x = left(index, now.seats.length);
    pen.fillStyle = PAPER;
    if (cell > WIDE) name(pen, names.player(seat.seat), x + 104, SEATS_TOP + 60, cell - 120);
    else name(pen, names.player(seat.seat), x + 18, SEATS_TOP + 134, cell - 36);
    pen.font = DISPLAY.replace("100px", "56px");
    pen.fillText(String(seat.stars), x + 66, SEATS_TOP + 190);
    if (cell > WIDE && seat.alive)
      pen.fillText(String(seat.health), x + 66 + cell / 2 - 10, SEATS_TOP + 190);
  });
  pen.fillStyle = "#c2b39a";
  pen.font = TEXT.replace("40px", "30px");
  const foot = [t("title"), t(`game.${now.game}`), t("picture.turns", { count: story.turns })];
  pen.fillText(foot.join(" · "), MARGIN, HEIGHT - 26);
}

/** Write the headline in at most three lines; return where it ends. */
function headline(pen: CanvasRenderingContext2D, text: string): number {
  for (let size = 150; size > 60; size -= 6) {
    pen.font = DISPLAY.replace("100px", `${size}px`);
    const lines = linesOf(pen, text, 560);
    if (lines.length > 3 || lines.some((line) => pen.measureText(line).width > 600)) continue;
    for (const [index, line] of lines.entries())
      pen.fillText(line, MARGIN, 60 + size * 0.85 * (index + 1));
    return 60 + size * 0.85 * lines.length;
  }
  pen.fillText(text, MARGIN, 140, WIDTH - 2 * MARGIN);
  return 140;
}

function linesOf(pen: CanvasRenderingContext2D, text: string, room: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line !== undefined && pen.measureText(`${line} ${word}`).width <= room)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function sentence(pen: CanvasRenderingContext2D, text: string, y: number): void {
  for (const [index, line] of linesOf(pen, text, 470).entries())
    pen.fillText(line, MARGIN, y + 48 * index);
}

function name(
  pen: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
): void {
  const font = (size: number) => `700 ${size}px "Atkinson Hyperlegible Next Variable"`;
  pen.font = font(34);
  const width = pen.measureText(text).width;
  if (width > room) pen.font = font(Math.max(16, Math.floor((34 * room) / width)));
  pen.fillText(text, x, y, room);
}

/** "": being drawn; null: the browser cannot. */
type Address = string | null;

export function PictureScreen({ id }: { readonly id: string }) {
  const known = storyOf(id);
  const now = gameOf(id);
  const story = known?.story ?? null;
  const [address, setAddress] = useState<Address>("");
  useEffect(() => {
    if (story === null || now === null) return undefined;
    let made = "";
    let gone = false;
    void drawn(story, now).then((file) => {
      if (gone) return;
      made = file === null ? "" : URL.createObjectURL(file);
      setAddress(made === "" ? null : made);
    });
    return () => {
      gone = true;
      if (made !== "") URL.revokeObjectURL(made);
    };
  }, [story]);
  const ready = address !== null && address !== "";
  const words = known?.refused
    ? say(known.refused)
    : t(address === null ? "picture.failed" : ready ? "picture.how" : "picture.making");
  return (
    <Screen
      name="picture"
      status={t("title")}
      tabs={false}
      news={false}
      head={
        <>
          <Headline text={t("picture.head")} lines={1} most={54} />
          <p>{words}</p>
          {ready && (
            <img
              class="story-picture edged w-full"
              src={address}
              width={WIDTH}
              height={HEIGHT}
              alt={t("picture.alt")}
            />
          )}
        </>
      }
      dock={
        <>
          {ready && (
            <a class="primary" href={address} download={`monster-table-${id}.png`}>
              <span class="primary-words">{t("picture.save")}</span>
            </a>
          )}
          <Act text={t("back")} class="wide-act" onTap={() => leaveStory(id)} />
        </>
      }
    >
      <Spoken text={words} />
    </Screen>
  );
}
