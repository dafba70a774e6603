/** A value that is loaded at its first use. */
import { signal } from "@preact/signals";

export interface Loadable<T> {
  /** Return the value; null while it is being loaded. */
  get(): T | null;
  /** Start loading before the value is needed. */
  fetch(): void;
}

/** Make a loadable value; `load` is retried after it failed, since the connection may be back. */
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
