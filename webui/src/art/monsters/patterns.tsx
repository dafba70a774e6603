/** The twelve patterns, which tell Monsters apart without colours. */
import type { PatternName } from "./monsters";

interface PatternArt {
  readonly width: number;
  readonly height: number;
  readonly turn?: number;
  /** Filled shapes, or … */
  readonly fill?: string;
  /** … lines of this width. */
  readonly line?: string;
  readonly thick?: number;
}

/** One repeat of each pattern, in units of the 64 grid. */
const PATTERNS: Record<PatternName, PatternArt> = {
  stripes: { width: 7, height: 7, turn: 45, fill: "M0 0H3.4V7H0Z" },
  bricks: { width: 12, height: 8, line: "M0 .6H12M0 4.6H12M3 .6V4.6M9 4.6V8.6M9 -.1V.6", thick: 1 },
  rings: {
    width: 15,
    height: 15,
    line: "M12.3 7.5A4.8 4.8 0 1 1 2.7 7.5A4.8 4.8 0 1 1 12.3 7.5ZM8.4 7.5A.9 .9 0 1 1 6.6 7.5A.9 .9 0 1 1 8.4 7.5Z",
    thick: 1.5,
  },
  dots: {
    width: 9,
    height: 9,
    fill: "M4 2.2A1.7 1.7 0 1 1 .6 2.2A1.7 1.7 0 1 1 4 2.2ZM8.5 6.7A1.7 1.7 0 1 1 5.1 6.7A1.7 1.7 0 1 1 8.5 6.7Z",
  },
  waves: {
    width: 12,
    height: 8,
    line: "M-.5 5.8C1.8 5.8 3 2.2 6 2.2S10.2 5.8 12.5 5.8",
    thick: 1.5,
  },
  ticks: { width: 9, height: 11, line: "M2.2 .8V5M6.7 6.3V10.5", thick: 1.3 },
  checks: { width: 12, height: 12, fill: "M0 0H6V6H0ZM6 6H12V12H6Z" },
  arcs: {
    width: 13,
    height: 13,
    line: "M.6 6.5A5.9 5.9 0 0 1 12.4 6.5M3.7 6.5A2.8 2.8 0 0 1 9.3 6.5M-5.9 13A5.9 5.9 0 0 1 5.9 13M7.1 13A5.9 5.9 0 0 1 18.9 13M-2.8 13A2.8 2.8 0 0 1 2.8 13M10.2 13A2.8 2.8 0 0 1 15.8 13",
    thick: 1.2,
  },
  curls: {
    width: 14,
    height: 14,
    line: "M10.6 7A3.6 3.6 0 1 0 6.4 10.5M8.4 7.3A1.4 1.4 0 1 0 6.6 8.4",
    thick: 1.4,
  },
  lattice: { width: 9, height: 9, line: "M-1 -1L10 10M10 -1L-1 10", thick: 1.1 },
  fur: { width: 9, height: 10, line: "M.9 .6L2.6 4.6L4.3 .6M5.4 5.6L7.1 9.6L8.8 5.6", thick: 1.2 },
  rain: { width: 10, height: 12, line: "M3.8 .8L2 5.2M8.8 6.8L7 11.2", thick: 1.4 },
};

interface PatternDefProps {
  readonly id: string;
  readonly name: PatternName;
  readonly ink: string;
  /** How many drawing units one unit of the 64 grid is. */
  readonly scale?: number;
}

/** A `<pattern>` to fill with; goes into `<defs>`. */
export function PatternDef({ id, name, ink, scale = 1 }: PatternDefProps) {
  const art = PATTERNS[name];
  return (
    <pattern
      id={id}
      width={art.width}
      height={art.height}
      patternUnits="userSpaceOnUse"
      patternTransform={`scale(${scale}) rotate(${art.turn ?? 0})`}
    >
      {art.fill !== undefined && <path d={art.fill} fill={ink} />}
      {art.line !== undefined && (
        <path d={art.line} fill="none" stroke={ink} stroke-width={art.thick ?? 1} />
      )}
    </pattern>
  );
}
