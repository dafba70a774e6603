/** Screens that are not needed at once come when they are; the frame stands meanwhile. */

import type { ComponentType, JSX } from "preact";
import { loadable } from "../store/loadable";
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
  const part = loadable(load);
  const Lazy = (props: P) => {
    const Found = part.get();
    if (Found !== null) return <Found {...props} />;
    return <Screen name="opening" head={null} tabs={false} />;
  };
  const one = Object.assign(Lazy, { early: part.fetch });
  ALL.push(one);
  return one;
}
