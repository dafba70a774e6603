/** Parts of the large maps: labels with their Units, Monsters on their places. */
import { SignShape, Standee, type StandeeState, signOf } from "../../art";
import { GOLD, INK, PAPER } from "../../art/palette";
import type { AreaView, GameView, SeatView } from "../../wire";

/** How large labels, Units and Monsters are drawn: a smaller map has larger ones. */
export type Zoom = number;

export interface LargeMapProps {
  readonly game: GameView;
  readonly zoom: Zoom;
  /** Whether words stand in the sky above, so that the picture is higher than wide. */
  readonly high: boolean;
  readonly words: (id: string) => string;
  readonly title: string;
}

export type Place = readonly [x: number, y: number];

const FONT = 40;
const HEIGHT = 50;
/** The width of a capital of the display face, in em. */
const EM = 0.47;
const CHIP = 48;
const STEP = 54;
const MOST_CHIPS = 4;

interface NameProps {
  readonly at: Place;
  readonly text: string;
  readonly zoom: Zoom;
  readonly anchor: "start" | "end" | "middle";
  readonly bold?: boolean;
  readonly area?: AreaView | undefined;
  /** Where Units go, from the middle of the name's edge at `at`; beside the name where left out. */
  readonly units?: Place;
}

/** The name of an area, and the Units that are there. */
export function Name({ at: [x, y], text, zoom, anchor, bold, area, units: unitsAt }: NameProps) {
  const width = Math.round(text.length * FONT * EM + 36);
  const units = area?.units ?? [];
  const left = anchor === "end" ? -width : anchor === "middle" ? -width / 2 : 0;
  const [chipX, chipY] = unitsAt ?? [left + width + 10, -CHIP / 2];
  return (
    <g transform={`translate(${x} ${y}) scale(${zoom})`}>
      <rect
        x={left}
        y={-HEIGHT / 2}
        width={width}
        height={HEIGHT}
        rx="6"
        fill={bold ? GOLD : INK}
      />
      <text
        class="tv-map-name"
        x={left + 18}
        y="14"
        textLength={width - 36}
        lengthAdjust="spacingAndGlyphs"
        fill={bold ? INK : PAPER}
      >
        {text}
      </text>
      <g transform={`translate(${chipX} ${chipY})`}>
        <Units units={units} />
      </g>
    </g>
  );
}

/** Units as small tiles; the last one counts those for which there is no room. */
function Units({ units }: { readonly units: AreaView["units"] }) {
  const rest = units.length - MOST_CHIPS;
  const shown = rest > 0 ? units.slice(0, MOST_CHIPS - 1) : units;
  return (
    <>
      {shown.map((unit, index) => (
        <g key={unit.id} transform={`translate(${index * STEP} 0)`}>
          <Chip />
          <g transform="translate(6 6) scale(1.5)" fill={PAPER}>
            <SignShape name={signOf(unit.kind, "infantry")} />
          </g>
        </g>
      ))}
      {rest > 0 && (
        <g transform={`translate(${shown.length * STEP} 0)`}>
          <Chip />
          <text class="tv-map-count" x={CHIP / 2} y="35" text-anchor="middle" fill={PAPER}>
            +{rest + 1}
          </text>
        </g>
      )}
    </>
  );
}

function Chip() {
  return <rect width={CHIP} height={CHIP} rx="7" fill={INK} stroke="#80705e" stroke-width="2" />;
}

export interface Placed {
  readonly seat: SeatView;
  readonly at: Place;
  readonly size: number;
}

/** Where each Monster of the places is drawn; `spots` has the foot of the first, `step` leads to the next. */
export function placed(
  game: GameView,
  spots: Readonly<Record<string, Place>>,
  size: (place: string) => number,
  step: number,
): readonly Placed[] {
  const found = game.places.flatMap((place) => {
    const spot = spots[place.id];
    if (spot === undefined) return [];
    return place.monsters.flatMap((index, nth) => {
      const seat = game.seats[index];
      if (seat === undefined) return [];
      const width = size(place.id);
      const at: Place = [spot[0] + nth * width * step, spot[1]];
      return [{ seat, at, size: width }];
    });
  });
  return found.sort((one, other) => one.at[1] - other.at[1] || one.at[0] - other.at[0]);
}

export function Monsters({
  game,
  all,
}: {
  readonly game: GameView;
  readonly all: readonly Placed[];
}) {
  return (
    <>
      {all.map(({ seat, at: [x, y], size }) => (
        <Standee
          key={seat.seat}
          id={seat.monster}
          x={x}
          y={y}
          size={size}
          state={standeeState(game, seat.seat)}
        />
      ))}
    </>
  );
}

function standeeState(game: GameView, seat: number): StandeeState {
  const asked = game.question?.seat ?? null;
  if (seat === asked && asked !== game.active) return "asked";
  return seat === game.active ? "turn" : "rest";
}

/** Two claws that reach from the active Monster to the one that it struck and that is asked. */
export function Scratches({
  game,
  all,
}: {
  readonly game: GameView;
  readonly all: readonly Placed[];
}) {
  const asked = game.question?.window === "flee" ? game.question.seat : null;
  const from = all.find(({ seat }) => seat.seat === game.active);
  const to = all.find(({ seat }) => seat.seat === asked);
  if (from === undefined || to === undefined || from === to) return null;
  const [x, y] = [from.at[0], from.at[1] - from.size * 0.7];
  const [dx, dy] = [to.at[0] - x, to.at[1] - to.size * 0.7 - y];
  const length = Math.hypot(dx, dy);
  const turn = (Math.atan2(dy, dx) * 180) / Math.PI;
  const [start, end] = [from.size * 0.62, length - to.size * 0.5];
  if (end - start < 40) return null;
  return (
    <g
      transform={`translate(${x} ${y}) rotate(${turn})`}
      fill="#e4572e"
      stroke={PAPER}
      stroke-width="4"
    >
      {[-44, 6].map((off) => (
        <path
          key={off}
          d={`M${start} ${off + 8}Q${(start + end) / 2} ${off - 34} ${end} ${off + 40}Q${(start + end) / 2} ${off + 2} ${start} ${off + 8}Z`}
          stroke-linejoin="round"
        />
      ))}
    </g>
  );
}
