/** What the linter cannot say by itself: only the store writes signals, and styles use nothing that old phones lack. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const WRITES = [
  "a.value = 1",
  "a.value += 1",
  "a.value ??= 1",
  "a.value++",
  "f(() => (a.value = 1))",
];
const MAKES = 'import { signal } from "@preact/signals";\nexport const a = signal(1);\n';
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    WRITES.map((write, at) => [`src/screens/turn/write${at}.tsx`, `${write};\n`]),
  ),
  "src/store/turn/write.ts": `${WRITES.join(";\n")};\n`,
  "src/ui/parts/read.tsx": "f(a.value === 1, { value: 2 });\n",
  "src/ui/parts/make.tsx": MAKES,
  "src/store/turn/make.ts": MAKES,
};
const folder = mkdtempSync(join(tmpdir(), "lint-"));
let said = "";

/** What the linter has to say of a file, under the rules of this folder. */
function complaints(path: string): string {
  const about = said
    .split("\n")
    .filter((line) => line.includes(`file=${path}`) || line.includes(`/${path},`));
  return about.join("\n");
}

beforeAll(() => {
  for (const part of ["biome.jsonc", "lint"]) cpSync(part, join(folder, part), { recursive: true });
  for (const [path, source] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
  const biome = resolve("node_modules/.bin/biome");
  const done = spawnSync(biome, ["lint", "--max-diagnostics=200", "--reporter=github"], {
    cwd: folder,
    encoding: "utf8",
  });
  said = done.stdout;
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a write to a signal", () => {
  it.each(WRITES.map((write, at) => [write, at] as const))(
    "such as %s is refused in a screen",
    (_, at) => {
      expect(complaints(`src/screens/turn/write${at}.tsx`)).toContain(
        "Only src/store writes signals",
      );
    },
  );

  it("is the store's own affair", () => {
    expect(complaints("src/store/turn/write.ts")).not.toContain("writes signals");
  });

  it("is no reading of one", () => {
    expect(complaints("src/ui/parts/read.tsx")).not.toContain("writes signals");
  });
});

describe("a signal", () => {
  it("is made in the store alone", () => {
    expect(complaints("src/ui/parts/make.tsx")).toContain("noRestrictedImports");
    expect(complaints("src/store/turn/make.ts")).not.toContain("noRestrictedImports");
  });
});

describe("the styles of the phone app", () => {
  // Phones five years old have Safari 15.1 and cannot change it.
  const LATER = /:has\(|color-mix\(|@container|@layer|@starting-style|subgrid|\boverflow: clip/;
  const styles = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".css"),
  );

  it("are found", () => {
    expect(styles.length).toBeGreaterThan(8);
  });

  it.each(styles)("%s use nothing that a browser of five years ago lacks", (path) => {
    expect(readFileSync(join("src", path), "utf8")).not.toMatch(LATER);
  });

  it("are refused where they do", () => {
    expect(".a:has(.b) {}").toMatch(LATER);
  });
});
