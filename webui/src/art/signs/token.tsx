/** A token with its sign and number. */
import { spoken } from "../spoken";
import { meaningOf, SignShape } from "./sign";
import type { SignName } from "./signs";

export interface TokenArtProps {
  readonly name: SignName;
  readonly count?: number | undefined;
  readonly size?: number | undefined;
  readonly title?: string | undefined;
}

/** A token that lies on a Monster: a round counter (square things are buildings, Units, dice, Monsters). */
export function TokenArt({ name, count, size = 54, title }: TokenArtProps) {
  return (
    <svg
      class={`token means-${meaningOf(name)}`}
      viewBox="0 0 60 60"
      width={size}
      height={size}
      focusable="false"
      {...spoken(title)}
    >
      <circle cx="28" cy="28" r="26" class="token-face" stroke="currentColor" stroke-width="3.3" />
      <g transform="translate(11.2 11.2) scale(1.4)" fill="currentColor">
        <SignShape name={name} />
      </g>
      {count !== undefined && (
        <g>
          <rect x="40" y="33" width="20" height="26" rx="4" fill="#f4ead5" />
          <text class="token-count" x="50" y="54" text-anchor="middle" fill="#14110f">
            {count}
          </text>
        </g>
      )}
    </svg>
  );
}
