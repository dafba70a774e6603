// Pictures of the gallery: `npm run gallery -- OUT [PART …]`. Builds it apart from the app, under the app's content policy,
// and photographs it with Debian's chromium (`apt-get install chromium`).
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build, preview } from "vite";

const HEIGHTS = { signs: 2500, monsters: 960, posters: 1720, maps: 1080, tokens: 760 };
const WIDTHS = { posters: 1660, maps: 1260 };

const [out = "gallery-pictures", ...asked] = process.argv.slice(2);
const parts = asked.length > 0 ? asked : Object.keys(HEIGHTS);
const made = mkdtempSync(join(tmpdir(), "gallery-"));
try {
  await build({
    logLevel: "warn",
    build: { outDir: made, emptyOutDir: true, rollupOptions: { input: "gallery.html" } },
  });
  const server = await preview({
    logLevel: "warn",
    build: { outDir: made },
    preview: { port: 0, host: "127.0.0.1" },
  });
  const { port } = server.httpServer.address();
  mkdirSync(out, { recursive: true });
  for (const part of parts) {
    const [name, theme = "night"] = part.split(":");
    const picture = resolve(out, `${part.replace(":", "-")}.png`);
    await new Promise((done, failed) => {
      const browser = spawn(
        "chromium",
        [
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--hide-scrollbars",
          "--virtual-time-budget=3000",
          "--enable-logging=stderr",
          `--window-size=${WIDTHS[name] ?? 1500},${HEIGHTS[name] ?? 900}`,
          `--screenshot=${picture}`,
          `http://127.0.0.1:${port}/gallery.html?part=${name}&theme=${theme}`,
        ],
        { stdio: ["ignore", "ignore", "pipe"] },
      );
      browser.stderr.on("data", (text) => {
        for (const line of String(text).split("\n"))
          if (line.includes("CONSOLE")) console.error(line);
      });
      browser.on("error", failed);
      browser.on("exit", (status) =>
        status === 0 ? done() : failed(new Error(`chromium ended with ${status}`)),
      );
    });
    console.log(picture);
  }
  await server.close();
} finally {
  rmSync(made, { recursive: true, force: true });
}
