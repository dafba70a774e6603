/** Rows of the table of screens, and their files, which are loaded at their first use. */
import type { ComponentType, JSX } from "preact";
import { loadable } from "../store/phone/loadable";
import { Screen } from "../ui/frame/screen";

/** The props of a row's part; null: the row is not shown. */
export type When<P> = () => P | null;

export interface Row {
  readonly name: string;
  /** The screen; null where it is not shown. */
  readonly show: () => JSX.Element | null;
  readonly fetch: () => void;
}

export function row<P extends object>(
  name: string,
  Shown: ComponentType<P> | Part<P>,
  when: When<P>,
): Row {
  const show = () => {
    const props = when();
    return props === null ? null : <Shown key={name} {...props} />;
  };
  return { name, show, fetch: "fetch" in Shown ? Shown.fetch : () => undefined };
}

export interface SheetRow<P> {
  readonly part: Part<P>;
  /** Whether it replaces the screen; else it covers it. */
  readonly whole: boolean;
}

export function over<P>(one: Part<P>): SheetRow<P> {
  return { part: one, whole: false };
}

export function whole<P>(one: Part<P>): SheetRow<P> {
  return { part: one, whole: true };
}

export function firstOf(rows: readonly Row[]): JSX.Element | null {
  for (const one of rows) {
    const shown = one.show();
    if (shown !== null) return shown;
  }
  return null;
}

export interface Part<P> {
  (props: P): JSX.Element;
  /** Start loading before the part is needed. */
  fetch(): void;
}

type PropsOf<C> = C extends () => unknown
  ? Record<never, never>
  : C extends (props: infer P) => unknown
    ? P
    : never;

/** The lazily loaded components of a file, by name. */
export function file<M extends object>(load: () => Promise<M>) {
  return <N extends keyof M>(name: N) => part(load, name);
}

/** Make a lazily loaded component: `name` of another file; loaded at its first use, or by `fetch`. */
function part<M extends object, N extends keyof M>(
  load: () => Promise<M>,
  name: N,
): Part<PropsOf<M[N]> & object> {
  const found = loadable(load);
  const Component = (props: PropsOf<M[N]> & object) => {
    const file = found.get();
    if (file === null) return <Screen name="opening" head={null} tabs={false} />;
    const Found = file[name] as ComponentType<PropsOf<M[N]> & object>;
    return <Found {...props} />;
  };
  return Object.assign(Component, { fetch: found.fetch });
}
