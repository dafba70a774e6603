/** A Monster as it stands on the map. */
import { GOLD, INK, PAPER } from "../palette";
import { TilePicture } from "./monster";

export type StandeeState = "rest" | "turn" | "asked";

export interface StandeeProps {
  /** Art id of the monster. */
  readonly id: string;
  /** The position of its foot, in units of the map. */
  readonly x: number;
  readonly y: number;
  /** Edge of the tile. */
  readonly size: number;
  readonly state?: StandeeState | undefined;
}

/** A monster's tile on a cardboard stand. It hops when its place changes. */
export function Standee({ id, x, y, size, state = "rest" }: StandeeProps) {
  const unit = size / 64;
  const frame = state === "rest" ? INK : state === "turn" ? PAPER : GOLD;
  // A property of the element's style object, which a strict content policy allows; an attribute could not hop.
  const place = { transform: `translate(${x}px, ${y}px)` };
  return (
    <g class={`standee standee-${state}`} style={place}>
      <g transform={`scale(${unit})`}>
        <ellipse cx="0" cy="-2" rx="36" ry="8.5" fill="#000000" opacity={0.5} />
        <path
          d="M-22 -12H22L29 0H-29Z"
          fill={PAPER}
          stroke={INK}
          stroke-width="2"
          stroke-linejoin="round"
        />
        <g transform="translate(-32 -78)">
          <rect x="-4.5" y="-4.5" width="73" height="73" rx="13" fill={frame} />
          <TilePicture id={id} size={size} />
          {state === "asked" && (
            <rect
              x="-2.5"
              y="-2.5"
              width="69"
              height="69"
              rx="11"
              fill="none"
              stroke={INK}
              stroke-width="4"
              stroke-dasharray="8 8"
            />
          )}
        </g>
      </g>
    </g>
  );
}
