/** Smaller parts of the store: forecasts, earlier games, people, drafts, ticks, values that are fetched. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { moved } from "../src/store/turn";
import type { Person } from "../src/wire";
import { connect, done, NO_LINE, type Reply, refused } from "./transport";
import { answer, die, game, proposal, question, seat, update } from "./views";

beforeEach(() => {
  vi.resetModules();
  window.sessionStorage.clear();
});

describe("a forecast", () => {
  const DICE = { faces: ["heal" as const], rethrown: [], order: [] };

  it("is asked for once, and read for exactly these dice and this revision", async () => {
    const requests = connect(() => done(answer({ lacking: 2 })));
    const { fetchPreview, previewOf } = await import("../src/store/looks");
    await Promise.all([fetchPreview(DICE, 7), fetchPreview(DICE, 7)]);
    expect(requests.map((one) => one.body)).toEqual([DICE]);
    expect(previewOf(DICE, 7)?.lacking).toBe(2);
    expect(previewOf(DICE, 8)).toBeNull();
    expect(previewOf({ ...DICE, rethrown: [0] }, 7)).toBeNull();
    expect(previewOf({ ...DICE, order: ["heal"] }, 7)).toBeNull();
  });

  it("that comes after another was asked for is not shown", async () => {
    const waiting: ((reply: Reply) => void)[] = [];
    connect(() => new Promise((resolve) => waiting.push(resolve)));
    const { fetchPreview, latestPreview } = await import("../src/store/looks");
    const old = fetchPreview(DICE, 7);
    const fresh = fetchPreview(DICE, 8);
    waiting[1]?.(done(answer({ lacking: 1 })));
    await fresh;
    waiting[0]?.(done(answer({ lacking: 9 })));
    await old;
    expect(latestPreview.value?.answer.lacking).toBe(1);
  });

  it("that did not come is asked for again", async () => {
    const requests = connect(() => NO_LINE);
    const { fetchPreview } = await import("../src/store/looks");
    await fetchPreview(DICE, 7);
    await fetchPreview(DICE, 7);
    expect(requests).toHaveLength(2);
  });

  it("is the proposal's own while its dice are as read, and none where prices hang on throws", async () => {
    const { proposalPreview } = await import("../src/store/looks");
    const { fixDie } = await import("../src/store/turn");
    const preview = answer({ order: ["heal", "ouch"] });
    const read = proposal([die("heal")], { preview });
    expect(proposalPreview(question(), read)).toBe(preview);
    expect(proposalPreview(question(), null)).toBeNull();
    expect(proposalPreview(question({ main: false }), read)).toBeNull();
    expect(proposalPreview(question({ showing: ["heal"] }), read)).toBeNull();
    fixDie(0, "ouch");
    expect(proposalPreview(question(), read)).toBeNull();
  });
});

describe("applying dice", () => {
  const THROW = { faces: ["heal" as const, "ouch" as const], rethrown: [], missing: 0, gone: [] };

  it("says the order first, then the dice, as one command", async () => {
    const requests = connect(() => done({ rev: 8 }));
    const { applyDice } = await import("../src/store/turn");
    await applyDice(0, THROW, ["ouch", "heal"], "p1");
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    expect(requests[0]?.body).toMatchObject({
      proposal_id: "p1",
      events: [
        { type: "OrderChosen", seat: 0, faces: ["ouch", "heal"] },
        { type: "DiceRolled", faces: ["heal", "ouch"], rethrown: [], final: true },
      ],
    });
  });

  it("asks for the order where no forecast is there yet, and sends nothing where the table went on", async () => {
    let release: (reply: Reply) => void = () => undefined;
    const commands: unknown[] = [];
    connect((request) => {
      if (request.path === "/api/commands") {
        commands.push(request.body);
        return done({ rev: 8 });
      }
      return new Promise((resolve) => (release = resolve));
    });
    const { applyDice } = await import("../src/store/turn");
    const { show } = await import("../src/store/table");
    const asked = (rev: number, id: string) =>
      show(update({ rev, game: game({ question: question({ id }) }) }));
    asked(7, "q1");
    const first = applyDice(0, THROW, null, null);
    await applyDice(0, THROW, null, null);
    asked(8, "q2");
    release(done(answer({ order: ["heal", "ouch"] })));
    await first;
    expect(commands).toEqual([]);
    const second = applyDice(0, THROW, null, null);
    asked(9, "q2"); // somebody corrected a number meanwhile
    await vi.waitFor(() => release(done(answer({ order: ["heal", "ouch"] }))));
    await second;
    await vi.waitFor(() => expect(commands).toHaveLength(1));
    expect(commands[0]).toMatchObject({
      events: [{ type: "OrderChosen" }, { type: "DiceRolled" }],
    });
  });
});

describe("an update", () => {
  async function load() {
    return await import("../src/store/table");
  }

  it("that a newer one has overtaken is not shown", async () => {
    const table = await load();
    const [older, newer] = [update({ rev: 7 }), update({ rev: 8 })];
    table.show(newer);
    table.show(older);
    expect(table.view.value?.rev).toBe(8);
  });

  it("of another run of the service is shown, whatever its number", async () => {
    const table = await load();
    table.show({ ...update({ rev: 7 }), number: 900 });
    table.show({ ...update({ rev: 8 }), run: "restarted", number: 1 });
    expect(table.view.value?.rev).toBe(8);
  });

  it("that waits for the release of a finger is not replaced by an older one", async () => {
    const table = await load();
    table.watchFingers();
    const [shown, older, newer] = [update({ rev: 7 }), update({ rev: 8 }), update({ rev: 9 })];
    table.show(shown);
    window.dispatchEvent(new Event("pointerdown"));
    table.show(newer);
    table.show(older);
    expect(table.view.value?.rev).toBe(7);
    window.dispatchEvent(new Event("pointerup"));
    await vi.waitFor(() => expect(table.view.value?.rev).toBe(9));
  });
});

describe("the final score", () => {
  const over = { ended: { reason: "stars", winners: [1], last: null } };

  async function load() {
    const games = await import("../src/store/games");
    const table = await import("../src/store/table");
    const route = await import("../src/store/route");
    games.watchScore();
    return { ...games, ...table, ...route };
  }

  it("that is looked at stays when another phone sets the next game", async () => {
    const page = await load();
    page.show(update({ table: "t1", game: game(over) }));
    page.show(update({ table: "t2", game: null }));
    expect(page.score.value?.ended?.winners).toEqual([1]);
    page.leaveScore();
    expect(page.score.value).toBeNull();
  });

  it("that nobody looks at does not come back", async () => {
    const page = await load();
    page.show(update({ table: "t1", game: game(over) }));
    page.go("log");
    page.show(update({ table: "t2", game: null }));
    expect(page.score.value).toBeNull();
  });

  it("of a game that was not over is none", async () => {
    const page = await load();
    page.show(update({ table: "t1", game: game() }));
    page.show(update({ table: "t2", game: null }));
    expect(page.score.value).toBeNull();
  });

  it("names its own players, whoever sits there now", async () => {
    const page = await load();
    page.show(
      update({ table: "t1", game: game({ ...over, seats: [seat(0, { player: "Zoë" })] }) }),
    );
    page.show(update({ table: "t2", game: game() }));
    expect(page.names.player(0)).toBe("Zoë");
    page.leaveScore();
    expect(page.names.player(0)).toBe("Ana");
  });
});

describe("people", () => {
  const person = (id: string, part: Partial<Person> = {}): Person => ({
    id,
    role: "player",
    seat: null,
    phone: "live",
    silent_min: 0,
    ...part,
  });

  it("stay as they were in an update without them", async () => {
    const page = await load([person("h"), person("me")]);
    page.show(update({ people: null }));
    page.show(update({ people: null }));
    expect(page.people.value.persons).toHaveLength(2);
    page.show(update({ people: { persons: [], claims: [], host: null, host_lost: false } }));
    expect(page.people.value.persons).toHaveLength(0);
  });

  async function load(persons: readonly Person[], who = {}) {
    const people = await import("../src/store/people");
    const table = await import("../src/store/table");
    const page = { ...people, ...table };
    page.show(update({ people: { persons, claims: [], host: "h", host_lost: false } }, who));
    return page;
  }

  it("give up a seat unasked where nobody holds it, its phone is lost, or the host takes it", async () => {
    const persons = [person("a", { seat: 1 }), person("b", { seat: 2, phone: "lost" })];
    const page = await load(persons, { seat: 0 });
    expect([0, 1, 2].map(page.canTakeOver)).toEqual([true, false, true]);
    page.show(
      update({ people: { persons, claims: [], host: "me", host_lost: false } }, { role: "host" }),
    );
    expect(page.canTakeOver(1)).toBe(true);
  });

  it("that only watch are counted", async () => {
    const persons = [person("a", { seat: 1 }), person("b"), person("c")];
    const page = await load(persons);
    const { loadWords } = await import("../src/store/words");
    connect(() => ({ status: 200, body: { "people.watcher": "Watcher {count}" } }));
    await loadWords("en");
    expect(persons.map(page.personName)).toEqual(["Björk", "Watcher 1", "Watcher 2"]);
  });

  it("who want a seat are answered before anything else, by its holder first", async () => {
    const page = await load([person("a", { seat: 0 }), person("b")], { seat: 0, kept: 0 });
    expect(page.notice.value).toEqual({ kind: "kept", seat: 0 });
    const claims = [
      { by: "b", seat: 2 },
      { by: "b", seat: 0 },
    ] as const;
    const persons = [person("a", { seat: 0 }), person("b")];
    const asked = { persons, claims, host: "h", host_lost: true };
    page.show(update({ people: asked }, { seat: 0, kept: 0 }));
    expect(page.notice.value).toMatchObject({ kind: "claim", claim: { seat: 0 }, mine: true });
    page.show(update({ people: asked }, { seat: 1, role: "host" }));
    expect(page.notice.value).toMatchObject({ kind: "claim", claim: { seat: 2 }, mine: false });
    page.show(update({ people: asked }, { seat: 1 }));
    expect(page.notice.value).toEqual({ kind: "host_lost" });
  });

  it("get a seat from the table alone: a refusal says why and changes nothing", async () => {
    const page = await load([], { seat: null, role: "spectator" });
    const { refusal } = await import("../src/store/outbox");
    connect(() => refused(409, "error.seat_taken"));
    await page.takeSeat(1);
    expect(page.you.value.seat).toBeNull();
    expect(refusal.value?.words.key).toBe("error.seat_taken");
    const requests = connect(() => done(update({}, { seat: 1 })));
    await page.takeSeat(1);
    expect(requests[0]?.body).toEqual({ seat: 1, take_over: true });
    expect(page.you.value.seat).toBe(1);
    expect(refusal.value).toBeNull();
  });
});

describe("what is easily forgotten", () => {
  it("is shown to whom it concerns until it is ticked off, and again when the tick goes", async () => {
    const { openReminders, openTasks, tick } = await import("../src/store/reminders");
    const { show } = await import("../src/store/table");
    const words = { key: "close", args: {} };
    const reminder = (id: string, of: number | null) => ({
      id,
      sign: "heal",
      words,
      clause: null,
      seat: of,
      numbers: [],
    });
    const reminders = [reminder("a", 0), reminder("b", 1), reminder("c", null)];
    const task = { id: "h", sign: "hand", words, seat: null, note: null, why: [] };
    show(update({ game: game({ reminders, hands: [task] }) }));
    expect(openReminders().map((one) => one.id)).toEqual(["a", "c"]);
    tick("a");
    tick("h");
    expect(openReminders().map((one) => one.id)).toEqual(["c"]);
    expect(openTasks()).toEqual([]);
    tick("h", false);
    expect(openTasks()).toHaveLength(1);
  });
});

describe("an order", () => {
  it("is changed by moving one group; over either end it stays where the end is", () => {
    const order = ["heal", "ouch", "attack"] as const;
    expect(moved(order, 2, -1)).toEqual(["heal", "attack", "ouch"]);
    expect(moved(order, 0, 2)).toEqual(["ouch", "attack", "heal"]);
    expect(moved(order, 2, 5)).toEqual(order);
    expect(moved(order, 7, -1)).toEqual(order);
    expect(order).toEqual(["heal", "ouch", "attack"]);
  });
});

describe("a number set by hand", () => {
  it("is shown at once, sent as a correction, and the table's again once it has answered", async () => {
    const requests = connect(() => done({ rev: 8 }));
    const { dial, dialled, endDial } = await import("../src/store/looks");
    dial(1, "health", 7, []);
    expect(dialled.value).toBe(7);
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    expect(requests[0]?.body).toMatchObject({
      events: [{ type: "Corrected", numbers: [{ seat: 1, what: "health", value: 7 }] }],
    });
    endDial();
    expect(dialled.value).toBeNull();
  });

  it("that ends a game is sent only once somebody has said so", async () => {
    const requests = connect(() => done({ rev: 8 }));
    const { dial, dialAnyway, dialled, held, letBe } = await import("../src/store/looks");
    const drastic = [{ value: 0, outcomes: [{ key: "outcome.falls", args: { seat: 1 } }] }];
    dial(1, "health", 0, drastic);
    expect(held.value).toMatchObject({ seat: 1, what: "health", value: 0 });
    letBe();
    expect([held.value, dialled.value]).toEqual([null, null]);
    dialAnyway();
    dial(1, "health", 0, drastic);
    dialAnyway();
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    expect(requests[0]?.body).toMatchObject({
      events: [{ type: "Corrected", numbers: [{ seat: 1, what: "health", value: 0 }] }],
    });
    expect(held.value).toBeNull();
  });

  it("is typed as a whole number within its limit", async () => {
    const { typedNumber } = await import("../src/store/looks");
    expect(["7", " 12 ", "0", "999"].map((text) => typedNumber(text, null))).toEqual([
      7, 12, 0, 999,
    ]);
    expect(["", "-1", "1.5", "x", "1000", "1e2"].map((text) => typedNumber(text, null))).toEqual(
      Array(6).fill(null),
    );
    expect([typedNumber("10", 10), typedNumber("11", 10)]).toEqual([10, null]);
  });
});

describe("a photo", () => {
  it("that was read leads back to the camera's dice; one that cannot be loaded says so", async () => {
    const { readingPhoto, sendPhoto } = await import("../src/store/proposal");
    const { byHand, countByHand } = await import("../src/store/turn");
    const { refusal } = await import("../src/store/outbox");
    countByHand();
    connect(() => refused(422, "error.no_dice"));
    await sendPhoto(Promise.resolve(new Blob(["x"])));
    expect([byHand.value, refusal.value?.words.key]).toEqual([true, "error.no_dice"]);
    await sendPhoto(Promise.reject(new Error("no picture")));
    expect(refusal.value?.words.key).toBe("photo.unreadable");
    connect(() => NO_LINE);
    await sendPhoto(Promise.resolve(new Blob(["x"])));
    expect(refusal.value?.words.key).toBe("photo.silent");
    connect(() => done({}));
    const sending = sendPhoto(Promise.resolve(new Blob(["x"])));
    expect(readingPhoto.value).toBe(true);
    await sending;
    expect([byHand.value, readingPhoto.value]).toEqual([false, false]);
  });
});

describe("a value that is fetched at its first use", () => {
  it("is fetched once, and again only after it did not come", async () => {
    const { loadable } = await import("../src/store/api");
    const tries = [Promise.reject(NO_LINE), Promise.resolve("part"), Promise.resolve("other")];
    const load = vi.fn(() => tries[load.mock.calls.length - 1] ?? Promise.reject(NO_LINE));
    const value = loadable(load);
    expect(load).not.toHaveBeenCalled();
    expect(value.get()).toBeNull();
    value.fetch();
    expect(load).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(value.get()).toBe("part"));
    value.fetch();
    expect(value.get()).toBe("part");
    expect(load).toHaveBeenCalledTimes(2);
  });
});
