/** Lazily loaded parts of the page; the frame is shown meanwhile. */
import type { ComponentType, JSX } from "preact";
import { loadable } from "../store/phone/loadable";
import { Screen } from "../ui/frame/screen";

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
