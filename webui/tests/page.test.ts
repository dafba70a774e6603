/** Where the phone looks, what comes to the front by itself, and what it remembers. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { You } from "../src/wire";
import { connect, done, NO_LINE, settled } from "./transport";
import { game, question, update } from "./views";

async function load() {
  vi.resetModules();
  const route = await import("../src/store/route");
  const front = await import("../src/store/front");
  const table = await import("../src/store/table");
  const outbox = await import("../src/store/outbox");
  return { ...route, ...front, ...table, ...outbox };
}

/** The browser's back button: the state of the step before is there, then it is said. */
function back(): void {
  window.history.replaceState(null, "");
  window.dispatchEvent(new PopStateEvent("popstate", { state: null }));
}

beforeEach(() => {
  window.history.replaceState(null, "");
  vi.useFakeTimers();
  window.sessionStorage.clear();
  window.localStorage.clear();
  document.body.innerHTML = "";
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a sheet", () => {
  it("opens with one step of history, however many follow it", async () => {
    const page = await load();
    const before = window.history.length;
    page.openSheet({ kind: "qr" });
    page.openSheet({ kind: "people" });
    expect(page.sheet.value).toEqual({ kind: "people" });
    expect(window.history.length).toBe(before + 1);
    page.closeSheet();
    page.openSheet({ kind: "qr" });
    expect(window.history.length).toBe(before + 1);
  });

  it("is closed by the phone's own way back", async () => {
    const page = await load();
    page.watchHistory(
      () => false,
      () => undefined,
    );
    page.openSheet({ kind: "qr" });
    back();
    expect(page.sheet.value).toBeNull();
  });

  it("that is closed gives the focus back to what opened it, where that is still there", async () => {
    document.body.innerHTML = "<button id='a'></button><button id='b'></button>";
    const [opener, other] = document.querySelectorAll("button");
    const page = await load();
    opener?.focus();
    page.openSheet({ kind: "qr" });
    other?.focus();
    page.closeSheet();
    await settled();
    expect(document.activeElement).toBe(opener);
    page.openSheet({ kind: "qr" });
    opener?.remove();
    page.closeSheet();
    await settled();
    expect(document.activeElement).not.toBe(opener);
  });

  it("is left by a tap on a tab", async () => {
    const page = await load();
    page.openSheet({ kind: "clause", id: "NY-6.2" });
    page.go("log");
    expect([page.tab.value, page.sheet.value]).toEqual(["log", null]);
  });
});

describe("the way back", () => {
  async function walked(covers = 0) {
    const page = await load();
    let left = 0;
    let covered = covers;
    page.watchHistory(
      () => covered-- > 0,
      () => {
        left += 1;
      },
    );
    window.dispatchEvent(new Event("click"));
    return { page, leaves: () => left };
  }

  it("leads over the tabs to the Monster, then says that the next one leaves", async () => {
    const { page, leaves } = await walked();
    page.go("table");
    page.go("log");
    page.go("log");
    back();
    expect([page.tab.value, leaves()]).toEqual(["table", 0]);
    back();
    expect([page.tab.value, leaves()]).toEqual(["monster", 0]);
    back();
    expect([page.tab.value, leaves()]).toEqual(["monster", 1]);
  });

  it("keeps a step of history as long as something was closed, and none after", async () => {
    const { page } = await walked();
    page.go("more");
    back();
    expect(window.history.state).toEqual({ guard: true });
    back();
    expect(window.history.state).toBeNull();
    window.dispatchEvent(new Event("click"));
    expect(window.history.state).toEqual({ guard: true });
  });

  it("forgets tabs from before the Monster was looked at", async () => {
    const { page, leaves } = await walked();
    page.go("log");
    page.go("monster");
    back();
    expect([page.tab.value, leaves()]).toEqual(["monster", 1]);
  });

  it("closes what covers the page first", async () => {
    const { page, leaves } = await walked(1);
    page.go("log");
    page.openSheet({ kind: "qr" });
    back();
    expect([page.tab.value, page.sheet.value?.kind]).toEqual(["log", "qr"]);
    back();
    expect([page.tab.value, page.sheet.value]).toEqual(["log", null]);
    back();
    expect([page.tab.value, leaves()]).toEqual(["monster", 0]);
  });

  it("does nothing on the way forward", async () => {
    const { page } = await walked();
    page.go("log");
    window.dispatchEvent(new PopStateEvent("popstate", { state: { guard: true } }));
    expect(page.tab.value).toBe("log");
  });
});

describe("a question", () => {
  const asks = (id: string, who: Partial<You> = {}) =>
    update({ game: game({ question: question({ id }) }) }, who);

  it("comes to the front, and what is tapped just then does not count", async () => {
    const page = await load();
    page.watchFront();
    page.show(update());
    page.go("log");
    page.openSheet({ kind: "qr" });
    page.show(asks("q1"));
    expect([page.tab.value, page.sheet.value]).toEqual(["monster", null]);
    expect(page.settling.value).toBe(true);
    await vi.advanceTimersByTimeAsync(349);
    expect(page.settling.value).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.settling.value).toBe(false);
  });

  it("comes once: who goes elsewhere stays there while it is open", async () => {
    const page = await load();
    page.watchFront();
    page.show(asks("q1"));
    page.go("table");
    page.show(asks("q1"));
    expect(page.tab.value).toBe("table");
    page.show(asks("q2"));
    expect(page.tab.value).toBe("monster");
  });

  it("for somebody else leaves this phone where it is", async () => {
    const page = await load();
    page.watchFront();
    page.go("table");
    page.show(asks("q1", { seat: 2 }));
    page.show(asks("q2", { seat: null, role: "spectator" }));
    expect([page.tab.value, page.settling.value]).toEqual(["table", false]);
  });

  it("that this phone's own act led to waits where that was done", async () => {
    connect(() => done({ rev: 8 }));
    const page = await load();
    page.watchFront();
    page.show(update({ rev: 7 }));
    page.go("log");
    page.send({ key: "act.undo", args: {} }, [{ type: "Undone", seq: 3 }]);
    await settled();
    page.show({ ...asks("q1"), view: { ...asks("q1").view, rev: 8 } });
    expect(page.tab.value).toBe("log");
  });

  it("ends the choice of a seat, and the look at the score of a game before", async () => {
    const page = await load();
    const { score } = await import("../src/store/games");
    page.watchFront();
    page.show(update());
    page.seatPicking.value = true;
    score.value = game();
    page.show(asks("q1"));
    expect([page.seatPicking.value, score.value]).toEqual([false, null]);
  });
});

describe("attention", () => {
  it("is called by the page's title while this phone is asked, and for no longer", async () => {
    const page = await load();
    const { watchAttention } = await import("../src/store/front");
    watchAttention();
    page.show(update({ game: game({ question: question() }) }));
    expect(document.title).toMatch(/^●/);
    page.show(update());
    expect(document.title).toBe("Monster Table");
    page.show(update({ game: game({ question: question({ seat: 1 }) }) }));
    expect(document.title).toBe("Monster Table");
  });
});

describe("choices of this phone", () => {
  function prefs() {
    vi.resetModules();
    return import("../src/store/prefs");
  }

  it("are kept over a reload", async () => {
    const before = await prefs();
    before.setPrefs({ theme: "paper", sound: false });
    const { prefs: after } = await prefs();
    expect(after.value).toMatchObject({ theme: "paper", sound: false, vibrate: true });
  });

  it.each([
    ["broken off", '{"theme": "pa'],
    ["of unknown values", '{"theme": "pink", "language": "xx", "sound": "drum"}'],
    ["of other kinds", '{"theme": 3, "language": null, "sound": 1}'],
  ])("%s are the usual ones", async (_, kept) => {
    window.localStorage.setItem("monster-table.prefs", kept);
    const { prefs: now } = await prefs();
    expect(now.value).toMatchObject({ theme: "auto", language: "en", sound: true, vibrate: true });
  });

  it("start in the first language of the phone that the app speaks", async () => {
    vi.spyOn(navigator, "languages", "get").mockReturnValue(["de-CH", "FR-ch", "es"]);
    const { prefs: now } = await prefs();
    expect(now.value.language).toBe("fr");
  });

  it("hold as long as the page where nothing may be kept", async () => {
    const page = await prefs();
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    page.setPrefs({ theme: "black" });
    expect(page.prefs.value.theme).toBe("black");
  });
});

describe("old numbers", () => {
  it("are looked at until the line is back", async () => {
    const page = await load();
    const { showStale, showStaleNumbers, watchStale } = await import("../src/store/front");
    watchStale();
    page.line.value = "lost";
    showStaleNumbers();
    expect(showStale.value).toBe(true);
    page.line.value = "live";
    expect(showStale.value).toBe(false);
  });
});

describe("the way in", () => {
  it("takes the token out of the link once, and wipes it from the address", async () => {
    const requests = connect(({ path }) => (path === "/api/join" ? done(update()) : NO_LINE));
    await load();
    const { joinByLink } = await import("../src/store/stream");
    window.history.replaceState(null, "", "/j#s3cret");
    await joinByLink();
    expect(requests[0]).toMatchObject({ path: "/api/join", body: { token: "s3cret", code: null } });
    expect(window.location.pathname + window.location.hash).toBe("/");
    const count = requests.length;
    await joinByLink();
    expect(requests).toHaveLength(count);
  });

  it("says why a code was refused, and that nobody answered", async () => {
    const page = await load();
    const { join, joining } = await import("../src/store/stream");
    connect(() => ({
      status: 403,
      body: { error: { key: "error.code", args: {} }, update: null },
    }));
    const first = join({ token: null, code: "ABC234" });
    expect(joining.value).toBe(true);
    await first;
    expect(joining.value).toBe(false);
    expect(page.refusal.value?.words.key).toBe("error.code");
    connect(() => NO_LINE);
    await join({ token: null, code: "ABC234" });
    expect(page.refusal.value?.words.key).toBe("join.silent");
  });
});
