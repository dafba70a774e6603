/** A die that shows a face. */
import { spoken } from "../spoken";
import { SignShape } from "./sign";
import type { SignName } from "./signs";

/** The colours of dice the app can draw (ids of the wire). */
export type DieColour = "black" | "green";

const DICE: Record<DieColour, { body: string; edge: string; light: string; sign: string }> = {
  black: { body: "#12100e", edge: "#80705e", light: "#2e2721", sign: "#b6d93a" },
  green: { body: "#9fc03a", edge: "#5f7a14", light: "#bcd96a", sign: "#14110f" },
};

export interface DieArtProps {
  readonly face: SignName;
  readonly colour?: DieColour | undefined;
  readonly size?: number | undefined;
  /** The face in words. Without it the die is decoration. */
  readonly title?: string | undefined;
  readonly class?: string | undefined;
}

/** A die as the app draws it: rounded, with the sign of its face. The same in every theme. */
export function DieArt({ face, colour = "black", size = 48, title, class: extra }: DieArtProps) {
  const look = DICE[colour];
  return (
    <svg
      class={extra ? `die ${extra}` : "die"}
      viewBox="0 0 48 48"
      width={size}
      height={size}
      focusable="false"
      {...spoken(title)}
    >
      <rect
        x="1"
        y="1"
        width="46"
        height="46"
        rx="9"
        fill={look.body}
        stroke={look.edge}
        stroke-width="2"
      />
      <path d="M10 4.5H38" stroke={look.light} stroke-width="2" stroke-linecap="round" />
      <g transform="translate(8.4 8.4) scale(1.3)" fill={look.sign}>
        <SignShape name={face} />
      </g>
    </svg>
  );
}
