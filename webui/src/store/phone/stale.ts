/** Whether old numbers are shown while the connection is lost. */
import { signal } from "@preact/signals";
import { line } from "../table/table";

/** Reset when the connection is back. */
export const showStale = signal(false);

export function showStaleNumbers(): void {
  showStale.value = true;
}

export function watchStale(): void {
  line.subscribe((state) => {
    if (state === "live") showStale.value = false;
  });
}
