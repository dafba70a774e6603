/** Parts of both maps: places with their Monsters, names, stacks and Units. */
import type { ComponentChildren } from "preact";
import { Standee, type StandeeState } from "../monsters/standee";
import { INK, LIME, PAPER } from "../palette";
import { SignShape } from "../signs/sign";

/** The fields of a seat's public view that the map needs. */
export interface MapSeat {
  readonly seat: number;
  readonly monster: string;
}

/** The fields of a place's view that the map needs: who is there, by seat. */
export interface MapPlace {
  readonly id: string;
  readonly area: string;
  /** How many more may come; 0 also where the place is closed with so few monsters. */
  readonly room: number;
  readonly monsters: readonly number[];
}

/** The fields of an area's view that the map needs. */
export interface MapArea {
  readonly id: string;
  readonly places: readonly string[];
  readonly stacks: ReadonlyArray<{ readonly id: number; readonly left: number }>;
  readonly units: ReadonlyArray<{ readonly id: number }>;
}

export interface MapProps {
  readonly areas: readonly MapArea[];
  readonly places: readonly MapPlace[];
  readonly seats: readonly MapSeat[];
  /** Whose turn it is; its standee has a paper frame. */
  readonly active?: number | null | undefined;
  /** Who must answer; its standee has a dashed gold frame. */
  readonly asked?: number | null | undefined;
  /** The word on the map for an area, a place or one of the map's own marks (`upper`, `midtown`, `lower`). */
  readonly words: (id: string) => string;
  /** A description of the whole map for a screen reader; the lists beside it have all details. */
  readonly title: string;
}

/** The position of a place's monsters: the middle of their row, in units of the map. */
export type Spot = readonly [x: number, y: number];
export type Spots = Readonly<Record<string, Spot>>;

export const MAP_WIDTH = 390;
export const MAP_HEIGHT = 338;
export const NIGHT_SKY = "#101820";
export const NIGHT_FAR = "#1d2a35";
export const NIGHT_WATER = "#16232e";
export const LAND = "#2b352e";
export const LAND_SIDE = "#131816";
export const LAND_EDGE = "#5b7062";
export const WALL = "#0f1412";

/** The frame of every map: a picture, so the same in every theme. */
export function MapFrame({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <svg
      class="map picture"
      viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
      role="img"
      aria-label={title}
      focusable="false"
    >
      {children}
    </svg>
  );
}

/** A piece of land with its thickness. */
export function Land({
  shape,
  fill = LAND,
  side = LAND_SIDE,
  edge = LAND_EDGE,
  drop = 9,
}: LandProps) {
  return (
    <>
      <path d={shape} fill={side} transform={`translate(0 ${drop})`} />
      <path d={shape} fill={fill} stroke={edge} stroke-width="1" stroke-linejoin="round" />
    </>
  );
}

interface LandProps {
  readonly shape: string;
  readonly fill?: string;
  readonly side?: string;
  readonly edge?: string;
  readonly drop?: number;
}

/** Short lines on the water. */
export function Ripples({ at }: { readonly at: ReadonlyArray<readonly [number, number, number]> }) {
  return (
    <path
      d={at.map(([x, y, length]) => `M${x} ${y}h${length}`).join("")}
      stroke="#2f4759"
      stroke-width="1.2"
      fill="none"
    />
  );
}

export interface LabelProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly area?: MapArea | undefined;
  /** Where `x` is. */
  readonly anchor?: "start" | "end";
  readonly bold?: boolean;
}

const LABEL_HEIGHT = 21;
/** Widths of the display face at 16 units; other letters are as wide as `H`. */
const LETTERS: Readonly<Record<string, number>> = {
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
/** The letter spacing. */
const SPREAD = 0.5;
const STACK = 9;

/** The name of an area with its content: three small stacks and the number of Units. */
export function Label({ x, y, text, area, anchor = "start", bold = false }: LabelProps) {
  const letters = wordWidth(text);
  const word = letters + 14;
  const stacks = area?.stacks ?? [];
  const units = area?.units.length ?? 0;
  const tail =
    (stacks.length > 0 ? stacks.length * STACK + 4 : 0) + (area && stacks.length > 0 ? 36 : 0);
  const width = word + tail;
  const left = anchor === "end" ? x - width : x;
  return (
    <g transform={`translate(${left} ${y})`}>
      <rect
        width={width}
        height={LABEL_HEIGHT}
        rx="3.5"
        fill={bold ? "#f7b801" : INK}
        opacity={bold ? 1 : 0.92}
      />
      <text
        class="map-name display-face"
        x="7"
        y="16"
        textLength={letters}
        fill={bold ? INK : PAPER}
      >
        {text}
      </text>
      {stacks.map((stack, index) => (
        <Stack key={stack.id} x={word + index * STACK - 3} left={stack.left} />
      ))}
      {stacks.length > 0 && (
        <g transform={`translate(${word + stacks.length * STACK} 0)`}>
          <g transform="translate(1 3.4) scale(.58)" fill={PAPER}>
            <SignShape name="infantry" />
          </g>
          <text class="map-count display-face" x="18" y="16" fill={PAPER}>
            {units}
          </text>
        </g>
      )}
    </g>
  );
}

/** Return the width of a word in the display face; the text is fitted to it with any font. */
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

interface CrowdProps extends MapProps {
  readonly spots: Spots;
  /** Edge of a tile at a place. */
  readonly size: (place: MapPlace) => number;
}

/** Every monster on its place, those farther back first. */
export function Crowd({ places, seats, spots, size, active, asked }: CrowdProps) {
  const standing = places.flatMap((place) => row(place, spots[place.id], size(place)));
  standing.sort((one, other) => one.y - other.y || one.x - other.x);
  return (
    <>
      {standing.map(({ seat, ...where }) => {
        const monster = seats.find((each) => each.seat === seat)?.monster ?? "";
        const state: StandeeState = seat === asked ? "asked" : seat === active ? "turn" : "rest";
        return <Standee key={seat} id={monster} state={state} {...where} />;
      })}
    </>
  );
}

function row(place: MapPlace, spot: Spot | undefined, size: number) {
  if (spot === undefined) return [];
  const step = size * 1.22;
  const start = spot[0] - (step * (place.monsters.length - 1)) / 2;
  return place.monsters.map((seat, index) => ({ seat, x: start + index * step, y: spot[1], size }));
}

/** Whether somebody is there or may come; a place that needs more monsters in the game is not drawn. */
export function isOpen(place: MapPlace | undefined): boolean {
  return place !== undefined && (place.room > 0 || place.monsters.length > 0);
}

/** Return the area of a place. */
export function areaOf(areas: readonly MapArea[], place: string): MapArea | undefined {
  return areas.find((area) => area.places.includes(place));
}
