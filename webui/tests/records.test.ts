/** Statistics, names and exports: what is fetched when, and figures in four languages. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StatisticsView } from "../src/wire";
import { connect, done, NO_LINE, refused, settled } from "./transport";

const NONE: StatisticsView = {
  games: 0,
  counting: 0,
  evenings: 0,
  since: null,
  by_game: {},
  feats: [],
  players: [],
  monsters: [],
  cards: [],
  dice: [],
  places: [],
};

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("statistics", () => {
  it("are asked for again while games are being counted, as long as somebody looks", async () => {
    let left = 2;
    const requests = connect(() => done({ ...NONE, counting: left }));
    const { openStatistics, statistics } = await import("../src/store/records");
    const { closeSheet } = await import("../src/store/route");
    await openStatistics();
    expect(statistics.value?.counting).toBe(2);
    left = 1;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(statistics.value?.counting).toBe(1);
    closeSheet();
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests.map((one) => one.path)).toEqual(Array(3).fill("/api/statistics"));
  });

  it("are asked for once where all are counted", async () => {
    const requests = connect(() => done({ ...NONE, games: 3 }));
    const { openStatistics } = await import("../src/store/records");
    await openStatistics();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests).toHaveLength(1);
  });

  it("stay as they are where a merge is refused", async () => {
    const requests = connect(({ method }) =>
      method === "POST" ? refused(400, "error.names.both") : done({ ...NONE, games: 3 }),
    );
    const { changeNames, openStatistics, statistics } = await import("../src/store/records");
    await openStatistics();
    expect(await changeNames("Anna", "Ana")).toBe(false);
    expect(requests[1]?.body).toEqual({ name: "Anna", into: "Ana" });
    expect(statistics.value?.games).toBe(3);
  });

  it("name a card of a box that is not played", async () => {
    connect(() => NO_LINE);
    const { cardIn } = await import("../src/store/records");
    expect(cardIn("tokyo", "corner_store")).toBe("corner store");
  });
});

describe("what is kept of a game", () => {
  it("asks for a play where the game has ended, in the phone's language", async () => {
    const links = { link: "https://example.test/", app: "bgstats://example.test/" };
    const requests = connect(() => done(links));
    const { fileOf, openExport, play, playQr } = await import("../src/store/records");
    const { setPrefs } = await import("../src/store/prefs");
    setPrefs({ language: "fr" });
    await openExport("g2", false);
    expect(play.value).toBeNull();
    await openExport("g3", true);
    expect(play.value).toEqual(links);
    expect(requests.map((one) => one.path)).toEqual(["/api/games/g3/bgstats?lang=fr"]);
    expect(playQr("g3")).toBe("/api/games/g3/bgstats.svg?lang=fr");
    expect(fileOf("g/3", "scores.csv")).toBe("/api/games/g%2F3/scores.csv");
  });
});

describe("names to suggest", () => {
  it("are those of the table, and none where it does not answer", async () => {
    const known = [{ name: "Ana", monster: "inkwell" }];
    connect(() => NO_LINE);
    const { fetchNames, knownNames } = await import("../src/store/records");
    await fetchNames();
    expect(knownNames.value).toEqual([]);
    connect(() => done({ names: known }));
    await fetchNames();
    await settled();
    expect(knownNames.value).toEqual(known);
  });
});

describe("figures", () => {
  it.each([
    ["en", "2,406", "16.7%", "16.67"],
    ["es", "12.406", "16,7%", "16,67"],
    ["fr", "2\u202f406", "16,7%", "16,67"],
    ["is", "2.406", "16,7%", "16,67"],
  ] as const)("are written as in %s", async (language, many, share, hundred) => {
    const { figure, hundredths, percent } = await import("../src/store/records");
    const { setPrefs } = await import("../src/store/prefs");
    setPrefs({ language });
    expect(figure(language === "es" ? 12_406 : 2_406)).toBe(many);
    expect(percent(1 / 6).replace(/\s/, "")).toBe(share);
    expect(hundredths(1 / 6, 2)).toBe(hundred);
  });

  it("leave a time out that is none", async () => {
    const { date } = await import("../src/store/records");
    expect(date("no time")).toBe("");
    expect(date("2026-03-06T19:30:00+00:00")).not.toBe("");
  });
});
