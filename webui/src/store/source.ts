/** An event stream that is opened for ever, with backoff and jitter; while it is gone, `line` says so. */
import { useEffect, useState } from "preact/hooks";
import type { Fuse, StreamEvent } from "../wire";
import { lastMessageAt, line } from "./table";

const SILENCE_MS = 25_000;
const FIRST_WAIT_MS = 300;
/** A service that starts again, or a phone that finds its Wi-Fi, is noticed within a second. */
const SOON_MS = 600;
/** For so long; afterwards a table that is switched off should not empty batteries. */
const HOPEFUL_MS = 120_000;
const LONGEST_WAIT_MS = 10_000;
/** The longest wait of a television, which has no battery and nobody who touches it. */
export const TV_WAIT_MS = 5_000;
export const FULL_WAIT_MS = 15_000;
/** Shorter gaps are not shown. */
const GRACE_MS = 2_500;

export interface Source {
  readonly open: () => void;
  readonly close: () => void;
  /** Close, and begin again after a delay: a short one first, with jitter so that not all come at once. */
  readonly again: (least?: number) => void;
  /** Record that the service has answered. */
  readonly alive: () => void;
}

interface SourceProps {
  readonly path: string;
  /** What each event does; the stream is alive then. */
  readonly on: Readonly<Partial<Record<StreamEvent | "message" | "beat", (data: string) => void>>>;
  /** How it begins again; after which wait at most, if that is always the same. */
  readonly begin: () => void;
  readonly longest?: number;
  /** Whether messages come another way. */
  readonly follows?: () => boolean;
}

export function makeSource({
  path,
  on,
  begin,
  longest,
  follows = () => false,
}: SourceProps): Source {
  let source: EventSource | null = null;
  let attempts = 0;
  let timer = 0;
  let lostSince = 0;
  let openedAt = 0;

  const close = () => {
    window.clearTimeout(timer);
    source?.close();
    source = null;
  };
  const alive = () => {
    attempts = 0;
    lostSince = 0;
    lastMessageAt.value = Date.now();
    line.value = "live";
  };
  const again = (least = 0) => {
    close();
    if (lostSince === 0) lostSince = Date.now();
    const hopeful = Date.now() - lostSince < HOPEFUL_MS;
    const most = longest ?? (hopeful ? SOON_MS : LONGEST_WAIT_MS);
    const wait = hopeful ? Math.min(most, FIRST_WAIT_MS * 2 ** attempts) : most;
    attempts += 1;
    timer = window.setTimeout(begin, Math.max(least, wait * (0.5 + Math.random())));
  };
  const open = () => {
    close();
    const mine = new EventSource(path);
    source = mine;
    openedAt = Date.now();
    // Ignore late events of a closed stream.
    const hear = (name: string, act: (data: string) => void) =>
      mine.addEventListener(name, (event) => {
        if (source === mine) act((event as MessageEvent<string>).data);
      });
    for (const [name, act] of Object.entries(on))
      hear(name, (data) => {
        alive();
        act(data);
      });
    hear("full", () => again(FULL_WAIT_MS));
    hear("error", () => again());
  };
  window.setInterval(() => {
    const now = Date.now();
    if (lostSince !== 0 && now - lostSince > GRACE_MS) line.value = "lost";
    const quiet = now - Math.max(openedAt, lastMessageAt.value);
    if ((source !== null || follows()) && quiet > SILENCE_MS) again();
  }, 1_000);
  return { open, close, again, alive };
}

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
