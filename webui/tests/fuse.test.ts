/** The fuse: any touch asks the service once to put it out, and what the tray did is noticed once. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fuse, View } from "../src/wire";
import { connect, done, NO_LINE, settled, type Table } from "./transport";
import { game, row, tray, update } from "./views";

const FUSE: Fuse = { id: "tray-1", kind: "apply", seat: 0, seconds: 3, left_s: 3 };

/** The pages of earlier tests hear touches too: none of them has a fuse then. */
let leave = () => {};

async function load(table: Table) {
  vi.resetModules();
  const fuse = await import("../src/store/tray");
  const store = await import("../src/store/table");
  const requests = connect(table);
  store.line.value = "live";
  fuse.watchFuse();
  leave = () => {
    store.line.value = "lost";
  };
  return { ...fuse, ...store, requests };
}

function lit(fuse: Fuse | null = FUSE) {
  return update({ game: game(), tray: tray({ fuse }) });
}

const touch = (kind = "pointerdown") => window.dispatchEvent(new Event(kind));

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  leave();
  vi.useRealTimers();
});

describe("a touch", () => {
  it.each(["pointerdown", "keydown"])(
    "puts the fuse out, with one request however often: %s",
    async (kind) => {
      const page = await load(() => done(lit(null)));
      page.show(lit());
      touch(kind);
      touch(kind);
      await settled();
      expect(page.requests.map((one) => [one.path, one.body])).toEqual([
        ["/api/fuse", { id: "tray-1" }],
      ]);
      expect(page.burning.value).toBeNull();
    },
  );

  it("asks again where the service did not hear the first one", async () => {
    const page = await load(() => NO_LINE);
    page.show(lit());
    touch();
    await settled();
    touch();
    await settled();
    expect(page.requests.length).toBe(2);
  });

  it("asks nothing where no fuse burns, or there is no line", async () => {
    const page = await load(() => done(lit(null)));
    touch();
    page.show(lit(null));
    touch();
    page.show(lit());
    page.line.value = "lost";
    expect(page.burning.value).toBeNull();
    touch();
    await settled();
    expect(page.requests).toEqual([]);
  });
});

describe("what the tray did", () => {
  it("is noticed when its row comes, not when an old one is first seen", async () => {
    const page = await load(() => done(lit(null)));
    const undo = { seq: 6 } as View["undo"];
    page.show(update({ rev: 4, undo, log: [row(4, { tray: true })] }));
    expect(page.burnt.value).toBeNull();
    page.show(update({ rev: 5, log: [row(4, { tray: true }), row(5)] }));
    expect(page.burnt.value).toBeNull();
    page.show(update({ rev: 6, undo, log: [row(5), row(6, { tray: true })] }));
    expect(page.burnt.value?.rev).toBe(6);
    page.forgetBurnt();
    page.show(update({ rev: 6, undo, log: [row(5), row(6, { tray: true })] }));
    expect(page.burnt.value).toBeNull();
  });

  it("is not said of what somebody did after it, while this phone slept", async () => {
    const page = await load(() => done(lit(null)));
    page.show(update({ rev: 4, log: [row(4)] }));
    const undo = { seq: 6 } as View["undo"];
    page.show(update({ rev: 6, undo, log: [row(4), row(5, { tray: true }), row(6)] }));
    expect(page.burnt.value).toBeNull();
  });

  it("is not that of another table", async () => {
    const page = await load(() => done(lit(null)));
    page.show(update({ rev: 1, log: [row(1)] }));
    page.show(update({ table: "t2", rev: 9, log: [row(9, { tray: true })] }));
    expect(page.burnt.value).toBeNull();
  });
});
