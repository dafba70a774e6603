/** The head of a poster: a Monster above a skyline, drawn by its condition. */
import { useId } from "preact/hooks";
import { Towers } from "../maps/towers";
import { GOLD, GREY, INK, PAPER } from "../palette";
import { SignShape } from "../signs/sign";
import { Claws, MonsterShape } from "./monster";
import { type Monster, type MonsterId, monsterOf } from "./monsters";
import { PatternDef } from "./patterns";

export type PosterState = "mine" | "buy" | "hit" | "won" | "stale" | "out";

/** The 64 grid's position on the 390 × 328 poster, and the crown's on the grid. */
interface Frame {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  readonly crown: readonly [x: number, y: number];
}

const PLAIN: Frame = { x: 140, y: 64, scale: 4.1, crown: [32, 5] };

const FRAMES: Record<MonsterId, Frame> = {
  puffin_rex: { x: 122, y: 56, scale: 4.4, crown: [34, 7] },
  old_scree: { x: 148, y: 74, scale: 4.2, crown: [32, 4.5] },
  lampmoth: { x: 152, y: 62, scale: 3.75, crown: [32, 14] },
  inkwell: { x: 150, y: 62, scale: 4.05, crown: [32, 6] },
  kelp_auntie: { x: 140, y: 72, scale: 4.2, crown: [32, 5] },
  spinella: { x: 140, y: 66, scale: 4.3, crown: [32, 6] },
  crabminster: { x: 144, y: 62, scale: 4, crown: [32, 10] },
  snailquake: { x: 142, y: 76, scale: 3.9, crown: [26, 15] },
  wispwool: { x: 140, y: 78, scale: 4.2, crown: [32, 9] },
  pylonna: { x: 140, y: 68, scale: 4.3, crown: [32, 5] },
  tuskadon: { x: 138, y: 76, scale: 4.2, crown: [32, 6] },
  drizzla: { x: 158, y: 70, scale: 3.8, crown: [32, 8] },
};

/** The middle of the crown's foot on a Monster's 64 grid. */
export function crownOf(monster: string): readonly [x: number, y: number] {
  return (FRAMES[monster as MonsterId] ?? PLAIN).crown;
}

const FAR =
  "0 46 256, 50 44 210, 112 30 270, 135 32 211, 147 6 199, 167 24 224, 330 26 232, 352 30 262, 376 14 278";

const NEAR =
  "0 24 284, 22 34 306, 35 6 294, 53 24 300, 74 33 289, 87 6 276, 109 17 284, 124 32 294, 137 6 282, 154 30 302, 180 26 308, 204 30 299, 216 4 288, 232 26 309, 256 28 296, 282 30 290, 293 6 278, 310 26 306, 334 34 312, 352 5 302, 366 26 307";

export interface PosterArtProps {
  /** Art id; an unknown one has a grey field and no figure. */
  readonly monster: string;
  readonly state?: PosterState | undefined;
}

/**
 * The head of a screen as a monster-movie poster, without its words: a picture, so the same in every theme.
 * It fills its box, cut at the left and the top where the box has another shape. Words stand in its left half.
 */
export function PosterArt({ monster: id, state = "mine" }: PosterArtProps) {
  const pattern = `${useId()}-poster`;
  const monster = monsterOf(id);
  const faded = state === "stale" || state === "out";
  const field = faded || monster === undefined ? GREY : monster.field;
  return (
    <svg
      class="fill"
      viewBox="0 0 390 328"
      preserveAspectRatio="xMaxYMax slice"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="390" height="328" fill={field} />
      {monster !== undefined && (
        <>
          <defs>
            <PatternDef id={pattern} name={monster.pattern} ink={INK} scale={2.6} />
          </defs>
          <rect width="390" height="328" fill={`url(#${pattern})`} opacity={0.14} />
        </>
      )}
      <g class="poster-scene">
        <circle cx="272" cy="186" r="130" fill={PAPER} opacity={0.45} />
        <g opacity={0.16}>
          <Towers towers={FAR} base={328} fill={INK} />
        </g>
        {monster !== undefined && <Figure monster={monster} field={field} state={state} />}
        <path d="M0 320H390V328H0Z" fill={INK} />
        <Towers towers={NEAR} base={328} fill={INK} lit={state === "stale" ? 0 : 7} />
      </g>
    </svg>
  );
}

function Figure({
  monster,
  field,
  state,
}: {
  monster: Monster;
  field: string;
  state: PosterState;
}) {
  const frame = FRAMES[monster.id as MonsterId] ?? PLAIN;
  const [x, y] = frame.crown;
  return (
    <g transform={`translate(${frame.x} ${frame.y}) scale(${frame.scale})`}>
      <MonsterShape monster={monster} marks={field} />
      {state === "hit" && <Claws />}
      {state === "won" && (
        <g
          transform={`translate(${x - 9.6} ${y - 16.4}) scale(.8)`}
          fill={GOLD}
          stroke={INK}
          stroke-width="1"
        >
          <SignShape name="crown" />
        </g>
      )}
      {state === "out" && (
        <g transform="translate(20 24)" fill={PAPER} stroke={INK} stroke-width="0.8">
          <SignShape name="skull" />
        </g>
      )}
    </g>
  );
}
