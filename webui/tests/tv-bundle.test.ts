/** The page of televisions runs in a browser of 2018: its script is ES2017, its style what Chromium 68 knows. */
import { readFileSync } from "node:fs";
import { parse as parseScript } from "acorn";
import { type CssNode, generate, parse as parseStyle, walk } from "css-tree";
import { build, type Rolldown } from "vite";
import { beforeAll, describe, expect, it } from "vitest";

const CHROMIUM = 68;

interface Compat {
  readonly __compat?: {
    readonly support: Readonly<Record<string, unknown>>;
  };
  readonly [part: string]: unknown;
}

interface Support {
  readonly version_added: string | boolean | null;
  readonly flags?: unknown;
  readonly prefix?: string;
  readonly alternative_name?: string;
}

const DATA = "node_modules/@mdn/browser-compat-data/data.json";
const CSS = (JSON.parse(readFileSync(DATA, "utf8")) as { readonly css: Compat }).css;

/** Whether Chromium 68 knows it, by this name and without a flag; true where the data say nothing of it. */
function isKnown(path: readonly string[]): boolean {
  const support = at(path)?.__compat?.support.chrome;
  if (support === undefined) return true;
  const ways = (Array.isArray(support) ? support : [support]) as readonly Support[];
  return ways.some(
    ({ version_added, flags, prefix, alternative_name }) =>
      [flags, prefix, alternative_name].every((one) => one === undefined) &&
      (version_added === true ||
        (typeof version_added === "string" && Number.parseFloat(version_added) <= CHROMIUM)),
  );
}

function at(path: readonly string[]): Compat | undefined {
  return path.reduce<Compat | undefined>((part, name) => part?.[name] as Compat | undefined, CSS);
}

/** Lengths that came later; the data have them as one entry. */
const NEW_UNITS = /^[sld]v(w|h|i|b|min|max)$|^cq/;
/** In a grid a gap is older than 68, in a flex box it is not; nothing here needs one. */
const GAPS = new Set(["gap", "row-gap", "column-gap"]);

/** What a style sheet names: the words to show, and where the data have it. */
type Named = readonly [words: string, path: readonly string[]];

/** What a node names; `around` is the at-rule that it is in. */
function namedBy(node: CssNode, around: string | undefined): readonly Named[] {
  switch (node.type) {
    case "Atrule":
      return [[`@${node.name}`, ["at-rules", node.name]]];
    case "Feature":
      return [[`(${node.name})`, ["at-rules", "media", node.name]]];
    case "PseudoClassSelector":
    case "PseudoElementSelector":
      return [[`:${node.name}`, ["selectors", node.name]]];
    case "Function":
      return [[`${node.name}()`, ["types", node.name]]];
    case "Declaration":
      return namedByDeclaration(node.property, generate(node.value), around);
    default:
      return [];
  }
}

function namedByDeclaration(
  property: string,
  value: string,
  around: string | undefined,
): readonly Named[] {
  if (property.startsWith("--")) return [];
  if (around === "font-face") return [[property, ["at-rules", "font-face", property]]];
  const path = ["properties", property];
  const words = value.split(/[\s,()]+/);
  return [
    [property, path],
    ...words.map((word): Named => [`${property}: ${word}`, [...path, word]]),
  ];
}

/** What no data are asked for: what cannot be parsed, unknown properties, new units, gaps. */
function isRefused(node: CssNode): string | null {
  if (node.type === "Raw") return node.value;
  if (node.type === "Dimension" && NEW_UNITS.test(node.unit)) return node.unit;
  if (node.type !== "Declaration" || node.property.startsWith("--")) return null;
  const descriptor = at(["at-rules", "font-face", node.property]);
  const known = at(["properties", node.property]) ?? descriptor;
  return known === undefined || GAPS.has(node.property) ? node.property : null;
}

/** What of a style sheet Chromium 68 does not know. */
function tooNew(style: string): readonly string[] {
  const found = new Set<string>();
  const within: string[] = [];
  walk(parseStyle(style, { parseCustomProperty: true }), {
    enter(node: CssNode) {
      const refused = isRefused(node);
      if (refused !== null) found.add(refused);
      for (const [words, path] of namedBy(node, within[within.length - 1])) {
        if (!isKnown(path)) found.add(words);
      }
      if (node.type === "Atrule") within.push(node.name);
    },
    leave(node: CssNode) {
      if (node.type === "Atrule") within.pop();
    },
  });
  return [...found];
}

let scripts: readonly string[] = [];
let styles: readonly string[] = [];

beforeAll(async () => {
  const made = (await build({
    configFile: "vite.tv.config.ts",
    logLevel: "silent",
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  scripts = made.output.flatMap((one) => (one.type === "chunk" ? [one.code] : []));
  styles = made.output.flatMap((one) =>
    one.type === "asset" && one.fileName.endsWith(".css") ? [String(one.source)] : [],
  );
}, 60_000);

describe("the script", () => {
  it("is one file, which a parser of ES2017 reads as a plain script", () => {
    expect(scripts).toHaveLength(1);
    const parse = () => parseScript(scripts[0] ?? "", { ecmaVersion: 2017, sourceType: "script" });
    expect(parse).not.toThrow();
  });
});

describe("the style", () => {
  it("has nothing that Chromium 68 does not know", () => {
    expect(styles).toHaveLength(1);
    expect(styles[0]?.length).toBeGreaterThan(5_000);
    expect(tooNew(styles[0] ?? "")).toEqual([]);
  });

  it.each([
    ["a:has(b) { color: red }", ":has"],
    ["a { aspect-ratio: 1 }", "aspect-ratio"],
    ["a { gap: 1px }", "gap"],
    ["a { width: clamp(1px, 2px, 3px) }", "clamp()"],
    ["a { height: 100dvh }", "dvh"],
    ["a { overflow: clip }", "overflow: clip"],
    ["a { b { color: red } }", "b { color: red }"],
    ["a { colour: red }", "colour"],
    ["@media (prefers-reduced-motion: reduce) { a { color: red } }", "(prefers-reduced-motion)"],
    ["@layer a { b { color: red } }", "@layer"],
    ["@font-face { size-adjust: 90% }", "size-adjust"],
  ])("would be refused for %s", (style, what) => {
    expect(tooNew(style)).toContain(what);
  });

  it("may have what is as old", () => {
    const old = "a:nth-child(2)::after { display: flex; color: var(--b); filter: grayscale(1) }";
    expect(tooNew(`@font-face { font-display: swap } ${old}`)).toEqual([]);
  });
});
