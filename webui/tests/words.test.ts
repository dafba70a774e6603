/** Sentences: gaps, plurals, names; and every sentence of the four catalogues as the page says it. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, NO_LINE, type Reply } from "./transport";
import { game, update } from "./views";

const LANGUAGES = ["en", "es", "fr", "is"] as const;
type Language = (typeof LANGUAGES)[number];
type Entry = string | Readonly<Record<string, string>>;

function catalogue(language: Language): Readonly<Record<string, Entry>> {
  return JSON.parse(readFileSync(`locales/${language}.json`, "utf8"));
}

function served(language: string): Reply | Error {
  const known = LANGUAGES.find((one) => one === language);
  return known === undefined
    ? { status: 404, body: "" }
    : { status: 200, body: readFileSync(`locales/${known}.json`, "utf8") };
}

/** The page with that language chosen, its words loaded, and three players at the table. */
async function load(language: Language = "en", catalogueOf = served) {
  vi.resetModules();
  const requests = connect(({ path }) =>
    catalogueOf(path.replace(/^\/locales\/(\w+)\.json$/, "$1")),
  );
  const { setPrefs } = await import("../src/store/prefs");
  const words = await import("../src/store/words");
  const table = await import("../src/store/table");
  setPrefs({ language });
  await words.loadWords(language);
  return { ...words, ...table, setPrefs, requests };
}

beforeEach(() => window.localStorage.clear());
afterEach(() => window.localStorage.clear());

/** A sentence that only the test knows. */
function only(entries: Readonly<Record<string, Entry>>): () => Reply {
  return () => ({ status: 200, body: entries });
}

describe("a sentence", () => {
  it("has its gaps filled, each time they occur", async () => {
    const { t } = await load("en", only({ "test.a": "{seen} of {expected}, {seen}" }));
    expect(t("test.a", { seen: 5, expected: 6 })).toBe("5 of 6, 5");
  });

  it("has d’ before a vowel in French", async () => {
    const { t } = await load("fr", only({ "test.a": "Vie de {who} : {of}" }));
    expect(t("test.a", { who: "Íris", of: "dé de Ben" })).toBe("Vie d’Íris : dé de Ben");
    expect(t("test.a", { who: "Hugo", of: "de Hôpital" })).toBe("Vie de Hugo : d’Hôpital");
  });

  it("shows a gap that nothing fills, and makes a key readable that no catalogue has", async () => {
    const { t, knows } = await load("en", only({ "test.a": "{seen} of {expected}" }));
    expect(t("test.a", { seen: 5 })).toBe("5 of {expected}");
    expect(t("test.dark_moon", { seen: 5 })).toBe("Dark moon");
    expect(knows("test.a")).toBe(true);
    expect(knows("test.dark_moon")).toBe(false);
  });

  it("fills gaps once: what a player is called is no gap", async () => {
    const { t, show } = await load("en", only({ "test.a": "{seat} rolls" }));
    const seats = game().seats.map((one) => ({ ...one, player: "{expected}" }));
    show(update({ game: game({ seats }) }, { seat: 1 }));
    expect(t("test.a", { seat: 0, expected: 6 })).toBe("{expected} rolls");
  });

  it("names seats by their players, and ids by their words", async () => {
    const entries = {
      "test.a": "{seat} hits {other} in {place} with {face_2}",
      "place.bronx": "the Bronx",
      "face.attack": "Attack",
    };
    const { t, show } = await load("en", only(entries));
    show(update({}, { seat: 2 }));
    const args = { seat: 0, other: 1, place: "bronx", face_2: "attack" };
    expect(t("test.a", args)).toBe("Ana hits Björk in the Bronx with Attack");
    expect(t("test.a", { ...args, place: "nowhere" })).toContain("in nowhere");
  });

  it("numbers seats without a name, in the language of the phone", async () => {
    const page = await load("fr");
    const seats = game().seats.map((one) => ({ ...one, player: "" }));
    page.show(update({ game: game({ seats }) }, { seat: 0 }));
    expect(page.game.value?.seats.map((one) => one.player)).toEqual([
      "Joueur 1",
      "Joueur 2",
      "Joueur 3",
    ]);
    expect(page.t("head.turn_of", { seat: 1 })).toContain("Joueur 2");
    await page.loadWords("en");
    expect(page.game.value?.seats[1]?.player).toBe("Player 2");
  });

  it("speaks to whom it is about, where the catalogue has such a sentence", async () => {
    const entries = {
      "test.a": "{seat} rolls",
      "test.a.you": "You roll",
      "test.b": "{seat} waits",
    };
    const { t, show } = await load("en", only(entries));
    show(update({}, { seat: 0 }));
    expect(t("test.a", { seat: 0 })).toBe("You roll");
    expect(t("test.a", { seat: 1 })).toBe("Björk rolls");
    expect(t("test.b", { seat: 0 })).toBe("Ana waits");
    show(update({}, { seat: null, role: "spectator" }));
    expect(t("test.a", { seat: 0 })).toBe("Ana rolls");
  });

  it("about a Monster names that of a seat, or of an id", async () => {
    const entries = { "test.a": "{monster} wins", "monster.inkwell": "Inkwell" };
    const { t, show } = await load("en", only(entries));
    show(update());
    expect(t("test.a", { monster: 0 })).toBe("Inkwell wins");
    expect(t("test.a", { monster: "inkwell" })).toBe("Inkwell wins");
    expect(t("test.a", { seat: 0 })).toBe("Inkwell wins");
  });
});

describe("a roll in words", () => {
  it.each([
    ["en", "Ana rolled three 2s, Heal, two Energy", "four 2s"],
    ["es", "Ana saca tres 2, Vida, dos Energías", "cuatro 2"],
    ["fr", "Ana obtient trois 2, Soin, deux Énergies", "quatre 2"],
    ["is", "Ana kastaði: þrír tvistar, Líf, tvisvar Orka", "fjórir tvistar"],
  ] as const)("says how many of which, in %s", async (language, line, four) => {
    const { t, show } = await load(language);
    show(update({}, { seat: 1 }));
    const args = { count_1: 3, face_1: "two", count_2: 1, face_2: "heal", count_3: 2 };
    expect(t("did.rolled.3", { seat: 0, ...args, face_3: "energy" })).toBe(line);
    expect(t("because.alike", { count: 4, face: "two" })).toBe(four);
  });
});

describe("plural forms", () => {
  const entries = { "test.a": { one: "{count} die", other: "{count} dice", many: "{count} de" } };

  it.each([
    ["en", 1, "1 die"],
    ["en", 0, "0 dice"],
    ["en", 21, "21 dice"],
    ["is", 21, "21 die"],
    ["is", 11, "11 dice"],
    ["fr", 0, "0 die"],
    ["fr", 1_000_000, "1000000 de"],
    ["es", 1, "1 die"],
    ["es", 2, "2 dice"],
  ] as const)("are those of %s for %i", async (language, count, said) => {
    const { t } = await load(language, only(entries));
    expect(t("test.a", { count })).toBe(said);
  });

  it("go by the count, or by the first number where there is none", async () => {
    const { t } = await load("en", only({ "test.a": { one: "one", other: "more" } }));
    expect(t("test.a", { seen: 1 })).toBe("one");
    expect(t("test.a", { seen: 1, count: 2 })).toBe("more");
    expect(t("test.a")).toBe("more");
  });

  it("that a catalogue lacks are the other one", async () => {
    const { t } = await load("en", only({ "test.a": { other: "more" } }));
    expect(t("test.a", { count: 1 })).toBe("more");
  });
});

describe.each(LANGUAGES)("the catalogue of %s", (language) => {
  it("leaves no gap open and names no key, whatever the count", async () => {
    const { t, show } = await load(language);
    show(update());
    const open: string[] = [];
    for (const [key, entry] of Object.entries(catalogue(language))) {
      const forms = typeof entry === "string" ? [entry] : Object.values(entry);
      const gaps = forms.flatMap((form) =>
        [...form.matchAll(/\{(\w+)\}/g)].map(([, gap]) => gap ?? ""),
      );
      for (const count of [0, 1, 2, 5, 21]) {
        const said = t(key, { ...Object.fromEntries(gaps.map((gap) => [gap, count % 3])), count });
        if ((said === key && entry !== key) || said === "" || /[{}]/.test(said))
          open.push(`${key}: ${said}`);
      }
    }
    expect(open).toEqual([]);
  });

  it("has every card of both games by name and text", async () => {
    const { cardName, cardText, show } = await load(language);
    for (const box of ["new-york", "tokyo"]) {
      show(update({ game: game({ game: box }) }));
      const start = `card.${box}.`;
      const ids = Object.keys(catalogue("en"))
        .filter(
          (key) => key.startsWith(start) && key.split(".").length === 4 && key.endsWith(".name"),
        )
        .map((key) => key.slice(start.length, -".name".length));
      expect(ids.length).toBeGreaterThan(60);
      expect(
        ids.filter((id) => cardName(id) === id.replace(/_/g, " ") || cardText(id) === ""),
      ).toEqual([]);
    }
  });
});

describe("names of cards", () => {
  const entries = {
    "card.tokyo.wings.name": "Alas",
    "card.tokyo.wings.text": "Paga.",
    "card.tokyo.2016.wings.name": "Alas nuevas",
    "card.tokyo.jets.name": "Jets",
  };

  it("are the edition's own where it has some, else the game's, else the id made readable", async () => {
    const { cardName, cardText, show } = await load("es", only(entries));
    show(update({ game: game({ game: "tokyo" }) }));
    expect(cardName("wings")).toBe("Alas");
    expect(cardName("acid_attack")).toBe("acid attack");
    expect(cardText("acid_attack")).toBe("");
    show(update({ game: game({ game: "tokyo", edition: "2016" }) }));
    expect(cardName("wings")).toBe("Alas nuevas");
    expect(cardText("wings")).toBe("Paga.");
  });

  it("as printed stand beside another name alone", async () => {
    const { printedName, show } = await load("es", only(entries));
    show(update({ game: game({ game: "tokyo" }) }));
    expect(printedName("wings")).toBe("Wings");
    expect(printedName("jets")).toBeNull();
    show(update({ game: game({ game: "tokyo", edition: "2016" }) }));
    expect(printedName("wings")).toBeNull();
  });
});

describe("the words of a language", () => {
  it("that the table lacks are English", async () => {
    const { t, wordsReady } = await load("is", (language) =>
      language === "en" ? { status: 200, body: { close: "Close" } } : { status: 404, body: "" },
    );
    expect(wordsReady()).toBe(true);
    expect(t("close")).toBe("Close");
  });

  it("are those that the phone kept while there is no line", async () => {
    await load("fr", only({ close: "Fermer" }));
    const { t } = await load("fr", () => NO_LINE);
    expect(t("close")).toBe("Fermer");
  });

  it("are not ready where there is neither line nor kept word", async () => {
    const { wordsReady, t } = await load("fr", () => NO_LINE);
    expect(wordsReady()).toBe(false);
    expect(t("close")).toBe("Close");
  });

  it("broken off while they load leave those that were kept", async () => {
    await load("fr", only({ close: "Fermer" }));
    const { t } = await load("fr", () => ({ status: 200, body: '{"close": "Fer' }));
    expect(t("close")).toBe("Fermer");
  });

  it("that come after another choice are not used", async () => {
    vi.resetModules();
    let release: (reply: Reply) => void = () => undefined;
    connect(() => new Promise((resolve) => (release = resolve)));
    const { setPrefs } = await import("../src/store/prefs");
    const { loadWords, wordsReady } = await import("../src/store/words");
    setPrefs({ language: "fr" });
    const loading = loadWords("fr");
    setPrefs({ language: "es" });
    release({ status: 200, body: { close: "Fermer" } });
    await loading;
    expect(wordsReady()).toBe(false);
  });

  it("say day and time, and nothing for what is no time", async () => {
    const { day } = await load("en", only({ close: "Close" }));
    expect(day("2024-05-01T20:00:00Z")).toMatch(/May/);
    expect(day("yesterday")).toBe("");
  });

  it("begin a day at zero", async () => {
    const { time } = await load("en", only({ close: "Close" }));
    expect(time(new Date(2026, 4, 1, 0, 5, 9).getTime())).toBe("00:05:09");
  });
});
