/** How Vite builds the page of televisions and overlays: one script and one style, for Chromium 68. */
import { defineConfig } from "vite";

export default defineConfig({
  // The build of the phone app has copied them.
  publicDir: false,
  build: {
    target: ["es2017", "chrome68"],
    cssTarget: "chrome68",
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: "tv.html", output: { codeSplitting: false } },
  },
});
