/** Parts of all maps: land, water, Monsters on their places; names of areas as phones and televisions have them. */
import type { ComponentChildren } from "preact";
import type { AreaView, GameView, PlaceView } from "../wire";
import { Standee, type StandeeState } from "./monsters";
import { GOLD, INK, LIME, PAPER, SignShape, signOf } from "./signs";

export interface MapProps {
  readonly game: GameView;
  /** The word on the map for an area, a place or one of the map's own marks (`upper`, `midtown`, `lower`). */
  readonly words: (id: string) => string;
  /** A description of the whole map for a screen reader; the lists beside it have all details. */
  readonly title: string;
}

export interface LargeMapProps extends MapProps {
  /** How large labels, Units and Monsters are drawn: a smaller map has larger ones. */
  readonly zoom: number;
  /** Whether words stand in the sky above, so that the picture is higher than wide. */
  readonly high: boolean;
}

export type Spot = readonly [x: number, y: number];
/** Where the Monsters of a place stand, in units of the map. */
export type Spots = Readonly<Record<string, Spot>>;

export const NIGHT_SKY = "#101820";
export const NIGHT_FAR = "#1d2a35";
export const NIGHT_WATER = "#16232e";
export const WALL = "#0f1412";

interface FrameProps {
  readonly title: string;
  readonly box: string;
  readonly class?: string | undefined;
  /** How the picture fills a box of another shape. */
  readonly fit?: string | undefined;
  readonly children: ComponentChildren;
}

/** The frame of every map: a picture, so the same in every theme. */
export function MapFrame({ title, box, class: extra = "map picture", fit, children }: FrameProps) {
  return (
    <svg class={extra} viewBox={box} preserveAspectRatio={fit} role="img" aria-label={title}>
      {children}
    </svg>
  );
}

interface LandProps {
  readonly shape: string;
  readonly fill?: string;
  readonly side?: string;
  readonly edge?: string;
  readonly drop?: number | undefined;
}

/** A piece of land with its thickness. */
export function Land({
  shape,
  fill = "#2b352e",
  side = "#131816",
  edge = "#5b7062",
  drop = 9,
}: LandProps) {
  return (
    <>
      <path d={shape} fill={side} transform={`translate(0 ${drop})`} />
      <path d={shape} fill={fill} stroke={edge} stroke-width="1" stroke-linejoin="round" />
    </>
  );
}

/** Short lines on the water. */
export function Ripples({ d }: { readonly d: string }) {
  return <path d={d} stroke="#2f4759" stroke-width="1.2" fill="none" />;
}

export interface LabelProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly area?: AreaView | undefined;
  /** Where `x` is. */
  readonly anchor?: "start" | "end";
  readonly bold?: boolean;
}

type Widths = Readonly<Record<string, number>>;

/** Widths of the display face at 16 units; other letters are as wide as `H`. */
const LETTERS: Widths = {
  I: 3.7,
  " ": 3.6,
  M: 11.9,
  W: 12.8,
  N: 8.7,
  E: 6.6,
  F: 6.6,
  L: 6.5,
  T: 6.8,
};
const LETTER = 7.8;
const SPREAD = 0.5;
const STACK = 9;

/** The name of an area on a phone with its content: three small stacks and the number of Units. */
export function Label({ x, y, text, area, anchor = "start", bold = false }: LabelProps) {
  const letters = wordWidth(text);
  const word = letters + 14;
  const stacks = area?.stacks ?? [];
  const width = word + (stacks.length > 0 ? stacks.length * STACK + 40 : 0);
  const left = anchor === "end" ? x - width : x;
  return (
    <g transform={`translate(${left} ${y})`}>
      <rect width={width} height="21" rx="3.5" fill={bold ? GOLD : INK} opacity={bold ? 1 : 0.92} />
      <text class="map-name" x="7" y="16" textLength={letters} fill={bold ? INK : PAPER}>
        {text}
      </text>
      {stacks.map((stack, index) => (
        <Stack key={stack.id} x={word + index * STACK - 3} left={stack.left} />
      ))}
      {stacks.length > 0 && (
        <g transform={`translate(${word + stacks.length * STACK} 0)`} fill={PAPER}>
          <g transform="translate(1 3.4) scale(.58)">
            <SignShape name="infantry" />
          </g>
          <text class="map-count" x="18" y="16">
            {area?.units.length}
          </text>
        </g>
      )}
    </g>
  );
}

function wordWidth(text: string): number {
  const letters = [...text.toUpperCase()].map((letter) => (LETTERS[letter] ?? LETTER) + SPREAD);
  return Math.round(letters.reduce((sum, each) => sum + each, 0));
}

/** Tiles left in a stack, as boxes one above the other. */
function Stack({ x, left }: { readonly x: number; readonly left: number }) {
  return (
    <>
      {[0, 1, 2].map((level) => (
        <rect
          key={level}
          x={x}
          y={13.6 - level * 4.9}
          width="7"
          height="3.8"
          fill={level < left ? LIME : "none"}
          stroke={level < left ? "none" : "#80705e"}
          stroke-width="0.7"
        />
      ))}
    </>
  );
}

const FONT = 40;
const HEIGHT = 50;
/** The width of a capital of the display face, in em. */
const EM = 0.47;
const CHIP = 48;
const STEP = 54;
const MOST_CHIPS = 4;

interface NameProps {
  readonly at: Spot;
  readonly text: string;
  readonly zoom: number;
  readonly anchor: "start" | "end" | "middle";
  readonly bold?: boolean;
  readonly area?: AreaView | undefined;
  /** Where Units go, from the middle of the name's edge at `at`; beside the name if left out. */
  readonly units?: Spot | undefined;
}

/** The name of an area on a large map, and the Units that are there. */
export function Name({ at: [x, y], text, zoom, anchor, bold, area, units: unitsAt }: NameProps) {
  const width = Math.round(text.length * FONT * EM + 36);
  const left = anchor === "end" ? -width : anchor === "middle" ? -width / 2 : 0;
  const [chipX, chipY] = unitsAt ?? [left + width + 10, -CHIP / 2];
  return (
    <g transform={`translate(${x} ${y}) scale(${zoom})`}>
      <rect
        x={left}
        y={-HEIGHT / 2}
        width={width}
        height={HEIGHT}
        rx="6"
        fill={bold ? GOLD : INK}
      />
      <text
        class="tv-map-name"
        x={left + 18}
        y="14"
        textLength={width - 36}
        lengthAdjust="spacingAndGlyphs"
        fill={bold ? INK : PAPER}
      >
        {text}
      </text>
      <g transform={`translate(${chipX} ${chipY})`} fill={PAPER}>
        <Units units={area?.units ?? []} />
      </g>
    </g>
  );
}

/** Units as small tiles; the last one counts those for which there is no room. */
function Units({ units }: { readonly units: AreaView["units"] }) {
  const rest = units.length - MOST_CHIPS;
  const shown = rest > 0 ? units.slice(0, MOST_CHIPS - 1) : units;
  const chip = (
    <rect width={CHIP} height={CHIP} rx="7" fill={INK} stroke="#80705e" stroke-width="2" />
  );
  return (
    <>
      {shown.map((unit, index) => (
        <g key={unit.id} transform={`translate(${index * STEP} 0)`}>
          {chip}
          <g transform="translate(6 6) scale(1.5)">
            <SignShape name={signOf(unit.kind, "infantry")} />
          </g>
        </g>
      ))}
      {rest > 0 && (
        <g transform={`translate(${shown.length * STEP} 0)`}>
          {chip}
          <text class="tv-map-count" x={CHIP / 2} y="35" text-anchor="middle">
            +{rest + 1}
          </text>
        </g>
      )}
    </>
  );
}

interface CrowdProps {
  readonly game: GameView;
  readonly spots: Spots;
  /** Edge of a tile at a place. */
  readonly size: (place: PlaceView) => number;
  /** From a place's first Monster to its next, in tiles; left out, its row has its middle at the spot. */
  readonly step?: number;
  /** Whether claws reach from the active Monster to one that it struck and that is asked. */
  readonly claws?: boolean;
}

/** Every Monster on its place, those farther back first. */
export function Crowd({ game, spots, size, step, claws = false }: CrowdProps) {
  const standing = game.places.flatMap((place) => {
    const spot = spots[place.id];
    if (spot === undefined) return [];
    const edge = size(place);
    // At the left edge the next one has its room at the right.
    const by = edge * (step ?? 1.22) * (step !== undefined && spot[0] < edge ? -1 : 1);
    const start = step === undefined ? spot[0] - (by * (place.monsters.length - 1)) / 2 : spot[0];
    return place.monsters.map((seat, nth) => ({
      seat,
      x: start + nth * by,
      y: spot[1],
      size: edge,
    }));
  });
  standing.sort((one, other) => one.y - other.y || one.x - other.x);
  const at = (seat: number | undefined) => standing.find((one) => one.seat === seat);
  const hit = game.question?.window === "flee" ? at(game.question.seat ?? undefined) : undefined;
  return (
    <>
      {claws && <Scratches from={at(game.active)} to={hit} />}
      {standing.map(({ seat, ...where }) => (
        <Standee
          key={seat}
          id={game.seats[seat]?.monster ?? ""}
          state={stateOf(game, seat)}
          {...where}
        />
      ))}
    </>
  );
}

function stateOf(game: GameView, seat: number): StandeeState {
  if (game.ended !== null) return "rest";
  if (seat === game.active) return "turn";
  const also = game.question?.also.some((one) => one.seat === seat && one.answer === null);
  return also || seat === game.question?.seat ? "asked" : "rest";
}

type Placed = Readonly<{ x: number; y: number; size: number }>;

function Scratches({ from, to }: { from: Placed | undefined; to: Placed | undefined }) {
  if (from === undefined || to === undefined || from === to) return null;
  const [x, y] = [from.x, from.y - from.size * 0.7];
  const [dx, dy] = [to.x - x, to.y - to.size * 0.7 - y];
  const turn = (Math.atan2(dy, dx) * 180) / Math.PI;
  const [start, end] = [from.size * 0.62, Math.hypot(dx, dy) - to.size * 0.5];
  const mid = (start + end) / 2;
  if (end - start < 40) return null;
  return (
    <g
      transform={`translate(${x} ${y}) rotate(${turn})`}
      fill="#e4572e"
      stroke={PAPER}
      stroke-width="4"
      stroke-linejoin="round"
    >
      {[-44, 6].map((off) => (
        <path
          key={off}
          d={`M${start} ${off + 8}Q${mid} ${off - 34} ${end} ${off + 40}Q${mid} ${off + 2} ${start} ${off + 8}Z`}
        />
      ))}
    </g>
  );
}

/** Whether somebody is there or may come; a place that needs more monsters in the game is not drawn. */
export function isOpen(place: PlaceView | undefined): boolean {
  return place !== undefined && (place.room > 0 || place.monsters.length > 0);
}

/** Return the area of a place. */
export function areaOf(areas: readonly AreaView[], place: string): AreaView | undefined {
  return areas.find((area) => area.places.includes(place));
}
