/** Rows of the table of screens. */
import type { ComponentType, JSX } from "preact";
import type { Part } from "./part";

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
