/** Layout of the tray's markers: pure functions from dice and width to positions in CSS pixels. */
import type { Proposal } from "../../wire";

/** The middle of a marker, in CSS pixels of the map. */
export interface Spot {
  x: number;
  y: number;
}

/** The distance between two markers, in CSS pixels. */
export const GAP = 8;
/** The height of a marker's badge above it. */
export const TOP = 8;
/** The distance up to which a marker still surrounds its die. */
const NEAR = 12;

/** Push the markers apart until all have room, or arrange them in rows in their order. */
function settle(spots: Spot[], width: number, height: number, w: number, h: number): Spot[] {
  const moved = spots.map((spot) => ({ ...spot }));
  for (let round = 0; round < 80; round += 1) {
    for (const spot of moved) clamp(spot, width, height, w, h);
    if (!shove(moved, w, h)) return moved;
  }
  return inRows(spots, width, w, h);
}

function clamp(spot: Spot, width: number, height: number, w: number, h: number): void {
  spot.x = Math.min(width - w / 2, Math.max(w / 2, spot.x));
  spot.y = Math.min(height - h / 2, Math.max(TOP + h / 2, spot.y));
}

/** Whether markers were too close and have been moved. */
function shove(spots: Spot[], w: number, h: number): boolean {
  let any = false;
  for (const [i, one] of spots.entries()) {
    for (const other of spots.slice(i + 1)) {
      const over = {
        x: w + GAP - Math.abs(one.x - other.x),
        y: h + GAP - Math.abs(one.y - other.y),
      };
      if (over.x <= 0.01 || over.y <= 0.01) continue;
      any = true;
      const axis = over.x < over.y ? "x" : "y";
      const side = one[axis] <= other[axis] ? -1 : 1;
      one[axis] += (side * over[axis]) / 2;
      other[axis] -= (side * over[axis]) / 2;
    }
  }
  return any;
}

function inRows(spots: readonly Spot[], width: number, w: number, h: number): Spot[] {
  const columns = Math.max(1, Math.floor((width + GAP) / (w + GAP)));
  const order = spots.map((spot, index) => ({ spot, index })).sort((a, b) => a.spot.y - b.spot.y);
  const placed: Spot[] = spots.map((spot) => ({ ...spot }));
  for (let start = 0; start < order.length; start += columns) {
    const row = order.slice(start, start + columns).sort((a, b) => a.spot.x - b.spot.x);
    const left = (width - (row.length * (w + GAP) - GAP)) / 2;
    row.forEach((one, column) => {
      placed[one.index] = {
        x: left + w / 2 + column * (w + GAP),
        y: TOP + h / 2 + (start / columns) * (h + GAP),
      };
    });
  }
  return placed;
}

/** Place the markers; the picture is cropped to the dice. */
export function layOut(proposal: Proposal, width: number): Layout {
  const many = proposal.dice.length > 6;
  const columns = many ? 4 : 3;
  const w = Math.min(88, Math.floor((width - (columns - 1) * GAP) / columns));
  const h = width < 300 ? 76 : many ? 92 : 86;
  const rows = Math.max(2, Math.ceil(proposal.dice.length / columns));
  const height = rows * (h + GAP) + GAP;
  const cut = cutOf(proposal, width / height);
  const scale = width / cut.w;
  const spots = proposal.dice.map((die) => ({
    x: (die.box[0] + die.box[2] / 2 - cut.x) * scale,
    y: (die.box[1] + die.box[3] / 2 - cut.y) * scale,
  }));
  const settled = settle(spots, width, height, w, h);
  const moved = settled.some(
    (spot, index) =>
      Math.hypot(spot.x - (spots[index]?.x ?? 0), spot.y - (spots[index]?.y ?? 0)) > NEAR,
  );
  return { spots: settled, w, h, height, cut, moved };
}

export interface Layout {
  readonly spots: readonly Spot[];
  readonly w: number;
  readonly h: number;
  readonly height: number;
  readonly cut: Cut;
  /** Whether a marker is away from its die: the picture would then only confuse. */
  readonly moved: boolean;
}

export interface Cut {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Return the crop that holds all dice with a margin, in the wanted shape. */
function cutOf(proposal: Proposal, shape: number): Cut {
  const [pw, ph] = proposal.picture_size;
  const boxes = proposal.dice.map((die) => die.box);
  if (boxes.length === 0) return { x: 0, y: 0, w: pw, h: pw / shape };
  const left = Math.min(...boxes.map((box) => box[0]));
  const top = Math.min(...boxes.map((box) => box[1]));
  const right = Math.max(...boxes.map((box) => box[0] + box[2]));
  const bottom = Math.max(...boxes.map((box) => box[1] + box[3]));
  const edge = Math.max(...boxes.map((box) => box[2])) * 0.5;
  let w = right - left + 2 * edge;
  let h = bottom - top + 2 * edge;
  if (w / h < shape) w = h * shape;
  else h = w / shape;
  const x = Math.max(Math.min((left + right) / 2 - w / 2, pw - w), Math.min(0, pw - w));
  const y = Math.max(Math.min((top + bottom) / 2 - h / 2, ph - h), Math.min(0, ph - h));
  return { x, y, w, h };
}
