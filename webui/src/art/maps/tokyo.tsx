/** The map of King of Tokyo: the City and the Bay. */
import { GOLD, RED } from "../palette";
import {
  Crowd,
  isOpen,
  Label,
  Land,
  MapFrame,
  type MapPlace,
  type MapProps,
  NIGHT_SKY,
  NIGHT_WATER,
  Ripples,
  type Spots,
} from "./parts";
import { type Tower, Towers } from "./towers";

/** Positions of each place's monsters. */
export const TOKYO_SPOTS: Spots = {
  tokyo_city: [205, 242],
  tokyo_bay: [58, 306],
  outside: [254, 332],
};

const BACK: readonly Tower[] = [
  [0, 18, 150],
  [22, 30, 118],
  [58, 26, 132],
  [92, 36, 128],
  [136, 24, 110],
  [166, 20, 134],
  [300, 24, 96],
  [330, 26, 120],
  [362, 28, 104],
];
const FRONT: readonly Tower[] = [
  [0, 26, 158],
  [28, 30, 172],
  [60, 26, 164],
  [88, 22, 182],
  [112, 30, 176],
  [144, 28, 160],
  [174, 30, 184],
  [206, 26, 170],
  [234, 34, 178],
  [270, 24, 162],
  [296, 30, 174],
  [328, 28, 156],
  [358, 32, 168],
];
const RIPPLES = [
  [6, 224, 26],
  [350, 230, 30],
  [8, 262, 16],
  [120, 280, 30],
  [154, 290, 18],
  [330, 272, 36],
  [300, 284, 20],
  [14, 334, 24],
  [110, 326, 16],
  [232, 274, 20],
] as const;

/** Tokyo City and Bay before the setting sun, those outside on the quay. */
export function MapTokyo(props: MapProps) {
  const { places, words, title } = props;
  const bay = isOpen(places.find((place) => place.id === "tokyo_bay"));
  const spots: Spots = bay ? TOKYO_SPOTS : { ...TOKYO_SPOTS, outside: [195, 332] };
  return (
    <MapFrame title={title}>
      <rect width="390" height="338" fill={NIGHT_SKY} />
      <circle cx="262" cy="128" r="84" fill={RED} />
      <Towers towers={BACK} base={214} fill="#1d1615" />
      <RadioTower />
      <Towers towers={FRONT} base={214} fill="#16110e" lit={4} pane={2} />
      <rect y="214" width="390" height="124" fill={NIGHT_WATER} />
      <Ripples at={RIPPLES} />
      <path d="M24 252H366V261H24Z" fill="#5f4c3a" />
      <path
        d="M62 222H328L366 252H24Z"
        fill="#8d7550"
        stroke={GOLD}
        stroke-width="2.4"
        stroke-linejoin="round"
      />
      <Label x={40} y={230} text={words("tokyo_city")} bold />
      {bay && (
        <>
          <Land shape="M6 302L24 288L66 282L104 288L112 302L92 314L38 316Z" drop={6} />
          <Label x={10} y={316} text={words("tokyo_bay")} />
        </>
      )}
      <path d={bay ? "M124 330H384V338H124Z" : "M12 330H378V338H12Z"} fill="#3a322a" />
      <Label x={384} y={266} anchor="end" text={words("outside")} />
      <Crowd {...props} spots={spots} size={(place) => tile(place, bay)} />
    </MapFrame>
  );
}

function tile(place: MapPlace, bay: boolean): number {
  if (place.id === "tokyo_city") return 74;
  if (place.id === "tokyo_bay") return 42;
  return bay ? 33 : 37;
}

/** The lattice tower left of the sun, with its red bands. */
function RadioTower() {
  return (
    <g>
      <path
        d="M116 70H118L121 120L128 150L138 190L146 214H88L96 190L106 150L113 120Z"
        fill="#16110e"
      />
      <path
        d="M112.6 122H121.4V126H112.2ZM103 160H130.6L131.6 165H101.8ZM96.4 190H138L139.6 195H94.6Z"
        fill={RED}
      />
    </g>
  );
}
