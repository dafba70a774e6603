/** A winner on its field, crowned: for the television and for the picture to keep. */
import { useId } from "preact/hooks";
import { GOLD, INK, PAPER } from "../palette";
import { SignShape } from "../signs/sign";
import { MonsterShape } from "./monster";
import { monsterOf } from "./monsters";
import { PatternDef } from "./patterns";
import { crownOf } from "./poster";

export interface WinnerProps {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Where the silhouette's 64 grid begins, and its scale. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The shapes alone, for a drawing that places them; nothing where no monster has this id. */
export function Winner({ id, width, height, x, y, scale }: WinnerProps) {
  const pattern = `${useId()}-winner`;
  const monster = monsterOf(id);
  const [crownX, crownY] = crownOf(id);
  if (monster === undefined) return null;
  return (
    <>
      <defs>
        <PatternDef id={pattern} name={monster.pattern} ink={INK} scale={scale / 2} />
      </defs>
      <rect width={width} height={height} fill={monster.field} />
      <rect width={width} height={height} fill={`url(#${pattern})`} opacity={0.14} />
      <circle
        cx={x + 32.6 * scale}
        cy={y + 19.6 * scale}
        r={34 * scale}
        fill={PAPER}
        opacity={0.45}
      />
      <g transform={`translate(${x} ${y}) scale(${scale})`}>
        <MonsterShape monster={monster} marks={monster.field} />
        <g
          transform={`translate(${crownX - 9.6} ${crownY - 16.4}) scale(.8)`}
          fill={GOLD}
          stroke={INK}
          stroke-width="1"
        >
          <SignShape name="crown" />
        </g>
      </g>
    </>
  );
}
