/** How Vite builds the hub's page: one script and one style. */
import { defineConfig } from "vite";

export default defineConfig({
  // The build of the phone app has copied them.
  publicDir: false,
  build: {
    target: ["es2020", "safari14", "chrome90", "firefox90"],
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: "hub.html", output: { codeSplitting: false } },
  },
});
