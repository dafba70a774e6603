/** King of Tokyo on a large screen: the City on its stage before the setting sun, the Bay in front. */
import { isOpen, Land, NIGHT_WATER, Ripples } from "../../art/maps/parts";
import { type Tower, Towers } from "../../art/maps/towers";
import { GOLD, RED } from "../../art/palette";
import { type LargeMapProps, Monsters, Name, type Place, placed, Scratches } from "./parts";

/** The foot of the Monster; those outside stand in the list beside the picture. */
const SPOTS: Readonly<Record<string, Place>> = { tokyo_city: [735, 806], tokyo_bay: [385, 1012] };
const TILES: Readonly<Record<string, number>> = { tokyo_city: 262, tokyo_bay: 142 };

const BACK: readonly Tower[] = [
  [0, 90, 470],
  [110, 120, 520],
  [226, 70, 440],
  [300, 80, 500],
  [400, 50, 560],
  [590, 70, 470],
  [690, 60, 500],
  [956, 60, 500],
  [1000, 62, 470],
  [1058, 58, 434],
  [1150, 90, 520],
  [1252, 78, 450],
];
const FRONT: readonly Tower[] = [
  [0, 60, 580],
  [66, 74, 520],
  [146, 64, 610],
  [216, 36, 474],
  [260, 50, 560],
  [300, 76, 516],
  [416, 60, 470],
  [476, 60, 646],
  [544, 66, 660],
  [620, 84, 620],
  [710, 70, 600],
  [880, 64, 548],
  [948, 50, 546],
  [1010, 66, 600],
  [1080, 60, 540],
  [1146, 74, 610],
  [1226, 104, 560],
];
const RIPPLES = [
  [240, 716, 60],
  [560, 708, 40],
  [1020, 716, 80],
  [236, 900, 60],
  [620, 880, 90],
  [980, 852, 60],
  [700, 1010, 80],
  [560, 1054, 60],
  [940, 1064, 90],
  [20, 780, 90],
  [60, 960, 70],
  [1160, 800, 90],
  [1200, 930, 80],
  [1130, 1030, 100],
] as const;

export const TOKYO_PLACES: ReadonlySet<string> = new Set([...Object.keys(SPOTS), "outside"]);

export function LargeTokyo({ game, zoom, high, words, title }: LargeMapProps) {
  const bay = isOpen(game.places.find((place) => place.id === "tokyo_bay"));
  const all = placed(game, SPOTS, (place) => TILES[place] ?? 0, 1);
  return (
    <svg
      class="tv-map"
      viewBox={high ? "0 0 1330 1080" : "0 270 1330 712"}
      preserveAspectRatio="xMidYMax slice"
      role="img"
      aria-label={title}
      focusable="false"
    >
      <rect width="1330" height="1080" fill="#101018" />
      <circle cx="857" cy="420" r="210" fill={RED} />
      <Towers towers={BACK} base={690} fill="#1d1615" />
      <RadioTower />
      <Towers towers={FRONT} base={690} fill="#16110e" lit={4} pane={5} />
      <rect y="690" width="1330" height="390" fill={NIGHT_WATER} />
      <Ripples at={RIPPLES} />
      <path d="M274 820H1080V846H274Z" fill="#5f4c3a" />
      <path
        d="M336 741H996L1080 821H274Z"
        fill="#8d7550"
        stroke={GOLD}
        stroke-width="6"
        stroke-linejoin="round"
      />
      {bay && (
        <Land
          shape="M236 988L290 950L380 940L500 952L556 972L520 1016L400 1036L270 1034Z"
          drop={16}
        />
      )}
      <Scratches game={game} all={all} />
      <Monsters game={game} all={all} />
      <Name at={[298, 796]} text={words("tokyo_city")} anchor="start" zoom={zoom} bold />
      {bay && <Name at={[520, 974]} text={words("tokyo_bay")} anchor="start" zoom={zoom} />}
    </svg>
  );
}

/** The lattice tower left of the sun, with its red bands. */
function RadioTower() {
  return (
    <g>
      <path
        d="M536 300H542L550 430L566 510L590 620L612 690H464L488 620L512 510L528 430Z"
        fill="#16110e"
      />
      <path
        d="M526 440H552V450H525ZM506 538H572L574 550H503ZM487 622H591L595 634H483Z"
        fill={RED}
      />
    </g>
  );
}
