/** A screen that stays on, and prompts read aloud: what is started ends, and nothing is said twice. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { game, update } from "./views";

beforeEach(() => {
  vi.resetModules();
  vi.unstubAllGlobals();
  window.localStorage.clear();
});

const tap = () => window.dispatchEvent(new Event("click"));

describe("the wake lock", () => {
  it("is asked for once, and given back where it comes after the game", async () => {
    const release = vi.fn(async () => undefined);
    const waiting: ((lock: unknown) => void)[] = [];
    const request = vi.fn(() => new Promise((resolve) => waiting.push(resolve)));
    vi.stubGlobal("navigator", { language: "en", wakeLock: { request } });
    const page = await import("../src/store/aloud");
    const { show } = await import("../src/store/table");
    show(update({ game: game() }));
    page.watchAwake();
    tap();
    tap();
    expect(request).toHaveBeenCalledTimes(1);
    show(update({ game: null }));
    waiting[0]?.({ release, addEventListener: () => undefined });
    await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1));
    expect(page.awake.value).toBe("off");
  });
});

describe("the film", () => {
  it("leaves nothing running where this browser cannot make it", async () => {
    vi.stubGlobal("navigator", { language: "en" });
    const intervals = vi.spyOn(window, "setInterval");
    const page = await import("../src/store/aloud");
    const { show } = await import("../src/store/table");
    show(update({ game: game() }));
    page.watchAwake();
    tap();
    tap();
    expect(page.awake.value).toBe("none");
    expect(intervals).not.toHaveBeenCalled();
  });
});

describe("the voice", () => {
  it("says news once, whatever is set on this phone afterwards", async () => {
    const speak = vi.fn();
    const speechSynthesis = { speak, cancel: () => undefined, getVoices: () => [] };
    vi.stubGlobal("speechSynthesis", speechSynthesis);
    vi.stubGlobal(
      "SpeechSynthesisUtterance",
      class {
        constructor(readonly text: string) {}
      },
    );
    const { setPrefs } = await import("../src/store/prefs");
    const { announced, watchVoice } = await import("../src/store/aloud");
    setPrefs({ voice: true });
    watchVoice();
    announced.value = { hurt: "Ben hit you for 2", other: "" };
    expect(speak).toHaveBeenCalledTimes(1);
    setPrefs({ theme: "paper" });
    expect(speak).toHaveBeenCalledTimes(1);
  });
});
