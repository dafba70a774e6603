/** Skylines: towers of which some windows are lit. */

type Tower = readonly [x: number, width: number, top: number];

export interface TowersProps {
  /** Left edge, width and top of each tower, as "0 14 56, 14 14 42". */
  readonly towers: string;
  readonly base: number;
  readonly fill: string;
  readonly edge?: string | undefined;
  /** One window in how many is lit; 0: none. */
  readonly lit?: number | undefined;
  /** Edge of a window. */
  readonly pane?: number | undefined;
}

/** A row of towers on one base line, some windows lit. The same towers always have the same windows. */
export function Towers({ towers: drawn, base, fill, edge, lit = 0, pane = 2.6 }: TowersProps) {
  const towers = drawn.split(", ").map((one): Tower => {
    const [x = 0, width = 0, top = 0] = one.split(" ").map(Number);
    return [x, width, top];
  });
  const walls = towers
    .map(([x, width, top]) => `M${x} ${base}V${top}H${x + width}V${base}Z`)
    .join("");
  const panes = lit > 0 ? towers.flatMap((tower) => windows(tower, base, lit, pane)) : [];
  const draw = (bright: boolean) =>
    panes
      .filter((each) => each.bright === bright)
      .map(({ x, y }) => `M${x} ${y}h${pane}v${pane * 1.25}h${-pane}Z`)
      .join("");
  return (
    <g>
      <path
        d={walls}
        fill={fill}
        stroke={edge ?? "none"}
        stroke-width={edge === undefined ? 0 : 0.8}
      />
      {panes.length > 0 && <path d={draw(false)} fill="#8a6a0e" />}
      {panes.length > 0 && <path d={draw(true)} fill="#f7b801" />}
    </g>
  );
}

type Pane = Readonly<{ x: number; y: number; bright: boolean }>;

function windows([left, width, top]: Tower, base: number, lit: number, pane: number): Pane[] {
  const step = pane * 2;
  const columns = Math.max(1, Math.floor((width - pane) / step));
  const margin = (width - columns * step + pane) / 2;
  const panes: Pane[] = [];
  for (let row = 0; top + pane + row * step * 1.2 < base - pane * 2; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const chance = scatter(left * 31 + row * 7 + column * 13 + top);
      if (chance % lit !== 0) continue;
      panes.push({
        x: round(left + margin + column * step),
        y: round(top + pane + row * step * 1.2),
        bright: chance % 3 !== 0,
      });
    }
  }
  return panes;
}

/** Hash a seed: a pseudo-random number that is the same on every phone. */
function scatter(seed: number): number {
  const mixed = Math.imul(Math.round(seed * 8) ^ 0x9e37, 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 13)) >>> 4;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
