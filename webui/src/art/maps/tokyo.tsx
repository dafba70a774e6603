/** The map of King of Tokyo: the City on its stage before the setting sun, the Bay in front. */
import type { ComponentChildren } from "preact";
import type { GameView } from "../../wire";
import { GOLD, RED } from "../palette";
import * as map from "./parts";
import { Towers } from "./towers";

const SPOTS: map.Spots = { tokyo_city: [205, 242], tokyo_bay: [58, 306], outside: [254, 332] };
/** On a television those outside stand in the list beside the picture. */
const LARGE_SPOTS: map.Spots = { tokyo_city: [735, 806], tokyo_bay: [385, 1012] };

/** Whether the game has all its places on this map. */
export function isTokyo({ places }: GameView): boolean {
  return places.every(({ id }) => SPOTS[id] !== undefined);
}

function hasBay({ places }: GameView): boolean {
  return map.isOpen(places.find((place) => place.id === "tokyo_bay"));
}

export function MapTokyo({ game, words, title }: map.MapProps) {
  const bay = hasBay(game);
  const tile = (place: string) => (place === "tokyo_bay" ? 42 : bay ? 33 : 37);
  return (
    <Sunset
      title={title}
      box="0 0 390 338"
      width={390}
      height={338}
      sky={map.NIGHT_SKY}
      sun={[262, 128, 84]}
      back="0 18 150, 22 30 118, 58 26 132, 92 36 128, 136 24 110, 166 20 134, 300 24 96, 330 26 120, 362 28 104"
      front="0 26 158, 28 30 172, 60 26 164, 88 22 182, 112 30 176, 144 28 160, 174 30 184, 206 26 170, 234 34 178, 270 24 162, 296 30 174, 328 28 156, 358 32 168"
      quay={214}
      pane={2}
      tower="translate(0 0)"
      ripples="M6 224h26M350 230h30M8 262h16M120 280h30M154 290h18M330 272h36M300 284h20M14 334h24M110 326h16M232 274h20"
    >
      <path d="M24 252H366V261H24Z" fill="#5f4c3a" />
      <Stage d="M62 222H328L366 252H24Z" edge={2.4} />
      <map.Label x={40} y={230} text={words("tokyo_city")} bold />
      {bay && (
        <>
          <map.Land shape="M6 302L24 288L66 282L104 288L112 302L92 314L38 316Z" drop={6} />
          <map.Label x={10} y={316} text={words("tokyo_bay")} />
        </>
      )}
      <path d={bay ? "M124 330H384V338H124Z" : "M12 330H378V338H12Z"} fill="#3a322a" />
      <map.Label x={384} y={266} anchor="end" text={words("outside")} />
      <map.Crowd
        game={game}
        spots={bay ? SPOTS : { ...SPOTS, outside: [195, 332] }}
        size={({ id }) => (id === "tokyo_city" ? 74 : tile(id))}
      />
    </Sunset>
  );
}

export function LargeTokyo({ game, zoom, high, words, title }: map.LargeMapProps) {
  const bay = hasBay(game);
  return (
    <Sunset
      title={title}
      class="tv-map"
      box={high ? "0 0 1330 1080" : "0 270 1330 712"}
      fit="xMidYMax slice"
      width={1330}
      height={1080}
      sky="#101018"
      sun={[857, 420, 210]}
      back="0 90 470, 110 120 520, 226 70 440, 300 80 500, 400 50 560, 590 70 470, 690 60 500, 956 60 500, 1000 62 470, 1058 58 434, 1150 90 520, 1252 78 450"
      front="0 60 580, 66 74 520, 146 64 610, 216 36 474, 260 50 560, 300 76 516, 416 60 470, 476 60 646, 544 66 660, 620 84 620, 710 70 600, 880 64 548, 948 50 546, 1010 66 600, 1080 60 540, 1146 74 610, 1226 104 560"
      quay={690}
      pane={5}
      tower="translate(240 110) scale(2.55 2.71)"
      ripples="M240 716h60M560 708h40M1020 716h80M236 900h60M620 880h90M980 852h60M700 1010h80M560 1054h60M940 1064h90M20 780h90M60 960h70M1160 800h90M1200 930h80M1130 1030h100"
    >
      <path d="M274 820H1080V846H274Z" fill="#5f4c3a" />
      <Stage d="M336 741H996L1080 821H274Z" edge={6} />
      {bay && (
        <map.Land
          shape="M236 988L290 950L380 940L500 952L556 972L520 1016L400 1036L270 1034Z"
          drop={16}
        />
      )}
      <map.Crowd
        game={game}
        spots={LARGE_SPOTS}
        size={({ id }) => (id === "tokyo_city" ? 262 : 142)}
        claws
      />
      <map.Name at={[298, 796]} text={words("tokyo_city")} anchor="start" zoom={zoom} bold />
      {bay && <map.Name at={[520, 974]} text={words("tokyo_bay")} anchor="start" zoom={zoom} />}
    </Sunset>
  );
}

interface SunsetProps {
  readonly title: string;
  readonly class?: string;
  readonly box: string;
  readonly fit?: string;
  readonly width: number;
  readonly height: number;
  readonly sky: string;
  readonly sun: readonly [x: number, y: number, radius: number];
  readonly back: string;
  readonly front: string;
  /** Where the city ends and the water begins. */
  readonly quay: number;
  readonly pane: number;
  /** How the lattice tower is moved. */
  readonly tower: string;
  readonly ripples: string;
  readonly children: ComponentChildren;
}

/** The city before the setting sun, and the water; `children` stand on it. */
function Sunset({ width, height, sky, sun: [x, y, radius], children, ...of }: SunsetProps) {
  const { title, class: extra, box, fit, quay } = of;
  return (
    <map.MapFrame
      title={title}
      box={box}
      fit={fit}
      {...(extra === undefined ? {} : { class: extra })}
    >
      <rect width={width} height={height} fill={sky} />
      <circle cx={x} cy={y} r={radius} fill={RED} />
      <Towers towers={of.back} base={quay} fill="#1d1615" />
      <g transform={of.tower}>
        <path
          d="M116 70H118L121 120L128 150L138 190L146 214H88L96 190L106 150L113 120Z"
          fill="#16110e"
        />
        <path
          d="M112.6 122H121.4V126H112.2ZM103 160H130.6L131.6 165H101.8ZM96.4 190H138L139.6 195H94.6Z"
          fill={RED}
        />
      </g>
      <Towers towers={of.front} base={quay} fill="#16110e" lit={4} pane={of.pane} />
      <rect y={quay} width={width} height={height - quay} fill={map.NIGHT_WATER} />
      <map.Ripples d={of.ripples} />
      {children}
    </map.MapFrame>
  );
}

function Stage({ d, edge }: { readonly d: string; readonly edge: number }) {
  return <path d={d} fill="#8d7550" stroke={GOLD} stroke-width={edge} stroke-linejoin="round" />;
}
