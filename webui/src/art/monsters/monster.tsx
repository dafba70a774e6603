/** A Monster as a tile or a bare silhouette. */
import { useId } from "preact/hooks";
import { GREY_DIM, INK, PAPER, RED } from "../palette";
import { spoken } from "../spoken";
import { type Monster, monsterOf } from "./monsters";
import { PatternDef } from "./patterns";

/** Smaller than this a pattern is only noise. */
const PATTERN_FROM = 22;
const LARGE_FROM = 100;

export type TileState = "in" | "out" | "hit";

interface ShapeProps {
  readonly monster: Monster;
  readonly ink?: string | undefined;
  /** Colour of eyes and mouth; left out they are holes. */
  readonly marks?: string | undefined;
}

/** The silhouette alone, on its 64 grid, for drawings that place it themselves. */
export function MonsterShape({ monster, ink = INK, marks }: ShapeProps) {
  if (marks === undefined)
    return <path fill={ink} fill-rule="evenodd" d={monster.body + monster.marks} />;
  return (
    <>
      <path fill={ink} fill-rule="evenodd" d={monster.body} />
      <path fill={marks} fill-rule="evenodd" d={monster.marks} />
    </>
  );
}

/** Three claw marks over a 64 grid; `theme/art.css` lets them scratch across once. */
export function Claws() {
  return (
    <g class="claws" fill={RED} stroke={PAPER} stroke-width="1.1" stroke-linejoin="round">
      <path d="M13 6C22 20 29 38 30.4 58C22 44 15 26 13 6Z" />
      <path d="M27 2C37 18 44.6 38 46 61C36.6 45 29.4 25 27 2Z" />
      <path d="M43 1C51 14 58 33 59.4 56C51 42 44.6 22 43 1Z" />
    </g>
  );
}

export interface MonsterTileProps {
  readonly id: string;
  readonly size?: number | undefined;
  readonly state?: TileState | undefined;
  /** The name. Without it the tile is decoration, and the name must be beside it. */
  readonly title?: string | undefined;
  readonly class?: string | undefined;
}

/** A monster on its square tile; an empty, dashed square where no monster has this id. */
export function MonsterTile({
  id,
  size = 56,
  state = "in",
  title,
  class: extra,
}: MonsterTileProps) {
  return (
    <svg
      class={extra ? `tile ${extra}` : "tile"}
      viewBox="0 0 64 64"
      width={size}
      height={size}
      focusable="false"
      {...spoken(title)}
    >
      <TilePicture id={id} size={size} state={state} />
    </svg>
  );
}

/** The content of a tile, on a 64 grid; `size`, on the screen, decides corner and pattern. */
export function TilePicture({
  id,
  size,
  state = "in",
}: {
  id: string;
  size: number;
  state?: TileState | undefined;
}) {
  const pattern = `${useId()}-${id}`;
  const monster = monsterOf(id);
  const corner = size >= LARGE_FROM ? 64 * 0.12 : Math.min((64 * 5) / size, 14);
  if (monster === undefined) return <EmptyTile corner={corner} />;
  const field = state === "out" ? GREY_DIM : monster.field;
  return (
    <>
      <rect width="64" height="64" rx={corner} fill={field} />
      {size >= PATTERN_FROM && (
        <>
          <defs>
            <PatternDef id={pattern} name={monster.pattern} ink={INK} />
          </defs>
          <rect width="64" height="64" rx={corner} fill={`url(#${pattern})`} opacity={0.24} />
        </>
      )}
      <MonsterShape monster={monster} marks={field} />
      {state === "hit" && <Claws />}
    </>
  );
}

function EmptyTile({ corner }: { readonly corner: number }) {
  return (
    <rect
      class="tile-empty"
      x="1.5"
      y="1.5"
      width="61"
      height="61"
      rx={corner}
      fill="none"
      stroke="currentColor"
      stroke-width="3"
      stroke-dasharray="8 6"
    />
  );
}
