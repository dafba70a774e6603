/** Screens that are not needed at once come when they are; the frame stands meanwhile. */
import { signal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { Screen } from "./screen";

const ALL: { early: () => void }[] = [];

/** Every screen is asked for, those of a turn first: a phone must not need the line for a screen. */
export function fetchScreens(): void {
  for (const one of ALL) one.early();
}

/** A screen out of another file; asked for at its first use, or by `early`, which has it asked for before. */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ((props: P) => JSX.Element) & { early: () => void } {
  const found = signal<ComponentType<P> | null>(null);
  let asked = false;
  const early = () => {
    if (asked) return;
    asked = true;
    load().then(
      (one) => (found.value = one),
      // No line just now: the next look asks again.
      () => (asked = false),
    );
  };
  const Lazy = (props: P) => {
    const Found = found.value;
    if (Found !== null) return <Found {...props} />;
    early();
    return <Screen name="opening" head={null} tabs={false} />;
  };
  const one = Object.assign(Lazy, { early });
  ALL.push(one);
  return one;
}
