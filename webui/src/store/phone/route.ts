/** The route: one of four tabs, and at most one sheet over it. */
import { signal } from "@preact/signals";
import type { Number as What } from "../../wire";

export type Tab = "monster" | "table" | "log" | "more";

/** A sheet and its subject. */
export type Sheet =
  | { readonly kind: "die"; readonly proposal: string; readonly index: number }
  | { readonly kind: "ahead"; readonly seat: number }
  | { readonly kind: "number"; readonly seat: number; readonly what: What }
  | { readonly kind: "player"; readonly seat: number }
  | { readonly kind: "place"; readonly area: string }
  | { readonly kind: "clause"; readonly id: string }
  | { readonly kind: "misread"; readonly proposal: string }
  | { readonly kind: "order" }
  | { readonly kind: "hands" }
  | { readonly kind: "tops" }
  | { readonly kind: "qr" }
  | { readonly kind: "people" }
  | { readonly kind: "tv" }
  | { readonly kind: "camera" }
  | { readonly kind: "box"; readonly id: string }
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

export function go(where: Tab): void {
  sheet.value = null;
  tab.value = where;
}

/** Open the sheet; the browser's back button closes it. */
export function openSheet(one: Sheet): void {
  if (sheet.value === null) {
    opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    window.history.pushState({ sheet: true }, "");
  }
  sheet.value = one;
}

export function closeSheet(): void {
  if (sheet.value === null) return;
  sheet.value = null;
  if ((window.history.state as { sheet?: boolean } | null)?.sheet) window.history.back();
  const back = opener;
  opener = null;
  window.setTimeout(() => back?.isConnected && back.focus(), 0);
}

/** Close the sheet on the browser's back button. */
export function watchHistory(): void {
  window.addEventListener("popstate", () => {
    sheet.value = null;
  });
}
