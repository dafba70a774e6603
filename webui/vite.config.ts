import { defineConfig } from "vite";

// Phones of 2020 and 2021 must run it, and the page has no inline script (content security policy).
export default defineConfig({
  build: {
    target: ["es2020", "safari14", "chrome90", "firefox90"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
