/** King of New York on a large screen: five boroughs at night, seen from above the bay. */

import {
  isOpen,
  Land,
  NIGHT_FAR,
  NIGHT_SKY,
  NIGHT_WATER,
  Ripples,
  WALL,
} from "../../art/maps/parts";
import { type Tower, Towers } from "../../art/maps/towers";
import { INK, PAPER } from "../../art/palette";
import type { AreaView } from "../../wire";
import { type LargeMapProps, Monsters, Name, type Place, placed, Scratches } from "./parts";

/** The foot of the first Monster of each place. */
const SPOTS: Readonly<Record<string, Place>> = {
  bronx: [1040, 214],
  queens: [1222, 424],
  brooklyn: [1010, 650],
  staten_island: [330, 634],
  upper_2_4: [604, 318],
  upper_5_6: [448, 318],
  midtown_2_4: [640, 400],
  midtown_5_6: [470, 400],
  lower_2_4: [640, 492],
  lower_5_6: [466, 492],
};

const TILE = 140;
const ZONES = [
  { word: "upper", y: 300, rx: 184, ry: 37, fill: "#97835d" },
  { word: "midtown", y: 381, rx: 200, ry: 40, fill: "#a08a63" },
  { word: "lower", y: 470, rx: 214, ry: 43, fill: "#ab946b" },
] as const;

interface Borough {
  readonly place: string;
  readonly shape: string;
  readonly towers: readonly Tower[];
  readonly base: number;
  readonly name: Place;
  readonly anchor: "start" | "end";
  /** Where its Units go, where there is no room beside the name. */
  readonly units?: Place;
}

const BOROUGHS: readonly Borough[] = [
  {
    place: "bronx",
    shape: "M664 214L706 168L826 142L1046 150L1122 172L1118 210L980 246L760 240Z",
    towers: [
      [690, 40, 112],
      [736, 32, 96],
      [776, 46, 118],
      [832, 44, 92],
      [888, 38, 106],
      [1064, 44, 96],
    ],
    base: 172,
    name: [822, 270],
    anchor: "start",
  },
  {
    place: "queens",
    shape: "M962 404L990 350L1130 330L1288 342L1312 392L1306 436L1090 458L1004 440Z",
    towers: [
      [976, 36, 270],
      [1018, 34, 246],
      [1060, 42, 232],
      [1112, 36, 262],
      [1246, 40, 240],
    ],
    base: 362,
    name: [1314, 448],
    units: [-360, -88],
    anchor: "end",
  },
  {
    place: "brooklyn",
    shape: "M692 606L752 560L906 536L1170 546L1228 586L1216 646L1034 676L826 664Z",
    towers: [
      [722, 44, 492],
      [776, 40, 510],
      [824, 44, 468],
      [882, 34, 496],
      [926, 42, 478],
      [1168, 50, 498],
    ],
    base: 568,
    name: [716, 676],
    anchor: "start",
  },
  {
    place: "staten_island",
    shape: "M16 606L66 558L196 532L372 548L438 590L420 628L300 660L110 662Z",
    towers: [
      [30, 46, 524],
      [84, 40, 506],
      [132, 44, 480],
      [182, 36, 498],
      [226, 40, 512],
    ],
    base: 568,
    name: [16, 676],
    anchor: "start",
  },
];

const MANHATTAN = "M268 390L344 270L736 262L772 330L762 474L682 516L520 524L396 484Z";
const MANHATTAN_TOWERS: readonly Tower[] = [
  [306, 48, 192],
  [362, 50, 186],
  [416, 52, 136],
  [474, 56, 88],
  [536, 48, 168],
  [590, 60, 100],
  [656, 52, 184],
  [704, 60, 242],
];
const FAR: readonly Tower[] = [
  [0, 70, 120],
  [96, 60, 98],
  [190, 90, 112],
  [340, 70, 72],
  [428, 80, 104],
  [640, 90, 96],
  [770, 50, 86],
  [860, 110, 108],
  [1010, 50, 96],
  [1150, 60, 112],
  [1180, 46, 78],
  [1240, 90, 104],
];
const RIPPLES = [
  [30, 330, 70],
  [14, 452, 60],
  [60, 498, 44],
  [160, 420, 50],
  [130, 366, 36],
  [230, 470, 30],
  [800, 330, 60],
  [820, 420, 70],
  [900, 500, 50],
  [840, 286, 44],
  [560, 630, 70],
  [500, 680, 60],
  [620, 560, 50],
  [1240, 540, 60],
  [1250, 640, 50],
  [1180, 280, 60],
] as const;

export const NEW_YORK_PLACES: ReadonlySet<string> = new Set(Object.keys(SPOTS));

export function LargeNewYork({ game, zoom, words, title }: LargeMapProps) {
  const { areas, places } = game;
  const all = placed(game, SPOTS, () => TILE * Math.sqrt(zoom), -1.14);
  const city = areas.find((area) => area.inside);
  // With two tracks, Monsters stand where the words would be.
  const wide = places.some((place) => place.id.endsWith("_5_6") && isOpen(place));
  const fought = city?.places.some((id) => places.find((one) => one.id === id)?.monsters.length);
  return (
    <svg class="tv-map" viewBox="0 0 1330 712" role="img" aria-label={title} focusable="false">
      <rect width="1330" height="712" fill={NIGHT_WATER} />
      <rect width="1330" height="156" fill={NIGHT_SKY} />
      <circle cx="572" cy="80" r="56" fill={PAPER} />
      <circle cx="592" cy="58" r="12" fill="#d5cbb7" />
      <Towers towers={FAR} base={156} fill={NIGHT_FAR} lit={11} pane={7} />
      <Ripples at={RIPPLES} />
      {BOROUGHS.slice(0, 2).map((each) => (
        <BoroughLand key={each.place} borough={each} />
      ))}
      <Towers towers={MANHATTAN_TOWERS} base={318} fill={WALL} edge="#7d6a4c" lit={3} pane={7} />
      <Land
        shape={MANHATTAN}
        fill="#453a2e"
        side="#211812"
        edge={fought ? "#f7b801" : "#7d6a4c"}
        drop={30}
      />
      {ZONES.map(({ word, y, rx, ry, fill }) => (
        <g key={word}>
          <ellipse cx="530" cy={y + 8} rx={rx} ry={ry} fill="#1a120c" opacity={0.6} />
          <ellipse
            cx="530"
            cy={y}
            rx={rx}
            ry={ry}
            fill={fill}
            stroke="#c9b68e"
            stroke-width="2.5"
          />
          <text
            class="tv-map-zone"
            x={530 - rx + (wide ? -14 : 24)}
            y={y + 10}
            text-anchor={wide ? "end" : "start"}
            fill={wide ? PAPER : INK}
            font-size={31 * zoom}
          >
            {words(word)}
          </text>
        </g>
      ))}
      {BOROUGHS.slice(2).map((each) => (
        <BoroughLand key={each.place} borough={each} />
      ))}
      <Scratches game={game} all={all} />
      <Monsters game={game} all={all} />
      {BOROUGHS.map(({ place, name, anchor, units }) => {
        const area = areaWith(areas, place);
        const text = words(area?.id ?? place);
        return (
          <Name
            key={place}
            at={name}
            text={text}
            anchor={anchor}
            zoom={zoom}
            area={area}
            {...(units && { units })}
          />
        );
      })}
      {city !== undefined && (
        <Name
          at={[516, 552]}
          text={words(city.id)}
          anchor="middle"
          zoom={zoom}
          area={city}
          bold
          units={[-108, 34]}
        />
      )}
    </svg>
  );
}

function areaWith(areas: readonly AreaView[], place: string): AreaView | undefined {
  return areas.find((area) => area.places.includes(place));
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
        pane={6}
      />
      <Land shape={borough.shape} drop={20} />
    </g>
  );
}
