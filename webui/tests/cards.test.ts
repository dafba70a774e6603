/** A box in another language: its cards are found by cost and effect, and a tied name is kept. */
import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "./transport";
import { game, update } from "./views";

const CARDS = [
  { name: "apartment_building", left: 1, cost: 5 },
  { name: "commuter_train", left: 1, cost: 4 },
  { name: "herbivore", left: 1, cost: 5 },
  { name: "energize", left: 1, cost: 8 },
  { name: "wings", left: 1, cost: 6 },
];

async function load(language: "en" | "es" | "fr" | "is") {
  vi.resetModules();
  const names: Record<string, string> = {};
  connect(({ path, body }) => {
    if (path === "/api/card-names") {
      const { card, name } = (body ?? {}) as Record<string, string>;
      if (card !== undefined) names[card] = name ?? "";
      return { status: 200, body: { names } };
    }
    return { status: 200, body: readFileSync(`locales/${language}.json`, "utf8") };
  });
  const { setPrefs } = await import("../src/store/prefs");
  const { loadWords } = await import("../src/store/words");
  const table = await import("../src/store/table");
  const cards = await import("../src/ui/cards");
  const { readCardNames } = await import("../src/store/looks");
  setPrefs({ language });
  await loadWords(language);
  table.show(update({ game: game({ game: "tokyo" }) }));
  const found = (text: string) => cards.find(CARDS, text).map((one) => one.card.name);
  return { ...cards, readCardNames, found };
}

beforeEach(() => window.localStorage.clear());

describe("a card in another language", () => {
  it.each([
    ["es", "3 estrellas", ["apartment_building"]],
    ["fr", "5 étoiles", ["apartment_building", "herbivore"]],
    ["fr", "etoile blesses", ["herbivore"]],
    ["is", "orka", ["energize", "wings"]],
    ["is", "8", ["energize"]],
  ] as const)("is found in %s by “%s”", async (language, text, cards) => {
    const { found } = await load(language);
    expect(found(text)).toEqual(cards);
  });

  it("is found by its name first, in any language", async () => {
    const { found } = await load("is");
    expect(found("jurta")).toEqual(["herbivore"]);
    expect(found("herb")).toEqual(["herbivore"]);
    expect(found("metamorphose")).toEqual([]);
  });

  it("is found by the name that was tied to it, on every phone", async () => {
    const { found, otherNames, readCardNames } = await load("fr");
    expect(found("ailes")).toEqual([]);
    await readCardNames({ card: "wings", name: "Ailes d’acier" });
    expect(found("ailes")).toEqual(["wings"]);
    expect(otherNames("wings")).toEqual(["Ailes d’acier"]);
  });
});
