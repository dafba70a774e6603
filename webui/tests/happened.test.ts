/** What happened: sentences with clauses, lines of the log, announcements, and reminders that go quiet. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LogRow, NewsLine, Reminder } from "../src/wire";
import { connect } from "./transport";
import { game, question, row, tray, update } from "./views";

type Language = "en" | "es" | "fr" | "is";

async function load(language: Language = "en") {
  vi.resetModules();
  connect(() => ({ status: 200, body: readFileSync(`locales/${language}.json`, "utf8") }));
  const { setPrefs } = await import("../src/store/prefs");
  const words = await import("../src/store/words");
  const table = await import("../src/store/table");
  setPrefs({ language });
  await words.loadWords(language);
  table.show(update());
  return { ...words, ...table };
}

beforeEach(() => {
  window.localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  window.localStorage.clear();
});

const HIT = { key: "happened.hit.1", args: { by: 1, seat: 2, count: 2 } };
const clause = (key: string, change: string, args = {}) => ({ words: { key, args }, change });

function came(part: Partial<NewsLine> = {}): NewsLine {
  const plain = { sign: "attack", words: HIT, why: [], changes: [], hurt: [], act: 1, step: 0 };
  return { ...plain, turn: 1, active: 0, ...part };
}

describe("a sentence with clauses", () => {
  const why = [
    clause("because.attack", "2"),
    clause("why.card", "1", { card: "spiked_tail" }),
    clause("because.token", "−1", { token: "shrink" }),
  ];

  it("says what led to it, each with its share", async () => {
    const { explained } = await load();
    const found = explained({ words: HIT, why });
    expect(found).toBe("Björk hit Chloé for 2: Attack 2, spiked tail 1, Shrink −1");
  });

  it("is just the sentence where nothing led to it", async () => {
    const { explained } = await load();
    expect(explained({ words: HIT, why: [] })).toBe("Björk hit Chloé for 2");
  });

  it("is written as each language writes it, with a browser that formats lists or without", async () => {
    const french = await load("fr");
    expect(french.explained({ words: HIT, why })).toContain("\u00a0: Grosse Baffe 2, ");
    vi.stubGlobal("Intl", { ...Intl, PluralRules: Intl.PluralRules, ListFormat: undefined });
    Reflect.deleteProperty(Intl, "ListFormat");
    const spanish = await load("es");
    expect(spanish.explained({ words: HIT, why })).toMatch(/: Ataque 2, spiked tail 1, /);
    vi.unstubAllGlobals();
  });
});

describe("the lines of the log", () => {
  const change = (before: number, after: number) =>
    ({ seat: 1, what: "stars", before, after }) as const;

  it("turn thirteen taps on one dial into one line with the net change", async () => {
    const { linesOf } = await import("../src/store/looks");
    const taps = Array.from({ length: 13 }, (_, n) =>
      row(n + 1, { corrected: true, joins: n > 0, changes: [change(n, n + 1)] }),
    );
    const lines = linesOf([...taps, row(14)]);
    expect(lines.map((one) => one.key)).toEqual(["13", "14"]);
    expect(lines[0]?.changes).toEqual([change(0, 13)]);
  });

  it("show no change where the dial is back where it was, and keep what was undone apart", async () => {
    const { linesOf } = await import("../src/store/looks");
    const back = [
      row(1, { changes: [change(3, 4)] }),
      row(2, { joins: true, changes: [change(4, 3)] }),
    ];
    expect(linesOf(back)[0]?.changes).toEqual([]);
    const undone = [
      row(1, { changes: [change(3, 4)] }),
      row(2, { joins: true, undone: true, changes: [change(4, 5)] }),
    ];
    expect(linesOf(undone).map((one) => one.changes)).toEqual([[change(3, 4)], [change(4, 5)]]);
  });

  it("put what came of a row under it, and leave out what nobody chose", async () => {
    const { linesOf } = await import("../src/store/looks");
    const rows = [
      row(1, { happened: [came({ turn: 2, active: 1, changes: [change(0, 1)] })] }),
      row(2, { quiet: true, happened: [came()] }),
      row(3, { quiet: true }),
    ];
    const lines = linesOf([{ ...rows[0], changes: [change(0, 1)] } as LogRow, ...rows.slice(1)]);
    expect(lines.map((one) => [one.key, one.turn])).toEqual([
      ["1", 1],
      ["1.0", 2],
      ["2.0", 1],
    ]);
    expect(lines[0]?.changes).toEqual([]);
    expect(lines[1]?.changes).toEqual([change(0, 1)]);
  });
});

describe("an announcement", () => {
  async function listening() {
    const page = await load();
    const spoken = await import("../src/store/aloud");
    spoken.watchNews();
    const happen = (...happened: readonly NewsLine[]) =>
      page.show(update({ game: game({ happened }) }));
    return { ...spoken, happen };
  }

  it("comes once, after the table has settled, all commands together", async () => {
    const { announced, happen } = await listening();
    happen(came({ act: 5 }));
    vi.advanceTimersByTime(300);
    happen(came({ act: 6, words: { key: "happened.out", args: { seat: 2 } } }), came({ act: 5 }));
    vi.advanceTimersByTime(500);
    expect(announced.value.other).toBe("");
    vi.advanceTimersByTime(200);
    expect(announced.value).toEqual({ hurt: "", other: "Björk hit Chloé for 2. Chloé is out" });
    const said = announced.value;
    happen(came({ act: 6 }), came({ act: 5 }));
    vi.advanceTimersByTime(5_000);
    expect(announced.value).toBe(said);
  });

  it("says what came of one command in the order in which it happened", async () => {
    const { announced, moments, happen } = await listening();
    const health = { seat: 2, what: "health", before: 2, after: 0 } as const;
    const out = came({ step: 1, words: { key: "happened.out", args: { seat: 2 } }, hurt: [2] });
    const hit = came({ hurt: [2], changes: [health] });
    const other = came({ step: 2, words: { key: "happened.out", args: { seat: 1 } } });
    happen(other, out, hit);
    vi.advanceTimersByTime(700);
    expect(announced.value.other).toBe("Björk hit Chloé for 2. Chloé is out. Björk is out");
    const second = { seat: 1, act: 1, hit: null, change: null };
    expect(moments.falls.value).toEqual([{ seat: 2, act: 1, hit, change: health }, second]);
    vi.advanceTimersByTime(4_000);
    expect(moments.falls.value).toEqual([second]);
    window.dispatchEvent(new Event("click"));
    expect(moments.falls.value).toEqual([]);
  });

  it("comes at once for a hit of one's own", async () => {
    const { announced, happen } = await listening();
    happen(came({ act: 5, hurt: [0], words: { ...HIT, args: { by: 1, seat: 0, count: 2 } } }));
    vi.advanceTimersByTime(700);
    expect(announced.value).toEqual({ hurt: "Björk hit you for 2", other: "" });
  });

  it("is not made on a phone that looks at an earlier game, whose names it would have", async () => {
    const { announced, moments, happen } = await listening();
    const { setPastGame } = await import("../src/store/table");
    setPastGame(game());
    happen(came({ words: { key: "happened.out", args: { seat: 2 } } }));
    vi.advanceTimersByTime(700);
    expect(announced.value.other).toBe("");
    expect(moments.falls.value).toEqual([]);
  });

  it("is not made of what happened before the page was opened", async () => {
    const page = await load();
    page.show(update({ game: game({ happened: [came({ act: 5 })] }) }));
    const { announced, watchNews } = await import("../src/store/aloud");
    watchNews();
    vi.advanceTimersByTime(5_000);
    expect(announced.value).toEqual({ hurt: "", other: "" });
  });
});

describe("a reminder", () => {
  const reminder = (id: string, part: Partial<Reminder> = {}): Reminder => ({
    id,
    sign: "heal",
    words: { key: "reminder.no_heal", args: {} },
    clause: null,
    seat: 0,
    numbers: ["health"],
    ...part,
  });
  const mended = (seq: number) =>
    row(seq, { corrected: true, changes: [{ seat: 0, what: "health", before: 3, after: 4 }] });

  async function playing() {
    const page = await load();
    const habits = await import("../src/store/reminders");
    habits.watchHabits();
    let turn = 1;
    const log: LogRow[] = [];
    const see = (reminders: readonly Reminder[]) =>
      page.show(update({ log: [...log], game: game({ reminders, turn }) }));
    /** A turn in which the reminder is shown, and goes. */
    const obey = (part: Partial<Reminder> = {}) => {
      see([reminder(`no_heal-${turn}`, part)]);
      const shown = habits.openReminders().length;
      turn += 1;
      see([]);
      return shown;
    };
    return { ...habits, obey, see, log };
  }

  it("is quiet when it was obeyed three times", async () => {
    const { obey, quietKinds } = await playing();
    expect([obey(), obey(), obey(), obey(), obey()]).toEqual([1, 1, 1, 0, 0]);
    expect(quietKinds()).toBe(1);
  });

  it("is back when it was forgotten once", async () => {
    const { obey, see, log } = await playing();
    for (let n = 0; n < 4; n += 1) obey();
    log.push(mended(1));
    see([]);
    expect([obey(), obey(), obey(), obey()]).toEqual([1, 1, 1, 0]);
  });

  it("stays for a number that is no habit's, for another number, and after an undo", async () => {
    const { obey, see, log } = await playing();
    for (let n = 0; n < 4; n += 1) expect(obey({ numbers: [] })).toBe(1);
    for (let n = 0; n < 4; n += 1) obey();
    const stars = { seat: 0, what: "stars", before: 1, after: 2 } as const;
    log.push(row(1, { corrected: true, changes: [stars] }));
    see([]);
    expect(obey()).toBe(0);
    log.push({ ...mended(2), undone: true });
    see([]);
    expect(obey()).toBe(0);
  });

  it("can be woken, and survives a reload", async () => {
    const { obey } = await playing();
    for (let n = 0; n < 3; n += 1) obey();
    const again = await playing();
    expect(again.obey()).toBe(0);
    again.wakeReminders();
    expect(again.quietKinds()).toBe(0);
    expect(again.obey()).toBe(1);
  });
});

describe("tasks", () => {
  const task = (id: string, seat: number | null) =>
    ({ id, sign: "hand", words: HIT, seat, note: null, why: [] }) as const;
  const hands = [task("other", 1), task("table", null), task("mine", 0)];
  const roll = { kind: "roll", main: true } as const;

  it("are one's own first, and gone when the next roll begins", async () => {
    const page = await load();
    const { tasks } = await import("../src/store/reminders");
    const asked = game({ hands, question: question(roll) });
    page.show(update({ game: asked }));
    expect(tasks().map((one) => one.id)).toEqual(["mine", "table", "other"]);
    page.show(update({ game: asked, tray: tray({ state: "rolling" }) }));
    expect(tasks()).toEqual([]);
    page.show(update({ game: game({ hands }), tray: tray({ state: "rolling" }) }));
    expect(tasks()).toHaveLength(3);
  });
});
