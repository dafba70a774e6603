/** Somebody would rather look at old numbers than at the words that say so. */
import { signal } from "@preact/signals";
import { line } from "../table/table";

/** Forgotten when the line is back. */
export const lookAnyway = signal(false);

export function lookAtOldNumbers(): void {
  lookAnyway.value = true;
}

export function watchLook(): void {
  line.subscribe((state) => {
    if (state === "live") lookAnyway.value = false;
  });
}
