/** What is fetched while it is looked at: kept as long as it holds, and never shown of another table. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { connect, done } from "./transport";
import { game, question, update } from "./views";

beforeEach(() => {
  vi.resetModules();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

describe("odds", () => {
  const COACH = { compares: { key: "x", args: {} }, lines: [], left_out: 0, now: 0.5 };

  async function load() {
    const odds = await import("../src/store/advice/odds");
    const table = await import("../src/store/table/table");
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

  it("of dice that have changed meanwhile are not shown", async () => {
    connect(() => done(COACH));
    const page = await load();
    page.show(update({ rev: 7, game: game({ question: question() }) }));
    const asked = page.askCoach();
    page.show(update({ rev: 8, game: game({ question: question() }) }));
    page.dice.value;
    await asked;
    expect(page.coach.value).toBeNull();
  });
});
