/** The map of King of New York: five boroughs and Manhattan with its zones. */
import { INK, PAPER } from "../palette";
import {
  areaOf,
  Crowd,
  isOpen,
  Label,
  Land,
  MapFrame,
  type MapProps,
  NIGHT_FAR,
  NIGHT_SKY,
  NIGHT_WATER,
  Ripples,
  type Spots,
  WALL,
} from "./parts";
import { type Tower, Towers } from "./towers";

/** Positions of each place's monsters. */
export const NEW_YORK_SPOTS: Spots = {
  bronx: [314, 92],
  queens: [334, 186],
  brooklyn: [316, 296],
  staten_island: [46, 302],
  upper_2_4: [143, 129],
  upper_5_6: [195, 129],
  midtown_2_4: [145, 183],
  midtown_5_6: [201, 183],
  lower_2_4: [145, 238],
  lower_5_6: [207, 238],
};

/** A space of a zone, and the label of an empty one. */
type Space = readonly [place: string, mark: string];

interface Zone {
  readonly word: string;
  readonly y: number;
  readonly rx: number;
  readonly fill: string;
  readonly spaces: readonly [first: Space, second: Space];
}

const ZONES: readonly Zone[] = [
  zone("upper", 124, 84, "#97835d"),
  zone("midtown", 178, 94, "#a08a63"),
  zone("lower", 233, 103, "#ab946b"),
];

function zone(word: string, y: number, rx: number, fill: string): Zone {
  const first: Space = [`${word}_2_4`, "2–4"];
  const second: Space = [`${word}_5_6`, "5–6"];
  return { word, y, rx, fill, spaces: [first, second] };
}

const SECOND_TRACK = new Set(ZONES.map(({ spaces: [, second] }) => second[0]));

interface Borough {
  readonly place: string;
  readonly shape: string;
  readonly towers: readonly Tower[];
  readonly base: number;
  readonly label: readonly [x: number, y: number, anchor: "start" | "end"];
}

const BOROUGHS: readonly Borough[] = [
  {
    place: "bronx",
    shape: "M234 84L252 64L300 56L372 64L385 78L383 94L332 108L262 104Z",
    towers: [
      [245, 15, 47],
      [262, 12, 58],
      [276, 17, 41],
      [295, 17, 32],
      [314, 13, 50],
      [330, 15, 29],
      [347, 14, 48],
      [365, 13, 57],
    ],
    base: 74,
    label: [386, 112, "end"],
  },
  {
    place: "queens",
    shape: "M275 184L284 162L330 154L376 160L387 180L385 202L312 209L290 201Z",
    towers: [
      [279, 10, 150],
      [291, 12, 139],
      [305, 13, 132],
      [320, 11, 143],
      [333, 15, 128],
      [350, 11, 141],
      [363, 16, 134],
    ],
    base: 166,
    label: [386, 211, "end"],
  },
  {
    place: "brooklyn",
    shape: "M221 291L238 271L286 263L370 267L381 285L378 303L318 312L262 308Z",
    towers: [
      [231, 17, 250],
      [250, 13, 259],
      [267, 14, 246],
      [285, 17, 255],
      [304, 14, 240],
      [323, 17, 249],
      [342, 14, 258],
      [359, 16, 247],
    ],
    base: 273,
    label: [386, 314, "end"],
  },
  {
    place: "staten_island",
    shape: "M4 292L20 273L58 262L108 270L115 290L88 308L43 312Z",
    towers: [
      [8, 14, 264],
      [23, 12, 253],
      [37, 11, 259],
      [49, 11, 247],
      [61, 13, 256],
      [76, 14, 250],
      [92, 13, 262],
    ],
    base: 275,
    label: [4, 314, "start"],
  },
];

const MANHATTAN = "M29 184L58 142L224 138L238 172L235 236L206 250L128 252L50 232Z";
const MANHATTAN_TOWERS: readonly Tower[] = [
  [45, 19, 101],
  [68, 22, 77],
  [90, 23, 84],
  [115, 24, 58],
  [141, 19, 88],
  [163, 21, 97],
  [187, 22, 84],
  [210, 24, 112],
];
const FAR: readonly Tower[] = [
  [0, 14, 56],
  [14, 14, 42],
  [31, 18, 50],
  [51, 20, 36],
  [74, 22, 58],
  [98, 18, 50],
  [120, 24, 62],
  [150, 30, 56],
  [184, 16, 66],
  [206, 24, 58],
  [236, 20, 50],
  [262, 30, 60],
  [300, 24, 52],
  [324, 26, 42],
  [352, 22, 54],
  [374, 16, 40],
];
const RIPPLES = [
  [8, 90, 22],
  [14, 118, 16],
  [2, 150, 24],
  [10, 205, 18],
  [34, 252, 26],
  [188, 288, 22],
  [140, 292, 20],
  [244, 140, 16],
  [246, 196, 18],
  [244, 226, 22],
  [256, 120, 12],
  [180, 330, 14],
  [364, 232, 20],
  [250, 246, 16],
  [120, 316, 18],
] as const;

/** The five boroughs at night from above the bay, with every monster at its place. */
export function MapNewYork(props: MapProps) {
  const { areas, places, words, title } = props;
  const wide = places.some((place) => SECOND_TRACK.has(place.id) && isOpen(place));
  const taken = new Set(
    places.filter((place) => place.monsters.length > 0).map((place) => place.id),
  );
  const spots = wide ? NEW_YORK_SPOTS : oneTrack(NEW_YORK_SPOTS);
  return (
    <MapFrame title={title}>
      <Night />
      {BOROUGHS.slice(0, 2).map((each) => (
        <BoroughLand key={each.place} borough={each} />
      ))}
      <Towers towers={MANHATTAN_TOWERS} base={150} fill={WALL} edge="#7d6a4c" lit={3} pane={2.4} />
      <Land shape={MANHATTAN} fill="#453a2e" side="#211812" edge="#7d6a4c" drop={14} />
      {ZONES.map((each) => (
        <ZoneDisc key={each.word} zone={each} word={words(each.word)} wide={wide} taken={taken} />
      ))}
      {BOROUGHS.slice(2).map((each) => (
        <BoroughLand key={each.place} borough={each} />
      ))}
      {BOROUGHS.map(({ place, label: [x, y, anchor] }) => {
        const area = areaOf(areas, place);
        return (
          <Label
            key={place}
            x={x}
            y={y}
            anchor={anchor}
            text={words(area?.id ?? place)}
            area={area}
          />
        );
      })}
      <ManhattanLabel areas={areas} words={words} />
      <Crowd
        {...props}
        spots={spots}
        size={(place) => (wide || place.monsters.length > 1 ? 37 : 43)}
      />
    </MapFrame>
  );
}

function ManhattanLabel({ areas, words }: Pick<MapProps, "areas" | "words">) {
  const area = areaOf(areas, ZONES[0]?.spaces[0][0] ?? "");
  return area === undefined ? null : <Label x={97} y={257} text={words(area.id)} area={area} />;
}

/** With only the first track open, its monsters are where the zones are widest. */
function oneTrack(spots: Spots): Spots {
  const moved = ZONES.map(({ word, y }) => [`${word}_2_4`, [186, y + 8]] as const);
  return { ...spots, ...Object.fromEntries(moved) };
}

function Night() {
  return (
    <>
      <rect width="390" height="338" fill={NIGHT_WATER} />
      <rect width="390" height="74" fill={NIGHT_SKY} />
      <Towers towers={FAR} base={74} fill={NIGHT_FAR} lit={11} pane={3.2} />
      <Ripples at={RIPPLES} />
      <circle cx="214" cy="40" r="19.5" fill={PAPER} />
      <circle cx="221" cy="34" r="4.2" fill="#d5cbb7" />
      <circle cx="207" cy="47" r="2.6" fill="#d5cbb7" />
    </>
  );
}

function BoroughLand({ borough }: { readonly borough: Borough }) {
  return (
    <g>
      <Towers
        towers={borough.towers}
        base={borough.base}
        fill={WALL}
        edge="#4a5b50"
        lit={3}
        pane={1.9}
      />
      <Land shape={borough.shape} />
    </g>
  );
}

interface ZoneDiscProps {
  readonly zone: Zone;
  readonly word: string;
  readonly wide: boolean;
  readonly taken: ReadonlySet<string>;
}

function ZoneDisc({ zone: { y, rx, fill, spaces }, word, wide, taken }: ZoneDiscProps) {
  return (
    <g>
      <ellipse cx="138" cy={y + 4} rx={rx} ry="18" fill="#1a120c" opacity={0.6} />
      <ellipse cx="138" cy={y} rx={rx} ry="18" fill={fill} stroke="#c9b68e" stroke-width="1" />
      <text class="map-zone" x={146 - rx} y={y + 5} fill={INK}>
        {word}
      </text>
      {wide &&
        spaces.map(([place, mark]) => {
          const spot = NEW_YORK_SPOTS[place];
          if (spot === undefined) return null;
          return taken.has(place) ? (
            <ellipse
              key={place}
              cx={spot[0]}
              cy={y}
              rx="24"
              ry="10"
              fill="none"
              stroke={INK}
              stroke-width="2"
            />
          ) : (
            <g key={place}>
              <ellipse
                cx={spot[0]}
                cy={y}
                rx="24"
                ry="10"
                fill="none"
                stroke={INK}
                stroke-width="1.8"
                stroke-dasharray="4 3"
              />
              <text class="map-track" x={spot[0]} y={y + 4.6} text-anchor="middle" fill={INK}>
                {mark}
              </text>
            </g>
          );
        })}
    </g>
  );
}
