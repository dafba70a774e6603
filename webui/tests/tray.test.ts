/** Demo dice: which of them stay, what a tap throws, and when it can; a camera that was plugged in; the tray in words. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isTroubled, trayKey } from "../src/ui/tray-state";
import type { Face, Proposal, Question, Tray } from "../src/wire";
import { connect, done, type Reply, refused, settled } from "./transport";
import { die, game, proposal, question, tray, update } from "./views";

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  window.sessionStorage.clear();
  window.localStorage.clear();
});
afterEach(() => vi.useRealTimers());

async function load(reply: () => Reply = () => done({})) {
  const requests = connect(reply);
  const table = await import("../src/store/table");
  const turn = await import("../src/store/turn");
  const page = await import("../src/store/tray");
  const proposal = await import("../src/store/proposal");
  const { refusal } = await import("../src/store/outbox");
  turn.watchQuestions();
  proposal.watchTray();
  const show = (one: Question, part: Partial<Tray>) =>
    table.show(update({ game: game({ question: one }), tray: tray({ demo: true, ...part }) }));
  return { ...page, ...proposal, ...turn, refusal, requests, show };
}

/** Six dice side by side, `moved` pixels from where they were first. */
function lying(id: string, faces: readonly Face[], moved: readonly number[] = []): Proposal {
  const dice = faces.map((face, at) =>
    die(face, { box: [100 * at, 100 + (moved[at] ?? 0), 60, 60] }),
  );
  return proposal(dice, { id });
}

const FACES: readonly Face[] = ["attack", "attack", "heal", "energy", "ouch", "celebrity"];
const ROLL = question({ id: "q1" });

describe("demo dice that are kept", () => {
  it("stay in the throw, and are kept on while they lie where they lay", async () => {
    const page = await load();
    const first = lying("p1", FACES);
    page.show(ROLL, { proposal: first });
    for (const at of [1, 3, 3, 5]) page.toggleKept(first.dice[at] ?? die(null));
    expect(first.dice.map(page.isKept)).toEqual([false, true, false, false, false, true]);
    void page.throwDice();
    expect(page.requests[0]).toMatchObject({
      path: "/api/demo/throw",
      body: { proposal: "p1", keep: [1, 5] },
    });
    const again = lying("p2", ["heal", ...FACES.slice(1)], [200, 2, 200, 200, 200, -2]);
    page.show(ROLL, { proposal: again });
    expect(again.dice.map(page.isKept)).toEqual([false, true, false, false, false, true]);
    page.show({ ...ROLL, id: "q2" }, { proposal: again });
    expect(again.dice.some(page.isKept)).toBe(false);
  });

  it("are those not marked after a throw that was told, whatever their order", async () => {
    const page = await load();
    page.show(ROLL, { proposal: lying("p1", FACES) });
    const showing: Face[] = ["ouch", "attack", "attack", "heal", "energy", "celebrity"];
    const told = question({ id: "q2", showing, rethrow: [0, 1, 2, 3, 4, 5], counted: true });
    page.show(told, {});
    page.thrown.value = { 1: null, 4: null };
    void page.throwDice();
    expect(page.requests[0]?.body).toEqual({ proposal: "p1", keep: [0, 2, 4, 5] });
  });

  it("are none where nothing was read", async () => {
    const page = await load();
    page.show(ROLL, {});
    void page.throwDice();
    expect(page.requests[0]?.body).toEqual({ proposal: null, keep: [] });
  });
});

describe("a throw", () => {
  it("is offered again once the dice are read, or after a while", async () => {
    const page = await load();
    page.show(ROLL, {});
    expect(page.mayThrow.value).toBe(true);
    void page.throwDice();
    expect([page.isRolling.value, page.mayThrow.value]).toEqual([true, false]);
    page.show(ROLL, { proposal: lying("p1", FACES) });
    expect(page.mayThrow.value).toBe(true);
    void page.throwDice();
    expect(page.mayThrow.value).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(page.mayThrow.value).toBe(true);
  });

  it("is not offered while another phone's dice tumble, or without demo dice", async () => {
    const page = await load();
    page.show(ROLL, { state: "rolling" });
    expect(page.mayThrow.value).toBe(false);
    page.show(ROLL, { state: "settling" });
    expect(page.mayThrow.value).toBe(false);
    page.show(ROLL, { state: "read", demo: false });
    expect(page.mayThrow.value).toBe(false);
    page.show(ROLL, { camera: "starting" });
    expect(page.mayThrow.value).toBe(false);
  });

  it("that was refused is offered again, with the reason", async () => {
    const page = await load(() => refused(409, "error.no_roll_awaited"));
    page.show(ROLL, {});
    void page.throwDice();
    await settled();
    expect(page.mayThrow.value).toBe(true);
    expect(page.refusal.value?.words.key).toBe("error.no_roll_awaited");
  });

  it("of some dice again ends with the throws of the turn", async () => {
    const page = await load();
    const dice = lying("p1", FACES);
    page.show(ROLL, { proposal: dice });
    const left = (part: Partial<Question>, roll: number) =>
      page.hasThrowsLeft(question(part), { ...dice, roll });
    expect([left({}, 1), left({}, 2), left({}, 3), left({ left: 4 }, 3)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([left({ main: false }, 1), left({ counted: true }, 1)]).toEqual([false, false]);
  });
});

describe("dice that were read", () => {
  it.each([
    ["rolling", "rolling"],
    ["settling", "rolling"],
    ["taken", "rolling"],
    ["empty", "cleared"],
    ["hand", "unseen"],
    ["problem", "unseen"],
    ["read", null],
    ["unsure", null],
    ["count", null],
  ] as const)("in a tray that is %s: %s", async (state, unrest) => {
    const page = await load();
    page.show(ROLL, { state, demo: false, proposal: lying("p1", FACES) });
    expect(page.unrest.value).toBe(unrest);
  });

  it("are not seen while the camera is lost, unless a photo gave them", async () => {
    const page = await load();
    const read = lying("p1", FACES);
    page.show(ROLL, { camera: "lost", proposal: read });
    expect(page.unrest.value).toBe("unseen");
    page.show(ROLL, { camera: "lost", proposal: { ...read, photo: true } });
    expect(page.unrest.value).toBe(null);
    page.show(ROLL, { camera: "none", proposal: read });
    expect(page.unrest.value).toBe(null);
  });

  it("are of one of the turn's rolls, never of more than there are", async () => {
    const page = await load();
    const at = (roll: number, part: Partial<Question> = {}) =>
      page.rollOf(question(part), { ...lying("p1", FACES), roll });
    expect(at(1)).toEqual({ roll: 1, of: 3 });
    expect(at(5)).toEqual({ roll: 3, of: 3 });
    expect([at(1, { main: false }), at(1, { counted: true })]).toEqual([null, null]);
  });
});

describe("that sure dice apply by themselves", () => {
  const turn = async (page: Awaited<ReturnType<typeof load>>, applied = FACES) => {
    const { show } = await import("../src/store/table");
    const read = tray({ proposal: lying("p1", FACES) });
    show(update({ game: game({ question: ROLL }), tray: read }, { role: "host" }));
    show(update({ game: game({ last_roll: applied }), tray: tray() }, { role: "host" }));
    return page.offersFuse.value;
  };

  it("is offered to the host once, after three clean turns", async () => {
    const page = await load();
    const dice: readonly Face[] = ["heal", ...FACES.slice(1)];
    expect(await turn(page)).toBe(false);
    expect(await turn(page, dice)).toBe(false);
    expect([await turn(page), await turn(page), await turn(page)]).toEqual([false, false, true]);
    page.answerFuseOffer(true);
    expect(page.offersFuse.value).toBe(false);
    expect(page.requests[0]?.body).toMatchObject({
      events: [{ type: "PhoneFreeSet", fuse: true, tray_ends: false }],
    });
    vi.resetModules();
    const later = await load();
    for (let n = 0; n < 4; n += 1) expect(await turn(later)).toBe(false);
  });
});

describe("after a game with demo dice", () => {
  const ended = { reason: "stars", winners: [0], last: 1 };
  async function again(player: string) {
    const page = await load();
    const { setUpAgain } = await import("../src/store/games");
    const { show } = await import("../src/store/table");
    const now = game({ ended, seats: game().seats.map((one) => ({ ...one, player })) });
    show(update({ game: now, tray: tray({ demo: true }) }, { role: "host" }));
    setUpAgain(now);
    await settled();
    return page.requests.map(({ path, body }) => [path, body]);
  }

  it("another begins at once", async () => {
    expect(await again("")).toEqual([["/api/demo", { on: true }]]);
  });

  it("of players with names the next one is set up", async () => {
    expect((await again("Ana")).map(([path]) => path)).toEqual(["/api/commands"]);
  });
});

describe("a camera that was plugged in", () => {
  it("is offered to the host, until it is put off", async () => {
    const page = await load();
    const { show } = await import("../src/store/table");
    const found = { game: game(), tray: tray({ found: "C920" }) };
    show(update(found));
    expect(page.foundCamera.value).toBe("");
    show(update(found, { role: "host" }));
    expect(page.foundCamera.value).toBe("C920");
    page.putCameraOff();
    expect(page.foundCamera.value).toBe("");
    show(update({ ...found, tray: tray({ found: "Brio" }) }, { role: "host" }));
    expect(page.foundCamera.value).toBe("Brio");
  });
});

describe("what the tray is called, on phones and televisions", () => {
  it("is no trouble while dice lie in it that are not proposed", () => {
    const lying = tray({ state: "unsure" });
    expect([trayKey(lying), isTroubled(lying)]).toEqual(["tray.known", false]);
    const read = { ...lying, proposal: proposal([die("heal")], { id: "p1" }) };
    expect([trayKey(read), isTroubled(read)]).toEqual(["tray.unsure", true]);
    const fresh = { ...lying, known: 2 };
    expect([trayKey(fresh), isTroubled(fresh)]).toEqual(["tray.learning", false]);
  });
});
