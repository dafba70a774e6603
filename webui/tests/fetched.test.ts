/** What is fetched while it is looked at: kept as long as it holds, and never shown of another table. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { GameView, PastGame, TimeView } from "../src/wire";
import { connect, done, NO_LINE, type Reply, refused } from "./transport";
import { game, question, seat, update } from "./views";

beforeEach(() => {
  vi.resetModules();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

describe("odds", () => {
  const COACH = { compares: { key: "x", args: {} }, lines: [], left_out: 0, now: 0.5 };

  async function load() {
    const odds = await import("../src/store/looks");
    const table = await import("../src/store/table");
    return { ...odds, ...table };
  }

  it("stay while views tell of other things, and go with the next row of the log", async () => {
    const requests = connect(() => done(COACH));
    const page = await load();
    page.show(update({ rev: 7, game: game({ question: question() }) }));
    const before = page.dice.value;
    const asked = page.askCoach();
    page.show(update({ rev: 7, game: game({ question: question() }) }));
    await asked;
    expect(page.dice.value).toBe(before);
    expect(page.coach.value).toEqual(COACH);
    expect(requests).toHaveLength(1);
    page.show(update({ rev: 8, game: game({ question: question() }) }));
    expect(page.dice.value).not.toBe(before);
  });

  it.each([
    [[0.31, 0.295], true],
    [[0.31, 0.3, 0.29], false],
    [[0.5], false],
    [[], false],
  ])("of %j hardly matter: %s", async (chances, hardly) => {
    const { hardlyMatters } = await load();
    const lines = chances.map((chance) => ({ chance, words: COACH.compares, faces: [] }));
    expect(hardlyMatters({ ...COACH, measured: COACH.compares, now: 0, lines })).toBe(hardly);
  });

  it("of dice that have changed meanwhile are not shown", async () => {
    const waiting: ((reply: Reply) => void)[] = [];
    connect(() => new Promise((resolve) => waiting.push(resolve)));
    const page = await load();
    page.show(update({ rev: 7, game: game({ question: question() }) }));
    const asked = page.askCoach();
    page.show(update({ rev: 8, game: game({ question: question() }) }));
    await page.fetchKeeps(page.dice.value, false);
    expect(page.coaching.value).toBe(false);
    const again = page.askCoach();
    waiting[0]?.(done({ ...COACH, now: 0.1 }));
    await asked;
    expect(page.coach.value).toBeNull();
    expect(page.coaching.value).toBe(true);
    waiting[1]?.(done(COACH));
    await again;
    expect(page.coach.value).toEqual(COACH);
  });
});

describe("the time machine", () => {
  const TIME: TimeView = {
    table: "t1",
    rev: 7,
    seats: [],
    line: { turns: [], steps: [3] },
    branches: [],
  };

  it("opens without what was looked at before, which may be of another table", async () => {
    connect((request) => (request.path === "/api/time" ? done(TIME) : done({ row: 3, way: [] })));
    const page = await import("../src/store/looks");
    await page.openTime();
    await vi.waitFor(() => expect(page.moment.value?.row).toBe(3));
    connect(() => NO_LINE);
    await page.openTime();
    expect(page.timeView.value).toBeNull();
    expect(page.moment.value).toBeNull();
  });
});

describe("the story", () => {
  const ENDED: Partial<GameView> = { ended: { reason: "stars", winners: [0], last: 1 } };

  it("of the table's own game has its last position, though an earlier one was looked at", async () => {
    const early = game({ seats: [seat(0, { stars: 1 })] });
    const seen = { id: "t1", playable: true, game: early, rows: [] } as unknown as PastGame;
    connect((request) => (request.path.startsWith("/api/story") ? refused(409) : done(seen)));
    const story = await import("../src/store/records");
    const games = await import("../src/store/games");
    const { show } = await import("../src/store/table");
    const { sheet } = await import("../src/store/route");
    await games.openPastGame("t1");
    show(update({ table: "t1", game: game({ ...ENDED, seats: [seat(0, { stars: 20 })] }) }));
    await story.openStory("t1");
    expect(story.gameOf("t1")?.seats[0]?.stars).toBe(20);
    story.leaveStory("t1");
    expect(sheet.value).toBeNull();
    show(update({ table: "t2", game: game() }));
    await story.openStory("t1");
    expect(story.gameOf("t1")?.seats[0]?.stars).toBe(1);
  });
});
