/** Markers on the tray's picture: each has room, all are on the map, the picture is cut to the dice. */
import { describe, expect, it } from "vitest";
import { GAP, layOut, TOP } from "../src/ui/tray";
import type { Proposal } from "../src/wire";
import { die, proposal } from "./views";

const WIDTHS = [288, 328, 358, 448];
type Middle = readonly [x: number, y: number];

function lying(
  middles: readonly Middle[],
  size: readonly [number, number] = [1280, 720],
): Proposal {
  const dice = middles.map(([x, y]) => die("heal", { box: [x - 30, y - 30, 60, 60] }));
  return proposal(dice, { picture_size: size });
}

/** The same arrangement for the same number, of as many dice. */
function arrangement(seed: number, count: number): readonly Middle[] {
  let state = seed * 2_654_435_761 + 12_345;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return Array.from({ length: count }, () => [40 + next() * 1200, 40 + next() * 640] as const);
}

function faults(of: Proposal, width: number): string[] {
  const { spots, w, h, height } = layOut(of, width);
  const found: string[] = [];
  for (const [i, one] of spots.entries()) {
    const inside =
      one.x >= w / 2 - 0.1 &&
      one.x <= width - w / 2 + 0.1 &&
      one.y >= TOP + h / 2 - 0.1 &&
      one.y <= height - h / 2 + 0.1;
    if (!inside) found.push(`${i} is off the map: ${one.x}, ${one.y}`);
    for (const [j, other] of spots.slice(0, i).entries()) {
      const apart = Math.abs(one.x - other.x) >= w - 0.1 || Math.abs(one.y - other.y) >= h - 0.1;
      if (!apart) found.push(`${i} covers ${j}`);
    }
  }
  return found;
}

describe("markers", () => {
  it.each(WIDTHS)("have room on a map %i wide, wherever up to eight dice lie", (width) => {
    for (let count = 1; count <= 8; count += 1) {
      for (let seed = 1; seed <= 25; seed += 1) {
        expect(faults(lying(arrangement(seed, count)), width), `${count} dice, ${seed}`).toEqual(
          [],
        );
      }
    }
  });

  it.each(WIDTHS)("have room on a map %i wide where all dice lie on one spot", (width) => {
    expect(faults(lying(Array.from({ length: 8 }, () => [640, 360] as const)), width)).toEqual([]);
  });

  it("stand on their dice where these lie far apart", () => {
    const middles = [
      [300, 200],
      [640, 500],
      [980, 200],
    ] as const;
    const dice = middles.map(([x, y]) => die("heal", { box: [x - 100, y - 100, 200, 200] }));
    const of = proposal(dice);
    const { spots, cut, moved } = layOut(of, 358);
    expect(moved).toBe(false);
    const scale = 358 / cut.w;
    expect(spots[1]?.x).toBeCloseTo((640 - cut.x) * scale, 1);
  });

  it("beside their dice say so", () => {
    expect(
      layOut(
        lying([
          [640, 360],
          [645, 362],
          [650, 358],
        ]),
        358,
      ).moved,
    ).toBe(true);
  });

  it("keep the order of the dice: one left of another stays there", () => {
    const { spots } = layOut(
      lying([
        [500, 360],
        [560, 360],
        [620, 360],
      ]),
      358,
    );
    const xs = spots.map((spot) => spot.x);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
  });

  it("are large enough for a thumb, eight on the narrowest phone too", () => {
    for (const width of WIDTHS) {
      const { w, h } = layOut(lying(arrangement(1, 8)), width);
      expect(w).toBeGreaterThanOrEqual(48);
      expect(h).toBeGreaterThanOrEqual(48);
      expect(4 * w + 3 * GAP).toBeLessThanOrEqual(width);
    }
  });

  it("of seven dice stand in more columns than those of six", () => {
    expect(layOut(lying(arrangement(1, 7)), 358).w).toBeLessThan(
      layOut(lying(arrangement(1, 6)), 358).w,
    );
  });
});

/** Whether a cut that would fit lies over an edge of the picture. */
function outside(from: number, length: number, whole: number): boolean {
  return length <= whole && (from < 0 || from + length > whole + 1e-6);
}

describe("the picture", () => {
  it.each([1, 3, 8])(
    "of %i dice has the shape of the map and stays inside what was photographed",
    (count) => {
      for (let seed = 1; seed <= 10; seed += 1) {
        const { cut, height } = layOut(lying(arrangement(seed, count)), 358);
        expect(cut.w / cut.h).toBeCloseTo(358 / height, 3);
        expect(outside(cut.x, cut.w, 1280)).toBe(false);
        expect(outside(cut.y, cut.h, 720)).toBe(false);
      }
    },
  );

  it("shows every die whole", () => {
    const of = lying(arrangement(3, 6));
    const { cut } = layOut(of, 358);
    for (const { box } of of.dice) {
      expect(box[0]).toBeGreaterThanOrEqual(cut.x);
      expect(box[0] + box[2]).toBeLessThanOrEqual(cut.x + cut.w);
    }
  });

  it("without a die is whole, and there are no markers", () => {
    const { spots, cut, moved } = layOut(proposal([]), 358);
    expect(spots).toEqual([]);
    expect(moved).toBe(false);
    expect(cut).toMatchObject({ x: 0, y: 0, w: 1280 });
  });
});
