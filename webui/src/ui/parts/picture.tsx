/** Pictures for screens: tiles, poster heads, silhouettes, the map. */
import type { ComponentChildren } from "preact";
import {
  MonsterShape,
  monsterOf,
  type PosterState,
  Sign,
  TableMap,
  MonsterTile as Tile,
} from "../../art";
import { PosterArt } from "../../art/monsters/poster";
import { game } from "../../store/table/table";
import { t } from "../../store/words";
import type { SeatView } from "../../wire";
import { newest } from "../frame/news";
import { headlineStyle } from "../frame/screen";

export interface TileProps {
  readonly monster: string;
  readonly size: number;
  readonly out?: boolean;
}

/** A monster's tile as decoration: the name is always beside it. */
export function MonsterTile({ monster, size, out = false }: TileProps) {
  return <Tile id={monster} size={size} state={out ? "out" : "in"} />;
}

export interface PosterProps {
  readonly seat: SeatView;
  readonly headline: string;
  readonly state?: "rest" | PosterState;
  /** Omit name and place, which the text below has. */
  readonly plain?: boolean;
  readonly children?: ComponentChildren;
}

const ROOM = 164;
/** Two lines, above a box of numbers. */
const PLAIN_ROOM = 190;
const LARGEST = 68;
const WITH_NEWS = 54;

/** The head of a screen as a poster: field, silhouette, skyline, with text beside them. */
export function Poster({ seat, headline, state = "rest", plain = false, children }: PosterProps) {
  // Name and place stay above the band of news.
  const most = newest().length === 0 ? LARGEST : WITH_NEWS;
  const style = plain
    ? headlineStyle(headline, PLAIN_ROOM, 2, LARGEST)
    : headlineStyle(headline, ROOM, 3, most);
  return (
    <div class={`poster-top relative overflow-hidden color-ink state-${state}`}>
      <PosterArt monster={seat.monster} state={state === "rest" ? "mine" : state} />
      <div class="poster-text col gap-4 relative">
        <h1 id="headline" class="headline" style={style}>
          {headline}
        </h1>
        {!plain && <p class="poster-who">{t(`monster.${seat.monster}`)}</p>}
        {!plain && seat.place !== null && (
          <p class="poster-where row gap-6 bold leading-115">
            <Sign name="pin" size={16} /> {t(`place.${seat.place}`)}
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

/** A silhouette in a shade of the background, behind plain text. */
export function Shadow({ monster: id }: { readonly monster: string }) {
  const monster = monsterOf(id);
  if (monster === undefined) return null;
  return (
    <svg class="shadow" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <MonsterShape monster={monster} ink="currentColor" />
    </svg>
  );
}

/** A monster before the moon over a dark city. */
export function Night({ monster: id }: { readonly monster: string }) {
  const monster = monsterOf(id);
  return (
    <svg
      class="fill"
      viewBox="0 0 390 300"
      preserveAspectRatio="xMaxYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <circle cx="318" cy="122" r="82" fill="#e0a800" />
      {monster !== undefined && (
        <g transform="translate(228 70) scale(2.9)">
          <MonsterShape monster={monster} marks="#f7b801" />
        </g>
      )}
      <path
        d="M0 300V270H30V250H60V268H96V232L118 214L140 232V262H176V246H212V272H240V254H262V276H300V218H366V300Z"
        fill="#14110f"
      />
      <path
        d="M50 258h4v6h-4zM108 240h4v6h-4zM122 252h4v6h-4zM190 256h4v6h-4zM318 236h4v6h-4zM344 258h4v6h-4z"
        fill="#f7b801"
      />
    </svg>
  );
}

/** The head of the first page: three monsters before a red sun. */
export function TitlePicture() {
  const rex = monsterOf("puffin_rex");
  const ink = monsterOf("inkwell");
  const crab = monsterOf("crabminster");
  return (
    <svg
      class="fill"
      viewBox="0 0 390 240"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="390" height="240" fill="#14110f" />
      <circle cx="292" cy="126" r="98" fill="#e4572e" />
      <path
        d="M0 240V166H40V126H92V176H130V96H168V150H210V110L234 90L258 110V150H310V80H352V160H390V240Z"
        fill="#2a1d17"
      />
      {rex !== undefined && (
        <g transform="translate(208 50) scale(2.6)">
          <MonsterShape monster={rex} marks="#e4572e" />
        </g>
      )}
      {ink !== undefined && (
        <g transform="translate(150 124) scale(1.4)">
          <MonsterShape monster={ink} marks="#f7b801" />
        </g>
      )}
      {crab !== undefined && (
        <g transform="translate(8 164) scale(0.8)">
          <MonsterShape monster={crab} marks="#f7b801" />
        </g>
      )}
      <path
        d="M0 240V206H44V192H74V212H104V200H132V216H170V204H214V196H236V212H276V200L296 186L316 200V216H352V196H390V240Z"
        fill="#14110f"
      />
      <path
        d="M18 214h4v6h-4zM52 200h4v6h-4zM116 206h4v6h-4zM196 210h4v6h-4zM226 202h4v6h-4zM290 204h4v6h-4zM368 204h4v6h-4z"
        fill="#f7b801"
      />
    </svg>
  );
}

/** The board with everybody on it. */
export function BoardMap() {
  const now = game.value;
  if (now === null) return null;
  return (
    <div class="board-map">
      <TableMap game={now} words={(id) => t(`place.${id}`)} title={t("table.map")} />
    </div>
  );
}
