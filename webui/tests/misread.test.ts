/** The report of a misread roll: what is read from its file, and what becomes of it. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { storedEntries } from "../src/store/setup";
import { connect, done, NO_LINE, refused } from "./transport";

beforeEach(() => {
  vi.resetModules();
  vi.restoreAllMocks();
});

/** Make a zip file by hand: entries stored, or (method 8) as if they were compressed. */
function zip(entries: Readonly<Record<string, string>>, method = 0): ArrayBuffer {
  const text = new TextEncoder();
  const parts: number[] = [];
  const directory: number[] = [];
  const put = (into: number[], bytes: number, value: number) => {
    for (let at = 0; at < bytes; at += 1) into.push((value >> (8 * at)) & 255);
  };
  for (const [name, content] of Object.entries(entries)) {
    const named = text.encode(name);
    const body = text.encode(content);
    const begin = parts.length;
    put(parts, 4, 0x04034b50);
    for (const size of [2, 2, 2, 4, 4]) put(parts, size, 0);
    put(parts, 4, body.length);
    put(parts, 4, body.length);
    put(parts, 2, named.length);
    put(parts, 2, 3);
    parts.push(...named, 1, 2, 3, ...body);
    put(directory, 4, 0x02014b50);
    for (const size of [2, 2, 2]) put(directory, size, 0);
    put(directory, 2, method);
    for (const size of [4, 4]) put(directory, size, 0);
    put(directory, 4, body.length);
    put(directory, 4, body.length);
    put(directory, 2, named.length);
    put(directory, 2, 2);
    for (const size of [2, 2, 2, 4]) put(directory, size, 0);
    put(directory, 4, begin);
    directory.push(...named, 9, 9);
  }
  const start = parts.length;
  parts.push(...directory);
  put(parts, 4, 0x06054b50);
  for (const size of [2, 2]) put(parts, size, 0);
  put(parts, 2, Object.keys(entries).length);
  put(parts, 2, Object.keys(entries).length);
  put(parts, 4, directory.length);
  put(parts, 4, start);
  put(parts, 2, 0);
  return new Uint8Array(parts).buffer;
}

describe("a zip file of stored entries", () => {
  it("gives them in order, whatever extra fields they have", () => {
    const found = storedEntries(zip({ "report.json": "{}", "frames/00.jpg": "picture" }));
    const decoded = found.map((one) => [one.name, new TextDecoder().decode(one.content)]);
    expect(decoded).toEqual([
      ["report.json", "{}"],
      ["frames/00.jpg", "picture"],
    ]);
  });

  it("is refused where it is torn, compressed or none", () => {
    const whole = zip({ "report.json": "{}" });
    expect(() => storedEntries(whole.slice(0, whole.byteLength - 1))).toThrow();
    expect(() => storedEntries(new ArrayBuffer(4))).toThrow();
    expect(() => storedEntries(zip({ "report.json": "{}" }, 8))).toThrow();
    expect(() => storedEntries(whole.slice(8))).toThrow();
  });
});

describe("a report", () => {
  it("that is refused or does not arrive says so", async () => {
    const { misread, openMisread } = await import("../src/store/setup");
    connect(() => refused(400, "error.report.gone"));
    await openMisread("g1-1");
    expect(misread.value).toEqual({
      kind: "failed",
      words: { key: "error.report.gone", args: {} },
    });
    connect(() => NO_LINE);
    await openMisread("g1-1");
    expect(misread.value.kind).toBe("failed");
    connect(() => done("no zip file at all, but long enough"));
    await openMisread("g1-1");
    expect(misread.value.kind).toBe("failed");
  });

  it("that was closed while it was fetched is not kept", async () => {
    const { forget, misread, openMisread } = await import("../src/store/setup");
    let answer: (reply: ReturnType<typeof refused>) => void = () => undefined;
    connect(() => new Promise((resolve) => (answer = resolve)));
    const opening = openMisread("g1-1");
    forget();
    answer(refused(400));
    await opening;
    expect(misread.value).toEqual({ kind: "loading" });
  });
});
