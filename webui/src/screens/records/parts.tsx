/** What the segments share: the sign of a box, a share with its range, a box of the count of games. */
import type { ComponentChildren } from "preact";
import { Sign } from "../../art";
import { hundredths } from "../../store/records/figures";
import { t } from "../../store/words";
import { NumberSign } from "../../ui/parts/kit";
import type { Share } from "../../wire";

/** Ends of the bars, as shares, so that all ranges fit between them. */
export interface Scale {
  readonly from: number;
  readonly to: number;
}

const ROOM = 0.01;

/** A scale on which all these shares fit. */
export function scaleOf(shares: readonly Share[], fair: readonly number[]): Scale {
  const from = Math.min(...shares.map((one) => one.low), ...fair);
  const to = Math.max(...shares.map((one) => one.high), ...fair);
  return { from: Math.max(0, from - ROOM), to: Math.min(1, to + ROOM) };
}

/** Where a share stands on the scale, in percent of its length. */
function place(share: number, { from, to }: Scale): number {
  return to > from ? (100 * (share - from)) / (to - from) : 50;
}

export interface RangeProps {
  readonly share: Share;
  readonly fair: number;
  readonly scale: Scale;
}

/** What was seen as a hollow dot, the range it may truly be as a bar, the fair share as a dashed line. */
export function Range({ share, fair, scale }: RangeProps) {
  const low = place(share.low, scale);
  const seen = share.count === 0 ? 0 : share.right / share.count;
  return (
    <span class="range" aria-hidden="true">
      <i class="range-fair" style={{ left: `${place(fair, scale)}%` }} />
      <i
        class="range-bar"
        style={{ left: `${low}%`, width: `${place(share.high, scale) - low}%` }}
      />
      <i class="range-dot" style={{ left: `${place(seen, scale)}%` }} />
    </span>
  );
}

/** The ends of a range in hundredths. */
export function ends(share: Share): string {
  return t("statistics.range", { low: hundredths(share.low), high: hundredths(share.high) });
}

/** How many of so many. */
export function WonOf({ share }: { readonly share: Share }) {
  return (
    <span class="won-of inline-flex gap-5">
      <b class="num">{share.right}</b> <small>{t("statistics.of", { count: share.count })}</small>
    </span>
  );
}

export function Stars({ mean }: { readonly mean: string }) {
  return (
    <span class="a-game inline-row gap-3">
      <NumberSign what="stars" size={18} /> <b class="num">{mean}</b>
    </span>
  );
}

/** A drawn key of the bars. */
export function RangeKey({ text }: { readonly text: string }) {
  return (
    <p class="range-key row gap-12 text-15 leading-120">
      <span class="range" aria-hidden="true">
        <i class="range-bar" />
        <i class="range-dot" />
      </span>
      <span class="muted">{text}</span>
    </p>
  );
}

/** The crown beside the headline. */
export function Disc() {
  return (
    <span class="record-disc middle absolute color-ink" aria-hidden="true">
      <Sign name="crown" size={62} />
    </span>
  );
}

/** A box with its count, for reading. */
export function BoxChip({
  children,
  sign,
}: {
  readonly children: ComponentChildren;
  readonly sign?: ComponentChildren;
}) {
  return (
    <span class="record-chip inline-row gap-6 on-raised">
      {sign}
      <b>{children}</b>
    </span>
  );
}
