/** Who answers on this phone, and what was told of a question: kept over a look elsewhere and a reload. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { GameView, Question, You } from "../src/wire";
import { game, proposal, question, seat, tray, update } from "./views";

async function load() {
  vi.resetModules();
  const turn = await import("../src/store/turn");
  const table = await import("../src/store/table");
  return { ...turn, ...table };
}

type Page = Awaited<ReturnType<typeof load>>;

function ask(page: Page, part: Partial<Question>, who: Partial<You>, now: Partial<GameView> = {}) {
  page.show(update({ game: game({ question: question(part), ...now }) }, who));
}

beforeEach(() => window.sessionStorage.clear());

describe("a question", () => {
  it("is for the phone of its seat, and for no other", async () => {
    const page = await load();
    ask(page, { seat: 1 }, { seat: 1 });
    expect(page.acting.value).toBe(1);
    ask(page, { seat: 1 }, { seat: 0 });
    expect(page.acting.value).toBeNull();
    ask(page, { seat: 1 }, { seat: null, role: "spectator" });
    expect(page.acting.value).toBeNull();
  });

  it("of the table is the active seat's", async () => {
    const page = await load();
    ask(page, { seat: null }, { seat: 2 }, { active: 2 });
    expect(page.acting.value).toBe(2);
    ask(page, { seat: null }, { seat: 1 }, { active: 2 });
    expect(page.acting.value).toBeNull();
  });

  it("for a seat without a phone is the host's, as all are while the table is set", async () => {
    const page = await load();
    const seats = [seat(0), seat(1, { phones: 0 })];
    ask(page, { seat: 1 }, { seat: 0, role: "host" }, { seats });
    expect(page.acting.value).toBe(1);
    ask(page, { seat: 1 }, { seat: 0, role: "host" }, { seats: [seat(0), seat(1)] });
    expect(page.acting.value).toBeNull();
    ask(page, { seat: 1 }, { seat: 0, role: "host" }, { phase: "setup" });
    expect(page.acting.value).toBe(1);
  });

  it("that one seat alone may read is shut on another phone until a tap", async () => {
    const page = await load();
    const seats = [seat(0), seat(1, { phones: 0 })];
    const asked = (id: string, mine: number) =>
      ask(page, { id, seat: 1, secret: true }, { seat: mine, role: "host" }, { seats });
    asked("q1", 1);
    expect(page.isShut.value).toBe(false);
    asked("q1", 0);
    expect(page.isShut.value).toBe(true);
    page.openSecret();
    expect(page.isShut.value).toBe(false);
    asked("q2", 0);
    expect(page.isShut.value).toBe(true);
    ask(page, { id: "q3", seat: 1 }, { seat: 0, role: "host" }, { seats });
    expect(page.isShut.value).toBe(false);
  });

  it("is answered in another's place after a tap, until it is left or the next one comes", async () => {
    const page = await load();
    ask(page, { id: "q1", seat: 1, may_answer: [0, 1] }, { seat: 0 });
    expect(page.acting.value).toBeNull();
    page.answerInPlace();
    expect(page.acting.value).toBe(1);
    page.leaveToOwner();
    expect(page.acting.value).toBeNull();
    page.answerInPlace();
    ask(page, { id: "q2", seat: 1, may_answer: [0, 1] }, { seat: 0 });
    expect(page.acting.value).toBeNull();
  });

  it("is not answered by who may not, tap or no tap", async () => {
    const page = await load();
    ask(page, { seat: 1, may_answer: [1] }, { seat: 0 });
    page.answerInPlace();
    expect(page.acting.value).toBeNull();
  });

  it("is nobody's once the game has ended", async () => {
    const page = await load();
    ask(page, { seat: 0 }, { seat: 0 }, { ended: { reason: "stars", winners: [0], last: null } });
    expect(page.acting.value).toBeNull();
  });
});

describe("what was told of a question", () => {
  it("goes with the question", async () => {
    const page = await load();
    page.watchQuestions();
    ask(page, { id: "q1" }, {});
    page.tap("heal");
    page.setLetters("win");
    page.setOrder(["heal", "attack"]);
    ask(page, { id: "q2" }, {});
    expect(page.tapped.value).toEqual([]);
    expect(page.letters.value).toBe("");
    expect(page.byHand.value).toBe(false);
    expect(page.chosenOrder.value).toBeNull();
  });

  it("stays while the same question is sent again", async () => {
    const page = await load();
    page.watchQuestions();
    ask(page, { id: "q1" }, {});
    page.tap("heal");
    ask(page, { id: "q1", left: 2 }, {});
    expect(page.tapped.value).toEqual(["heal"]);
  });

  it("outlives a reload of the page", async () => {
    const before = await load();
    before.watchQuestions();
    ask(before, { id: "q1" }, {});
    before.tap("heal");
    before.tap("ouch");
    const after = await load();
    after.watchQuestions();
    ask(after, { id: "q1" }, {});
    expect(after.tapped.value).toEqual(["heal", "ouch"]);
    expect(after.byHand.value).toBe(true);
  });

  it("is not taken for that of another question or table after a reload", async () => {
    const before = await load();
    before.watchQuestions();
    ask(before, { id: "q1" }, {});
    before.tap("heal");
    const after = await load();
    after.watchQuestions();
    after.show(update({ table: "t2", game: game({ question: question({ id: "q1" }) }) }));
    expect(after.tapped.value).toEqual([]);
  });

  it("and kept damaged counts as nothing told", async () => {
    window.sessionStorage.setItem("monster-table.draft.typed", '{"question":');
    const page = await load();
    page.watchQuestions();
    ask(page, { id: "q1" }, {});
    expect(page.tapped.value).toEqual([]);
  });

  it("loses what was put right of the dice with the next proposal", async () => {
    const page = await load();
    page.watchQuestions();
    const read = (id: string) =>
      page.show(
        update({
          game: game({ question: question() }),
          tray: tray({ proposal: proposal([], { id }) }),
        }),
      );
    read("p1");
    page.fixDie(0, "heal");
    read("p1");
    expect(page.fixes.value).toEqual({ 0: "heal" });
    read("p2");
    expect(page.fixes.value).toEqual({});
  });
});

describe("a draft", () => {
  async function reloaded() {
    const page = await load();
    page.watchQuestions();
    return page;
  }
  const read = (page: Page, id: string, run = "run") =>
    page.show({
      ...update({
        game: game({ question: question() }),
        tray: tray({ proposal: proposal([], { id }) }),
      }),
      run,
    });

  it("of the dice that are proposed outlives a reload, with the order chosen for them", async () => {
    const before = await reloaded();
    read(before, "p1");
    before.fixDie(2, "heal");
    before.fixDie(3, null);
    before.setOrder(["heal", "energy"]);
    const after = await reloaded();
    expect(after.fixes.value).toEqual({});
    read(after, "p1");
    expect(after.fixes.value).toEqual({ 2: "heal", 3: null });
    expect(after.chosenOrder.value).toEqual(["heal", "energy"]);
  });

  it("of a reading is not taken for that of another, or of another run of the service", async () => {
    const before = await reloaded();
    read(before, "p1");
    before.fixDie(2, "heal");
    const other = await reloaded();
    read(other, "p2");
    expect(other.fixes.value).toEqual({});
    read(other, "p1");
    other.fixDie(2, "heal");
    read(other, "p1", "run-2");
    expect(other.fixes.value).toEqual({});
  });

  it("of an order outlives a reload, until it is discarded", async () => {
    const before = await reloaded();
    before.draftOrder({ of: "t1:q1:heal", value: ["heal", "ouch"] });
    expect((await reloaded()).orderDraft.value?.value).toEqual(["heal", "ouch"]);
    before.draftOrder(null);
    expect((await reloaded()).orderDraft.value).toBeNull();
  });

  it("of an answer ahead outlives a reload, and goes when something is set ahead", async () => {
    const show = (page: Page, ahead: You["ahead"], table = "t1") =>
      page.show(update({ table, game: game() }, { ahead }));
    const draft = { seat: 0, flee: 4, stay: null, to: "outside" };
    const before = await reloaded();
    show(before, null);
    before.draftAhead(draft);
    const after = await reloaded();
    expect(after.aheadDraft.value).toBeNull();
    show(after, null);
    expect(after.aheadDraft.value).toEqual(draft);
    show(after, null, "t2");
    expect(after.aheadDraft.value).toBeNull();
    show(after, { flee_below: 3, stay_above: null, to: [] });
    expect(after.aheadDraft.value).toBeNull();
  });
});

describe("a view", () => {
  it("of a stranger says so", async () => {
    const page = await load();
    page.show(update({}, { role: "stranger" }));
    expect(page.stranger.value).toBe(true);
    page.show(update());
    expect(page.stranger.value).toBe(false);
  });
});
