/** The graph of the win chances: lines that differ without colours, and words within it. */
import { h, render } from "preact";
import { describe, expect, it } from "vitest";
import { ChanceGraph, ChanceKey } from "../src/art/chances";
import type { ChanceView } from "../src/wire";

const MONSTERS = ["puffin_rex", "old_scree", "lampmoth", "inkwell", "kelp_auntie", "spinella"];
const seats = MONSTERS.map((monster, seat) => ({ seat, monster }));

function turns(count: number): ChanceView[] {
  return Array.from({ length: count }, (_, index) => ({
    turn: Math.min(index + 1, count - 1),
    seat: index % seats.length,
    chances: seats.map(({ seat }) => (seat === 2 ? index / count : (1 - index / count) / 5)),
    ended: index === count - 1,
  }));
}

function graph(count: number, at: number): Element {
  const stage = document.createElement("div");
  const mark = { at, words: "turn 17" };
  const drawn = { chance: turns(count), seats, width: 342, height: 172, text: 13, mark };
  render(h(ChanceGraph, drawn), stage);
  return stage;
}

describe("the graph of the win chances", () => {
  it("has a line for each seat, none dashed as another, with its tile", () => {
    const lines = [...graph(30, 4).querySelectorAll("polyline")];
    expect(lines).toHaveLength(6);
    expect(new Set(lines.map((line) => line.getAttribute("stroke-dasharray"))).size).toBe(6);
    expect(graph(30, 4).querySelectorAll("[transform*=scale]").length).toBeGreaterThanOrEqual(6);
  });

  it("dashes the key of a seat as its line", () => {
    const stage = document.createElement("div");
    const keys = seats.map((seat) => {
      render(h(ChanceKey, seat), stage);
      return stage.querySelector("path")?.getAttribute("stroke-dasharray");
    });
    expect(new Set(keys).size).toBe(6);
  });

  it.each([0, 1, 28, 29])("keeps the words at the mark within it, at turn %i", (at) => {
    const label = graph(30, at).querySelector(
      "rect[rx]:last-of-type + text",
    )?.previousElementSibling;
    const left = Number(label?.getAttribute("x"));
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left + Number(label?.getAttribute("width"))).toBeLessThanOrEqual(342);
  });

  it("draws a game of one turn", () => {
    const points = graph(2, 0).querySelector("polyline")?.getAttribute("points") ?? "";
    expect(points).not.toContain("NaN");
  });
});
