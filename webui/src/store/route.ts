/** The route: one of four tabs, and at most one sheet over it. */
import { signal } from "@preact/signals";
import type { Number as What } from "../wire";

export type Tab = "monster" | "table" | "log" | "more";

/** A sheet and its subject. */
export type Sheet =
  | { readonly kind: "die"; readonly proposal: string; readonly index: number }
  | { readonly kind: "ahead"; readonly seat: number }
  | { readonly kind: "number"; readonly seat: number; readonly what: What }
  | { readonly kind: "conflict" }
  | { readonly kind: "player"; readonly seat: number }
  | { readonly kind: "place"; readonly area: string }
  | { readonly kind: "clause"; readonly id: string }
  | { readonly kind: "misread"; readonly proposal: string }
  | { readonly kind: "order" }
  | { readonly kind: "hands" }
  | { readonly kind: "qr" }
  | { readonly kind: "people" }
  | { readonly kind: "tv" }
  | { readonly kind: "table-page" }
  | { readonly kind: "share" }
  | { readonly kind: "camera" }
  | { readonly kind: "box"; readonly id: string }
  | { readonly kind: "time" }
  | { readonly kind: "forgotten" }
  | { readonly kind: "games" }
  | { readonly kind: "past"; readonly id: string }
  | { readonly kind: "odds" }
  | { readonly kind: "story"; readonly id: string }
  | { readonly kind: "picture"; readonly id: string }
  | { readonly kind: "statistics" }
  | { readonly kind: "record"; readonly name: string }
  | { readonly kind: "export"; readonly id: string; readonly ended: boolean }
  | { readonly kind: "new-game" }
  | { readonly kind: "person"; readonly id: string }
  | { readonly kind: "host" }
  | { readonly kind: "unstart"; readonly seq: number }
  | { readonly kind: "take"; readonly seat: number }
  | { readonly kind: "seat"; readonly index: number }
  | { readonly kind: "answer"; readonly question: string };

export type SheetOf<K extends Sheet["kind"]> = Extract<Sheet, { readonly kind: K }>;

export const tab = signal<Tab>("monster");
export const sheet = signal<Sheet | null>(null);
/** The element that had the focus when the sheet opened, and gets it back. */
let opener: HTMLElement | null = null;
/** The tabs that the browser's back button leads to, the newest last; none on the Monster's own. */
let trail: readonly Tab[] = [];

const LONGEST_TRAIL = 8;

export function go(where: Tab): void {
  sheet.value = null;
  if (where === "monster") trail = [];
  else if (where !== tab.value) trail = [...trail, tab.value].slice(-LONGEST_TRAIL);
  tab.value = where;
}

export function openSheet(one: Sheet): void {
  if (sheet.value === null)
    opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  sheet.value = one;
  guard();
}

/** Give the focus back: to what opened the sheet, or to its twin if the screen was drawn again since. */
function focusOpener(): void {
  const back = opener;
  opener = null;
  if (back === null) return;
  window.setTimeout(() => {
    const all = document.querySelectorAll<HTMLElement>(back.localName);
    const isTwin = (one: HTMLElement) =>
      one.textContent === back.textContent &&
      one.getAttribute("aria-label") === back.getAttribute("aria-label");
    (back.isConnected ? back : [...all].find(isTwin))?.focus();
  }, 0);
}

export function closeSheet(): void {
  if (sheet.value === null) return;
  sheet.value = null;
  focusOpener();
}

/** Close the sheet, else return to the last tab; false if neither is left. */
function stepBack(): boolean {
  if (sheet.value !== null) closeSheet();
  else if (tab.value !== "monster") {
    tab.value = trail[trail.length - 1] ?? "monster";
    trail = trail.slice(0, -1);
  } else return false;
  return true;
}

type Guard = Readonly<{ guard?: boolean }>;

/** Keep one step of history between this page and the one before it: the back button takes it. */
function guard(): void {
  if (!(window.history.state as Guard | null)?.guard) window.history.pushState({ guard: true }, "");
}

/**
 * Let the browser's back button close and return within the page. Where nothing is left to close, `leaving` says that
 * the next one leaves. The step of history is made in a click or key press: browsers skip others.
 */
export function watchHistory(closeMore: () => boolean, leaving: () => void): void {
  for (const kind of ["click", "keydown"])
    window.addEventListener(kind, guard, { capture: true, passive: true });
  window.addEventListener("popstate", (event) => {
    if ((event.state as Guard | null)?.guard) return;
    if (closeMore() || stepBack()) guard();
    else leaving();
  });
}
