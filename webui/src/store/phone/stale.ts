/** Somebody would rather look at old numbers than at the words that say so. */
import { signal } from "@preact/signals";
import { line } from "../table/table";

/** Forgotten when the line is back. */
export const showStale = signal(false);

export function showStaleNumbers(): void {
  showStale.value = true;
}

export function watchStale(): void {
  line.subscribe((state) => {
    if (state === "live") showStale.value = false;
  });
}
