/** One stream for all tabs of a browser: whole views by it, opened again for ever. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, done, NO_LINE, refused, type Table } from "./transport";
import { update } from "./views";

/** The browser's side of a stream: the test says what comes by it. */
class Source extends EventTarget {
  static all: Source[] = [];
  closed = false;

  constructor(readonly url: string) {
    super();
    Source.all.push(this);
  }

  close(): void {
    this.closed = true;
  }

  say(name: string, data = ""): void {
    this.dispatchEvent(new MessageEvent(name, { data }));
  }
}

/** Tabs hear each other, and not themselves. */
class Channel extends EventTarget {
  static all: Channel[] = [];

  constructor() {
    super();
    Channel.all.push(this);
  }

  postMessage(data: unknown): void {
    for (const other of Channel.all) {
      if (other !== this) other.dispatchEvent(new MessageEvent("message", { data }));
    }
  }
}

function open(): Source[] {
  return Source.all.filter((one) => !one.closed);
}

/** A tab with its stream, as soon as it has the first view. */
async function tab() {
  vi.resetModules();
  const stream = await import("../src/store/stream");
  const table = await import("../src/store/table");
  stream.listen();
  await vi.advanceTimersByTimeAsync(0);
  return { ...stream, ...table };
}

const STATE: Table = () => done(update({ rev: 1 }));

beforeEach(() => {
  vi.useFakeTimers();
  Source.all = [];
  Channel.all = [];
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("BroadcastChannel", Channel);
});

afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
});

describe("a stream", () => {
  it("opens after the newest view is there, and brings those that follow", async () => {
    const requests = connect(STATE);
    const page = await tab();
    expect(requests.map((one) => one.path)).toEqual(["/api/state"]);
    expect([page.view.value?.rev, page.line.value]).toEqual([1, "live"]);
    open()[0]?.say("message", JSON.stringify(update({ rev: 2 })));
    expect(page.view.value?.rev).toBe(2);
  });

  it("that breaks is opened again, with a fresh view first; short gaps are not worth a word", async () => {
    const requests = connect(STATE);
    const page = await tab();
    open()[0]?.say("error");
    expect(open()).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(500);
    expect(requests).toHaveLength(2);
    expect(open()).toHaveLength(1);
    expect(page.line.value).toBe("live");
  });

  it("that cannot be opened is tried for ever, more rarely after two minutes, and the page says so", async () => {
    connect(STATE);
    const page = await tab();
    const requests = connect(() => NO_LINE);
    open()[0]?.say("error");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(page.line.value).toBe("lost");
    await vi.advanceTimersByTimeAsync(120_000);
    const early = requests.length;
    await vi.advanceTimersByTimeAsync(60_000);
    const later = requests.length - early;
    expect(later).toBeGreaterThanOrEqual(4);
    expect(later).toBeLessThanOrEqual(13);
    connect(STATE);
    await vi.advanceTimersByTimeAsync(15_000);
    expect([page.line.value, open().length]).toEqual(["live", 1]);
  });

  it("of a television is tried again within a second, then every few seconds", async () => {
    const { makeSource, TV_WAIT_MS } = await import("../src/store/source");
    let tries = 0;
    const begin = () => {
      tries += 1;
      source.again();
    };
    const source = makeSource({ path: "/api/tv/stream", on: {}, begin, longest: TV_WAIT_MS });
    source.again();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(tries).toBeGreaterThanOrEqual(1);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(tries).toBeGreaterThanOrEqual(8);
    expect(tries).toBeLessThanOrEqual(25);
    source.close();
  });

  it("may take its time to bring the first message", async () => {
    vi.resetModules();
    const { makeSource } = await import("../src/store/source");
    const begin = () => undefined;
    const source = makeSource({ path: "/api/tv/stream", on: {}, begin });
    source.open();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(open()).toHaveLength(1);
    source.close();
  });

  it("is open within a second of the service's return, for two minutes", async () => {
    connect(STATE);
    const page = await tab();
    for (const away of [2_000, 30_000, 110_000]) {
      connect(() => NO_LINE);
      open()[0]?.say("error");
      await vi.advanceTimersByTimeAsync(away);
      connect(STATE);
      await vi.advanceTimersByTimeAsync(1_000);
      expect([page.line.value, open().length]).toEqual(["live", 1]);
      open()[0]?.say("beat");
    }
  });

  it("that the service has no time for is asked for later, by the same phone", async () => {
    connect(STATE);
    const page = await tab();
    const requests = connect(() => refused(429, "error.too_many_requests"));
    open()[0]?.say("error");
    await vi.advanceTimersByTimeAsync(1_000);
    expect([page.stranger.value, page.view.value?.rev]).toEqual([false, 1]);
    await vi.advanceTimersByTimeAsync(13_000);
    expect(requests).toHaveLength(1);
    connect(STATE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([page.line.value, open().length]).toEqual(["live", 1]);
  });

  it("that is silent for too long is taken for dead", async () => {
    const requests = connect(STATE);
    await tab();
    const [first] = open();
    await vi.advanceTimersByTimeAsync(20_000);
    first?.say("beat");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(first?.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(first?.closed).toBe(true);
    expect(requests.length).toBeGreaterThan(1);
  });

  it("of a browser that the table does not know ends, and asks for a code", async () => {
    connect(STATE);
    const page = await tab();
    open()[0]?.say("stranger");
    expect([page.stranger.value, page.update.value, open().length]).toEqual([true, null, 0]);
  });

  it("is not opened for a stranger", async () => {
    connect(() => done(update({}, { role: "stranger" })));
    const page = await tab();
    expect([page.stranger.value, Source.all.length]).toEqual([true, 0]);
  });

  it("that was closed changes nothing any more", async () => {
    connect(STATE);
    const page = await tab();
    const [first] = open();
    first?.say("error");
    await vi.advanceTimersByTimeAsync(500);
    first?.say("message", JSON.stringify(update({ rev: 99 })));
    expect(page.view.value?.rev).toBe(1);
  });
});

describe("a second tab", () => {
  it("takes the stream over; the first one hears from it what comes", async () => {
    connect(STATE);
    const first = await tab();
    const second = await tab();
    expect(Source.all.map((one) => one.closed)).toEqual([true, false]);
    open()[0]?.say("message", JSON.stringify(update({ rev: 5 })));
    expect([first.view.value?.rev, second.view.value?.rev]).toEqual([5, 5]);
    expect([first.line.value, second.line.value]).toEqual(["live", "live"]);
  });

  it("that falls silent leaves the first one to open a stream of its own", async () => {
    connect(STATE);
    await tab();
    await tab();
    const [stream] = open();
    Channel.all.pop();
    expect(stream?.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(Source.all.length).toBeGreaterThan(2);
  });
});
