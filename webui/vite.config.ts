/** How Vite builds the page. */
import { defineConfig, type Rolldown } from "vite";

interface Modules {
  getModuleInfo(id: string): Rolldown.ModuleInfo | null;
}

/** Whether the first page needs the module: a chain of plain imports leads to it from the entry. */
function isFirst(id: string, modules: Modules, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  const info = modules.getModuleInfo(id);
  if (info === null) return false;
  return info.isEntry || info.importers.some((one) => isFirst(one, modules, seen));
}

/** Few requests: screens of a turn in one file, the others in a second, what both share in a third. */
function fileOf(id: string, modules: Modules): string {
  if (isFirst(id, modules)) return "first";
  if (id.includes("/src/screens/turn/")) return "turn";
  return id.includes("/src/screens/") ? "rest" : "parts";
}

// Phones of 2020 and 2021 must run it, and the page has no inline script (content security policy).
export default defineConfig({
  build: {
    target: ["es2020", "safari14", "chrome90", "firefox90"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: fileOf, debugName: "files of the page" }],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
});
