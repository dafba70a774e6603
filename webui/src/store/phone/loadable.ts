/** A value that is fetched at its first use. */
import { signal } from "@preact/signals";

export interface Loadable<T> {
  /** The value, or null until it is there; asks for it. */
  get(): T | null;
  /** Ask for the value before it is needed. */
  fetch(): void;
}

/** `load` is called once, and again after each time it failed: the line may be back. */
export function loadable<T>(load: () => Promise<T>): Loadable<T> {
  const found = signal<T | null>(null);
  let asked = false;
  const fetch = () => {
    if (asked) return;
    asked = true;
    load().then(
      (value) => {
        found.value = value;
      },
      () => {
        asked = false;
      },
    );
  };
  const get = () => {
    if (found.value === null) fetch();
    return found.value;
  };
  return { get, fetch };
}
