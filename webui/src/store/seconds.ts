/** Whole seconds of a fuse, counted down on this screen's own clock. */
import { useEffect, useState } from "preact/hooks";
import type { Fuse } from "../wire";

const TICK_MS = 200;

/** The whole seconds that are left, at least one. */
export function useSeconds(fuse: Fuse): number {
  const [left, setLeft] = useState(fuse.left_s);
  useEffect(() => {
    const until = Date.now() + fuse.left_s * 1000;
    const clock = window.setInterval(() => setLeft((until - Date.now()) / 1000), TICK_MS);
    return () => window.clearInterval(clock);
  }, [fuse.id]);
  return Math.max(1, Math.ceil(left));
}
