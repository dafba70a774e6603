/** Commands on their way: none lost, none sent twice as another, none after a refusal that concerns them. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Command } from "../src/wire";
import { connect, done, NO_LINE, type Reply, refused, settled, type Table } from "./transport";
import { game, question, update } from "./views";

const KEY = "monster-table.outbox";
const LABEL = { key: "act.put_off", args: {} };
const PUT_OFF = [{ type: "PutOff" as const }];
const SWEEP = [{ type: "Chosen" as const, seat: 0, option: "sweep" }];
const UNDO = [{ type: "Undone" as const, seq: 4 }];

/** The page as it is after a load: what was kept is there, nothing else. */
async function load() {
  vi.resetModules();
  const outbox = await import("../src/store/outbox");
  const table = await import("../src/store/table");
  return { ...outbox, ...table };
}

function commands(
  requests: readonly { readonly path: string; readonly body: unknown }[],
): Command[] {
  return requests.filter((one) => one.path === "/api/commands").map((one) => one.body as Command);
}

/** Answers one after the other; the last one for ever. */
function inTurn(...replies: (Reply | Error)[]): Table {
  let at = 0;
  return () => {
    const reply = replies[Math.min(at, replies.length - 1)];
    at += 1;
    return reply ?? NO_LINE;
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  window.sessionStorage.clear();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a command", () => {
  it("is sent with a fresh id, the revision that was seen and the table it is for", async () => {
    const requests = connect(() => done({ rev: 8 }));
    const page = await load();
    page.show(update({ rev: 7, table: "t1" }));
    page.send(LABEL, PUT_OFF);
    page.send(LABEL, PUT_OFF, "p9");
    await settled();
    const [first, second] = commands(requests);
    expect(first).toMatchObject({ base_rev: 7, table: "t1", events: PUT_OFF, proposal_id: null });
    expect(first?.command_id).toMatch(/^[0-9a-f]{32}$/);
    expect(second?.command_id).not.toBe(first?.command_id);
    expect(second?.proposal_id).toBe("p9");
    expect(requests[0]?.headers.get("X-Monster-Table")).toBe("1");
    expect(page.pendingCommands.value).toEqual([]);
  });

  it("that was applied can be offered to be taken back, and dismissed", async () => {
    connect(() => done({ rev: 8 }));
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    await settled();
    expect(page.done.value).toMatchObject({ rev: 8, table: "t1", undid: false });
    page.dismiss();
    expect(page.done.value).toBeNull();
    page.send(LABEL, UNDO);
    await settled();
    expect(page.done.value?.undid).toBe(true);
  });

  it("without a line is kept, and tried again under the same id", async () => {
    const requests = connect(inTurn(NO_LINE, NO_LINE, done({ rev: 8 })));
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    await settled();
    expect(page.pendingCommands.value).toHaveLength(1);
    expect(page.failing.value).toBe(true);
    await vi.advanceTimersByTimeAsync(2_100);
    expect(page.pendingCommands.value).toEqual([]);
    expect(page.failing.value).toBe(false);
    expect(new Set(commands(requests).map((one) => one.command_id)).size).toBe(1);
    expect(requests).toHaveLength(3);
  });

  it("is kept on a fault of the table's own, and where the table has no time", async () => {
    for (const reply of [{ status: 503, body: "" }, refused(429, "error.too_many_requests")]) {
      connect(inTurn(reply, done({ rev: 8 })));
      const page = await load();
      page.show(update());
      page.send(LABEL, PUT_OFF);
      await settled();
      expect(page.pendingCommands.value).toHaveLength(1);
      expect(page.failing.value).toBe(true);
      expect(page.refusal.value).toBeNull();
      await vi.advanceTimersByTimeAsync(1_100);
      expect(page.pendingCommands.value).toEqual([]);
    }
  });

  it("that the table would break on again is dropped with what follows, and the page says so", async () => {
    const requests = connect(() => ({ status: 500, body: "" }));
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    page.send(LABEL, SWEEP);
    await settled();
    expect(page.pendingCommands.value).toEqual([]);
    expect(page.failing.value).toBe(false);
    expect(page.refusal.value?.words.key).toBe("error.internal");
    expect(requests).toHaveLength(1);
  });

  it("tapped twice before the page shows what it did is sent once", async () => {
    const requests = connect(() => done({ rev: 8 }));
    const page = await load();
    page.show(update({ rev: 7 }));
    const first = page.send(LABEL, SWEEP);
    expect(page.send(LABEL, SWEEP)).toBe(first);
    await settled();
    expect(page.behind.value).toBe(true);
    expect(page.send(LABEL, SWEEP)).toBe(first);
    page.show(update({ rev: 8 }));
    expect(page.behind.value).toBe(false);
    expect(page.send(LABEL, SWEEP)).not.toBe(first);
    await settled();
    expect(commands(requests)).toHaveLength(2);
  });

  it("that is the same for the next question is another one", async () => {
    connect(() => new Promise(() => undefined));
    const page = await load();
    page.show(update({ rev: 7, game: game({ question: question({ id: "q1" }) }) }));
    const first = page.send(LABEL, SWEEP);
    page.show(update({ rev: 8, game: game({ question: question({ id: "q2" }) }) }));
    expect(page.send(LABEL, SWEEP)).not.toBe(first);
  });

  it("that was dropped can be sent again, though another is on its way", async () => {
    connect(() => NO_LINE);
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    const second = page.send(LABEL, SWEEP);
    page.discard(second);
    expect(page.send(LABEL, SWEEP)).not.toBe(second);
  });

  it("that is answered late is tried again, and the table is not said to be gone", async () => {
    const requests = connect(() => new Promise(() => undefined));
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(page.pendingCommands.value).toHaveLength(1);
    expect(page.failing.value).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(requests).toHaveLength(2);
  });

  it("outlives a reload of the page, and goes when there is a line again", async () => {
    connect(() => NO_LINE);
    const before = await load();
    before.show(update());
    before.send(LABEL, PUT_OFF);
    await settled();
    const id = before.pendingCommands.value[0]?.command.command_id;
    vi.clearAllTimers();

    const requests = connect(() => done({ rev: 8 }));
    const after = await load();
    expect(after.pendingCommands.value).toHaveLength(1);
    after.watchLine();
    await settled();
    expect(requests).toEqual([]);
    after.line.value = "live";
    await settled();
    expect(commands(requests).map((one) => one.command_id)).toEqual([id]);
    expect(window.sessionStorage.getItem(KEY)).toBe("[]");
  });

  it("of another tab is not sent by this one", async () => {
    window.localStorage.setItem(KEY, JSON.stringify([{ command: {}, label: LABEL, since: 0 }]));
    const requests = connect(() => done({ rev: 8 }));
    const page = await load();
    expect(page.pendingCommands.value).toEqual([]);
    await page.flush();
    expect(requests).toEqual([]);
    window.localStorage.clear();
  });

  it("that was kept damaged is forgotten, and the page works", async () => {
    window.sessionStorage.setItem(KEY, "[{");
    connect(() => done({ rev: 8 }));
    const page = await load();
    expect(page.pendingCommands.value).toEqual([]);
  });
});

describe("a refusal", () => {
  it("is shown, drops that command alone, and goes with the next act", async () => {
    const requests = connect(inTurn(refused(422, "error.not_now"), done({ rev: 8 })));
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    page.send(LABEL, SWEEP);
    await settled();
    expect(page.refusal.value?.words.key).toBe("error.not_now");
    expect(commands(requests)).toHaveLength(2);
    expect(page.pendingCommands.value).toEqual([]);
    page.send(LABEL, PUT_OFF);
    expect(page.refusal.value).toBeNull();
  });

  it("because the table went on drops what was tapped after it, and shows the fresh view", async () => {
    const requests = connect(() => refused(409, "error.stale", update({ rev: 12 })));
    const page = await load();
    page.show(update({ rev: 7 }));
    page.send(LABEL, PUT_OFF);
    page.send(LABEL, PUT_OFF);
    await settled();
    expect(commands(requests)).toHaveLength(1);
    expect(page.pendingCommands.value).toEqual([]);
    expect(page.view.value?.rev).toBe(12);
  });

  it("that is no JSON still has words", async () => {
    connect(() => ({ status: 418, body: "<html>" }));
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    await settled();
    expect(page.refusal.value?.words).toEqual({ key: "error.unknown", args: { status: 418 } });
  });
});

describe("commands that wait", () => {
  it("go one at a time, oldest first, the later for the table after the earlier", async () => {
    let release: (reply: Reply) => void = () => undefined;
    const requests = connect(() => new Promise((resolve) => (release = resolve)));
    const page = await load();
    page.show(update({ rev: 7 }));
    page.send(LABEL, PUT_OFF);
    page.send(LABEL, SWEEP);
    await settled();
    expect(commands(requests)).toHaveLength(1);
    release(done({ rev: 9 }));
    await settled();
    expect(commands(requests).map((one) => one.base_rev)).toEqual([7, 9]);
    release(done({ rev: 10 }));
  });

  it("undo only what was seen: the answer before does not move them", async () => {
    const requests = connect(inTurn(done({ rev: 9 }), refused(409)));
    const page = await load();
    page.show(update({ rev: 7 }));
    page.send(LABEL, PUT_OFF);
    page.send(LABEL, UNDO);
    await settled();
    expect(commands(requests).map((one) => one.base_rev)).toEqual([7, 7]);
  });

  it("can be given up one by one", async () => {
    connect(() => NO_LINE);
    const page = await load();
    page.show(update());
    page.send(LABEL, PUT_OFF);
    page.send({ key: "act.undo", args: {} }, SWEEP);
    await settled();
    const [first, second] = page.pendingCommands.value;
    page.discard(first?.command.command_id ?? "");
    expect(page.pendingCommands.value).toEqual([second]);
    page.discard("unknown");
    expect(page.pendingCommands.value).toEqual([second]);
  });
});

describe("right after an answer", () => {
  it("a command is for the table after it, though the view is still to come; later it is not", async () => {
    const requests = connect(() => done({ rev: 9 }));
    const page = await load();
    page.show(update({ rev: 7 }));
    page.send(LABEL, PUT_OFF);
    await settled();
    page.send(LABEL, SWEEP);
    await settled();
    await vi.advanceTimersByTimeAsync(3_000);
    page.send(LABEL, PUT_OFF);
    await settled();
    expect(commands(requests).map((one) => one.base_rev)).toEqual([7, 9, 7]);
  });

  it("an undo is for the table that is seen", async () => {
    const requests = connect(() => done({ rev: 9 }));
    const page = await load();
    page.show(update({ rev: 7 }));
    page.send(LABEL, PUT_OFF);
    await settled();
    page.send(LABEL, UNDO);
    await settled();
    expect(commands(requests).map((one) => one.base_rev)).toEqual([7, 7]);
  });

  it("of another table, a command is for the table that is seen", async () => {
    const requests = connect(() => done({ rev: 9 }));
    const page = await load();
    page.show(update({ rev: 7, table: "t1" }));
    page.send(LABEL, PUT_OFF);
    await settled();
    page.show(update({ rev: 1, table: "t2" }));
    page.send(LABEL, PUT_OFF);
    await settled();
    expect(commands(requests)[1]).toMatchObject({ base_rev: 1, table: "t2" });
  });
});
