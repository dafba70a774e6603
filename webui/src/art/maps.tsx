/** The maps of both games, on a phone and on a television, chosen by the places that the data name. */
import type { ComponentChildren } from "preact";
import type { GameView } from "../wire";
import type { LargeMapProps, MapProps } from "./map-parts";
import * as map from "./map-parts";
import { GOLD, INK, PAPER, RED } from "./signs";
import { Towers } from "./towers";

interface Borough {
  readonly place: string;
  readonly shape: string;
  readonly towers: string;
  readonly base: number;
  readonly name: map.Spot;
  readonly anchor: "start" | "end";
  /** Where its Units go, if there is no room beside the name. */
  readonly units?: map.Spot;
}

interface City {
  readonly width: number;
  readonly height: number;
  readonly horizon: number;
  readonly moon: readonly [x: number, y: number, radius: number];
  readonly far: string;
  readonly ripples: string;
  readonly boroughs: readonly Borough[];
  readonly manhattan: { readonly shape: string; readonly towers: string; readonly base: number };
  /** The middle of the zones; each zone's own, with its radii. */
  readonly x: number;
  readonly zones: ReadonlyArray<readonly [y: number, rx: number, ry: number]>;
  /** Edges of windows: far away, in Manhattan, in a borough. */
  readonly panes: readonly [far: number, city: number, borough: number];
  /** How thick the land is: Manhattan, and a borough. */
  readonly drops: readonly [city: number, borough: number];
  /** How thick the edge of a zone is. */
  readonly edge: number;
  readonly spots: map.Spots;
}

const ZONES = [
  ["upper", "#97835d"],
  ["midtown", "#a08a63"],
  ["lower", "#ab946b"],
] as const;

const PHONE: City = {
  width: 390,
  height: 338,
  horizon: 74,
  moon: [214, 40, 19.5],
  far: "0 14 56, 14 14 42, 31 18 50, 51 20 36, 74 22 58, 98 18 50, 120 24 62, 150 30 56, 184 16 66, 206 24 58, 236 20 50, 262 30 60, 300 24 52, 324 26 42, 352 22 54, 374 16 40",
  ripples:
    "M8 90h22M14 118h16M2 150h24M10 205h18M34 252h26M188 288h22M140 292h20M244 140h16M246 196h18M244 226h22M256 120h12M180 330h14M364 232h20M250 246h16M120 316h18",
  boroughs: [
    {
      place: "bronx",
      shape: "M234 84L252 64L300 56L372 64L385 78L383 94L332 108L262 104Z",
      towers:
        "245 15 47, 262 12 58, 276 17 41, 295 17 32, 314 13 50, 330 15 29, 347 14 48, 365 13 57",
      base: 74,
      name: [386, 112],
      anchor: "end",
    },
    {
      place: "queens",
      shape: "M275 184L284 162L330 154L376 160L387 180L385 202L312 209L290 201Z",
      towers: "279 10 150, 291 12 139, 305 13 132, 320 11 143, 333 15 128, 350 11 141, 363 16 134",
      base: 166,
      name: [386, 211],
      anchor: "end",
    },
    {
      place: "brooklyn",
      shape: "M221 291L238 271L286 263L370 267L381 285L378 303L318 312L262 308Z",
      towers:
        "231 17 250, 250 13 259, 267 14 246, 285 17 255, 304 14 240, 323 17 249, 342 14 258, 359 16 247",
      base: 273,
      name: [386, 314],
      anchor: "end",
    },
    {
      place: "staten_island",
      shape: "M4 292L20 273L58 262L108 270L115 290L88 308L43 312Z",
      towers: "8 14 264, 23 12 253, 37 11 259, 49 11 247, 61 13 256, 76 14 250, 92 13 262",
      base: 275,
      name: [4, 314],
      anchor: "start",
    },
  ],
  manhattan: {
    shape: "M29 184L58 142L224 138L238 172L235 236L206 250L128 252L50 232Z",
    towers: "45 19 101, 68 22 77, 90 23 84, 115 24 58, 141 19 88, 163 21 97, 187 22 84, 210 24 112",
    base: 150,
  },
  x: 138,
  zones: [
    [124, 84, 18],
    [178, 94, 18],
    [233, 103, 18],
  ],
  panes: [3.2, 2.4, 1.9],
  drops: [14, 9],
  edge: 1,
  spots: {
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
  },
};
/** With only the first track open, its Monsters are where the zones are widest. */
const ONE_TRACK: map.Spots = {
  upper_2_4: [186, 132],
  midtown_2_4: [186, 186],
  lower_2_4: [186, 241],
};

const LARGE: City = {
  width: 1330,
  height: 712,
  horizon: 156,
  moon: [572, 80, 56],
  far: "0 70 120, 96 60 98, 190 90 112, 340 70 72, 428 80 104, 640 90 96, 770 50 86, 860 110 108, 1010 50 96, 1150 60 112, 1180 46 78, 1240 90 104",
  ripples:
    "M30 330h70M14 452h60M60 498h44M160 420h50M130 366h36M230 470h30M800 330h60M820 420h70M900 500h50M840 286h44M560 630h70M500 680h60M620 560h50M1240 540h60M1250 640h50M1180 280h60",
  boroughs: [
    {
      place: "bronx",
      shape: "M664 214L706 168L826 142L1046 150L1122 172L1118 210L980 246L760 240Z",
      towers: "690 40 112, 736 32 96, 776 46 118, 832 44 92, 888 38 106, 1064 44 96",
      base: 172,
      name: [738, 270],
      anchor: "start",
    },
    {
      place: "queens",
      shape: "M962 404L990 350L1130 330L1288 342L1312 392L1306 436L1090 458L1004 440Z",
      towers: "976 36 270, 1018 34 246, 1060 42 232, 1112 36 262, 1246 40 240",
      base: 362,
      name: [1314, 448],
      units: [-360, -88],
      anchor: "end",
    },
    {
      place: "brooklyn",
      shape: "M692 606L752 560L906 536L1170 546L1228 586L1216 646L1034 676L826 664Z",
      towers: "722 44 492, 776 40 510, 824 44 468, 882 34 496, 926 42 478, 1168 50 498",
      base: 568,
      name: [716, 676],
      anchor: "start",
    },
    {
      place: "staten_island",
      shape: "M16 606L66 558L196 532L372 548L438 590L420 628L300 660L110 662Z",
      towers: "30 46 524, 84 40 506, 132 44 480, 182 36 498, 226 40 512",
      base: 568,
      name: [16, 676],
      anchor: "start",
    },
  ],
  manhattan: {
    shape: "M268 390L344 270L736 262L772 330L762 474L682 516L520 524L396 484Z",
    towers:
      "306 48 192, 362 50 186, 416 52 136, 474 56 88, 536 48 168, 590 60 100, 656 52 184, 704 60 242",
    base: 318,
  },
  x: 530,
  zones: [
    [300, 184, 37],
    [381, 200, 40],
    [470, 214, 43],
  ],
  panes: [7, 7, 6],
  drops: [30, 20],
  edge: 2,
  spots: {
    bronx: [1040, 208],
    queens: [1222, 400],
    brooklyn: [1010, 622],
    staten_island: [96, 620],
    upper_2_4: [604, 318],
    upper_5_6: [448, 318],
    midtown_2_4: [640, 400],
    midtown_5_6: [470, 400],
    lower_2_4: [640, 492],
    lower_5_6: [466, 492],
  },
};
const LARGE_TILE = 140;

/** Whether the game has all its places on this map. */
export function isNewYork({ places }: GameView): boolean {
  return places.every(({ id }) => PHONE.spots[id] !== undefined);
}

function isWide({ places }: GameView): boolean {
  return places.some((place) => place.id.endsWith("_5_6") && map.isOpen(place));
}

export function MapNewYork({ game, words, title }: map.MapProps) {
  const wide = isWide(game);
  const city = map.areaOf(game.areas, "upper_2_4");
  return (
    <Night
      of={PHONE}
      title={title}
      zone={(index) => <Zone index={index} game={game} words={words} />}
    >
      {PHONE.boroughs.map(({ place, name: [x, y], anchor }) => {
        const area = map.areaOf(game.areas, place);
        const text = words(area?.id ?? place);
        return <map.Label key={place} x={x} y={y} anchor={anchor} text={text} area={area} />;
      })}
      {city !== undefined && <map.Label x={97} y={257} text={words(city.id)} area={city} />}
      <map.Crowd
        game={game}
        spots={wide ? PHONE.spots : { ...PHONE.spots, ...ONE_TRACK }}
        size={(place) => (wide || place.monsters.length > 1 ? 37 : 43)}
      />
    </Night>
  );
}

interface ZoneProps extends Omit<map.MapProps, "title"> {
  readonly index: number;
}

/** A zone's name on a phone; with both tracks open, the spaces for two to four Monsters and for more. */
function Zone({ index, game, words }: ZoneProps) {
  const word = ZONES[index]?.[0] ?? "";
  const [y, rx] = PHONE.zones[index] ?? [0, 0];
  return (
    <>
      <text class="map-zone" x={146 - rx} y={y + 5} fill={INK}>
        {words(word)}
      </text>
      {isWide(game) &&
        ["2_4", "5_6"].map((track) => {
          const [x] = PHONE.spots[`${word}_${track}`] ?? [0];
          const here = game.places.find(({ id }) => id === `${word}_${track}`)?.monsters ?? [];
          const dash = here.length > 0 ? undefined : "4 3";
          return (
            <g key={track} fill={INK}>
              <ellipse
                cx={x}
                cy={y}
                rx="24"
                ry="10"
                fill="none"
                stroke={INK}
                stroke-width="2"
                stroke-dasharray={dash}
              />
              {here.length === 0 && (
                <text class="map-track" x={x} y={y + 4.6} text-anchor="middle">
                  {track.replace("_", "–")}
                </text>
              )}
            </g>
          );
        })}
    </>
  );
}

export function LargeNewYork({ game, zoom, words, title }: map.LargeMapProps) {
  const city = game.areas.find((area) => area.inside);
  // With two tracks, Monsters stand where the words would be.
  const wide = isWide(game);
  const fought = game.places.some(
    ({ id, monsters }) => city?.places.includes(id) && monsters.length,
  );
  const two = game.places.some(({ id, monsters }) => id === "staten_island" && monsters[1] != null);
  const zone = (index: number) => {
    const [y, rx] = LARGE.zones[index] ?? [0, 0];
    // Two on the island beside the last zone stand before its left end.
    const right = wide && two && index === 2;
    return (
      <text
        class="tv-map-zone"
        x={right ? LARGE.x + rx + 14 : LARGE.x - rx + (wide ? -14 : 24)}
        y={right ? y - 14 : y + 10}
        text-anchor={wide && !right ? "end" : "start"}
        fill={wide ? PAPER : INK}
        font-size={31 * zoom}
      >
        {words(ZONES[index]?.[0] ?? "")}
      </text>
    );
  };
  return (
    <Night of={LARGE} title={title} class="tv-map" edge={fought ? GOLD : undefined} zone={zone}>
      <map.Crowd
        game={game}
        spots={LARGE.spots}
        size={() => LARGE_TILE * Math.sqrt(zoom)}
        step={-1.14}
        claws
      />
      {LARGE.boroughs.map(({ place, name, anchor, units }) => {
        const area = map.areaOf(game.areas, place);
        const text = words(area?.id ?? place);
        const look = { zoom, anchor, area, units };
        return <map.Name key={place} at={name} text={text} {...look} />;
      })}
      {city !== undefined && (
        <map.Name
          at={[516, 552]}
          text={words(city.id)}
          anchor="middle"
          zoom={zoom}
          area={city}
          bold
          units={[-108, 34]}
        />
      )}
    </Night>
  );
}

interface NightProps {
  readonly of: City;
  readonly title: string;
  readonly class?: string;
  /** The edge of Manhattan, if somebody is there. */
  readonly edge?: string | undefined;
  /** What is drawn on a zone. */
  readonly zone: (index: number) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** The city at night from above the bay; `children` stand on it. */
function Night({ of, edge = "#7d6a4c", zone, children, ...frame }: NightProps) {
  const { width, height, horizon, moon, boroughs, manhattan } = of;
  const [moonX, moonY, radius] = moon;
  const [farPane, cityPane, boroughPane] = of.panes;
  const [cityDrop, boroughDrop] = of.drops;
  const land = ({ place, towers, base, shape }: Borough) => (
    <g key={place}>
      <Towers
        towers={towers}
        base={base}
        fill={map.WALL}
        edge="#4a5b50"
        lit={3}
        pane={boroughPane}
      />
      <map.Land shape={shape} drop={boroughDrop} />
    </g>
  );
  return (
    <map.MapFrame box={`0 0 ${width} ${height}`} {...frame}>
      <rect width={width} height={height} fill={map.NIGHT_WATER} />
      <rect width={width} height={horizon} fill={map.NIGHT_SKY} />
      <circle cx={moonX} cy={moonY} r={radius} fill={PAPER} />
      <circle
        cx={moonX + radius * 0.36}
        cy={moonY - radius * 0.36}
        r={radius * 0.215}
        fill="#d5cbb7"
      />
      <Towers towers={of.far} base={horizon} fill={map.NIGHT_FAR} lit={11} pane={farPane} />
      <map.Ripples d={of.ripples} />
      {boroughs.slice(0, 2).map(land)}
      <Towers
        towers={manhattan.towers}
        base={manhattan.base}
        fill={map.WALL}
        edge="#7d6a4c"
        lit={3}
        pane={cityPane}
      />
      <map.Land shape={manhattan.shape} fill="#453a2e" side="#211812" edge={edge} drop={cityDrop} />
      {of.zones.map(([y, rx, ry], index) => (
        <g key={y}>
          <ellipse cx={of.x} cy={y + of.edge * 4} rx={rx} ry={ry} fill="#1a120c" opacity={0.6} />
          <ellipse
            cx={of.x}
            cy={y}
            rx={rx}
            ry={ry}
            fill={ZONES[index]?.[1]}
            stroke="#c9b68e"
            stroke-width={of.edge}
          />
          {zone(index)}
        </g>
      ))}
      {boroughs.slice(2).map(land)}
      {children}
    </map.MapFrame>
  );
}

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
    <map.MapFrame title={title} class={extra} box={box} fit={fit}>
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

export function TableMap(props: MapProps) {
  if (isNewYork(props.game)) return <MapNewYork {...props} />;
  return isTokyo(props.game) ? <MapTokyo {...props} /> : null;
}

export function LargeMap(props: LargeMapProps) {
  if (isNewYork(props.game)) return <LargeNewYork {...props} />;
  return isTokyo(props.game) ? <LargeTokyo {...props} /> : null;
}
