/** The win chances of a game, turn by turn: a line a seat. A picture, the same in every theme. */
import type { ChanceView } from "../wire";
import { monsterOf, TilePicture } from "./monsters";
import { INK, LIME, PAPER } from "./signs";

const DASHES = ["", "3 2", "0.8 1.7", "6 2", "4 1.4 0.8 1.4", "1.6 1"] as const;
const GRID = "#80705e";

export type ChanceSeat = Readonly<{ seat: number; monster: string }>;

export interface ChanceGraphProps {
  readonly chance: readonly ChanceView[];
  readonly seats: readonly ChanceSeat[];
  readonly width: number;
  readonly height: number;
  /** Size of text, in the graph's own units; lines and tiles follow it. */
  readonly text: number;
  /** The index that is marked, and the words at the mark; null: none. */
  readonly mark: { readonly at: number; readonly words: string } | null;
}

/** How a seat's line is dashed, for a line of this width. */
function dashOf(seat: number, width: number): string {
  return (DASHES[seat % DASHES.length] ?? "")
    .split(" ")
    .map((part) => (part === "" ? "" : String(Number(part) * width)))
    .join(" ");
}

function colourOf(monster: string): string {
  return monsterOf(monster)?.field ?? PAPER;
}

export function ChanceGraph({ chance, seats, width, height, text, mark }: ChanceGraphProps) {
  const tile = text * 1.7;
  const left = text * 0.8;
  const right = width - text * 3.4;
  const top = text * 1.2;
  const bottom = height - text * 2;
  const last = chance.length - 1;
  const x = (index: number) => left + ((right - left) * index) / Math.max(1, last);
  const y = (share: number) => top + (bottom - top) * (1 - share);
  const thick = text * 0.27;
  const at = (index: number, seat: number) => y(chance[index]?.chances[seat] ?? 0);
  const ranked = [...seats].sort((a, b) => at(last, a.seat) - at(last, b.seat));
  return (
    <svg
      class="chance-graph"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      aria-hidden="true"
      font-size={text}
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share} fill={PAPER}>
          <path
            d={`M${left} ${y(share)}H${right}`}
            stroke={GRID}
            stroke-width={thick * 0.4}
            stroke-dasharray={`${thick * 0.4} ${thick * 1.2}`}
          />
          <text x={right + text * 1.2} y={y(share) + text * 0.35}>
            {share * 100}
          </text>
        </g>
      ))}
      <g fill={PAPER}>
        <text x={left} y={height - text * 0.5}>
          {chance[0]?.turn}
        </text>
        <text x={right} y={height - text * 0.5} text-anchor="end">
          {chance[last]?.turn}
        </text>
      </g>
      {mark !== null && (
        <path d={`M${x(mark.at)} ${top}V${bottom}`} stroke={LIME} stroke-width={thick * 0.8} />
      )}
      {[...ranked].reverse().map(({ seat, monster }) => (
        <polyline
          key={seat}
          points={chance.map((_, index) => `${x(index)},${at(index, seat)}`).join(" ")}
          fill="none"
          stroke={colourOf(monster)}
          stroke-width={thick}
          stroke-linejoin="round"
          stroke-dasharray={dashOf(seat, thick)}
        />
      ))}
      {ranked.map(({ seat, monster }, place) => {
        const index = place === 0 ? last : Math.round(last * (0.86 - 0.16 * place));
        return (
          <g
            key={seat}
            transform={`translate(${x(index) - tile / 2} ${at(index, seat) - tile / 2}) scale(${tile / 64})`}
          >
            <TilePicture monster={monster} size={20} />
          </g>
        );
      })}
      {mark !== null && (
        <MarkLabel x={x(mark.at)} text={text} words={mark.words} from={left} to={right} />
      )}
    </svg>
  );
}

interface MarkLabelProps {
  readonly x: number;
  readonly text: number;
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

/** The words at the mark, wholly within the graph. */
function MarkLabel({ x, text, words, from, to }: MarkLabelProps) {
  const width = text * (1.4 + 0.56 * words.length);
  const left = Math.min(Math.max(x - width / 2, from), to - width);
  return (
    <g>
      <rect
        x={left}
        y={text * 0.1}
        width={width}
        height={text * 1.6}
        rx={text * 0.25}
        fill={LIME}
      />
      <text x={left + width / 2} y={text * 1.27} text-anchor="middle" font-weight="700" fill={INK}>
        {words}
      </text>
    </g>
  );
}

/** A short piece of a seat's line, for a legend. */
export function ChanceKey({ seat, monster }: ChanceSeat) {
  return (
    <svg class="chance-key" viewBox="0 0 30 6" width="30" height="6" aria-hidden="true">
      <path
        d="M1 3H29"
        stroke={colourOf(monster)}
        stroke-width="4"
        stroke-dasharray={dashOf(seat, 4)}
      />
    </svg>
  );
}
