/** The fuse: what the tray does in a moment, unless somebody touches a phone. The service decides; phones show it. */
import { computed, effect, signal } from "@preact/signals";
import type { Fuse } from "../../wire";
import { api } from "../server/api";
import { send } from "../server/outbox";
import { line, show, view } from "../table/table";

/** The fuse that burns now. */
export const burning = computed<Fuse | null>(() =>
  line.value === "live" ? (view.value?.tray.fuse ?? null) : null,
);

/** What the tray did last, and when this phone heard of it. */
export interface Burnt {
  readonly table: string;
  readonly rev: number;
  readonly at: number;
}

export const burnt = signal<Burnt | null>(null);

export function forgetBurnt(): void {
  burnt.value = null;
}

/** Choose what happens without a tap. */
export function setPhoneFree(fuse: boolean, tray_ends: boolean): void {
  send({ key: "act.phone_free", args: {} }, [{ type: "PhoneFreeSet", fuse, tray_ends }]);
}

/** Put the fuse out; return whether the service has heard it. */
async function putOut(id: string): Promise<boolean> {
  const answer = await api.putOutFuse({ id });
  if (answer.kind === "done") show(answer.value);
  return answer.kind === "done";
}

/** Put the fuse out with any touch or key, and notice what the tray did. */
export function watchFuse(): void {
  let last = "";
  const touch = () => {
    const fuse = burning.value;
    if (fuse === null || fuse.id === last) return;
    last = fuse.id;
    void putOut(fuse.id).then((heard) => {
      if (!heard) last = "";
    });
  };
  for (const kind of ["pointerdown", "keydown"])
    window.addEventListener(kind, touch, { capture: true, passive: true });
  let table = "";
  let seen = 0;
  effect(() => {
    const now = view.value;
    if (now === null) return;
    const fresh = now.table === table ? now.log.filter((row) => row.seq > seen) : [];
    table = now.table;
    seen = now.log[now.log.length - 1]?.seq ?? 0;
    if (fresh.some((row) => row.tray))
      burnt.value = { table: now.table, rev: now.rev, at: Date.now() };
  });
}
