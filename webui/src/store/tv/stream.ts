/** The stream of a screen: whole views; it reconnects for ever, with backoff and jitter. */
import type { StreamEvent, ViewerView } from "../../wire";
import { heardAt, kind, line, markHeard, markLost, show, shut } from "./screen";

const SILENCE_MS = 25_000;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const FULL_WAIT_MS = 15_000;
/** Shorter gaps are not shown. */
const GRACE_MS = 2_500;

let source: EventSource | null = null;
let attempts = 0;
let timer = 0;
let lostSince = 0;

function close(): void {
  window.clearTimeout(timer);
  source?.close();
  source = null;
}

function alive(): void {
  attempts = 0;
  lostSince = 0;
  markHeard();
}

/** Open the stream anew. */
export function open(): void {
  close();
  const mine = new EventSource(`/api/${kind}/stream`);
  source = mine;
  const on = (name: string, act: (event: MessageEvent<string>) => void) =>
    mine.addEventListener(name, (event) => {
      if (source === mine) act(event as MessageEvent<string>);
    });
  const end = (name: StreamEvent, act: () => void) => on(name, act);
  on("message", (event) => {
    alive();
    show(JSON.parse(event.data) as ViewerView);
  });
  on("beat", alive);
  end("full", () => again(FULL_WAIT_MS));
  end("stranger", () => {
    close();
    alive();
    shut();
  });
  on("error", () => again());
}

function again(least = 0): void {
  close();
  if (lostSince === 0) lostSince = Date.now();
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts, 6));
  attempts += 1;
  timer = window.setTimeout(open, Math.max(least, wait * (0.5 + Math.random())));
}

/** Open the stream and keep it alive. */
export function listen(): void {
  window.addEventListener("online", open);
  window.setInterval(watch, 1_000);
  open();
}

function watch(): void {
  const now = Date.now();
  if (lostSince !== 0 && now - lostSince > GRACE_MS && line.value !== "lost") markLost();
  if (source !== null && heardAt.value !== 0 && now - heardAt.value > SILENCE_MS) again();
}
