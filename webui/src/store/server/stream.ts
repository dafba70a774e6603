/** The event stream, one per browser: it delivers whole views and reconnects for ever, with backoff and jitter. */
import type { StreamEvent, Update } from "../../wire";
import { lastMessageAt, line, show, stranger, update } from "../table/table";
import { api } from "./api";

const SILENCE_MS = 25_000;
const FIRST_WAIT_MS = 300;
/** A service that starts again, or a phone that finds its Wi-Fi, is noticed within a second. */
const SOON_MS = 600;
/** For so long; afterwards a table that is switched off should not empty batteries. */
const HOPEFUL_MS = 120_000;
const LONGEST_WAIT_MS = 10_000;
const FULL_WAIT_MS = 15_000;
/** Shorter gaps are not shown. */
const GRACE_MS = 2_500;

let source: EventSource | null = null;
let attempts = 0;
let timer = 0;
let lostSince = 0;
/** Another tab of this browser has the stream and relays it to this one. */
let follower = false;

const tab = String(Math.random()).slice(2);
const channel = "BroadcastChannel" in window ? new BroadcastChannel("monster-table") : null;

interface Relay {
  readonly from: string;
  readonly kind: "mine" | "beat" | "update";
  readonly update?: Update;
}

/** Send a message to the other tabs; through storage where there is no BroadcastChannel (Safari before 15.4). */
function relay(kind: Relay["kind"], fresh?: Update): void {
  const message: Relay =
    fresh === undefined ? { from: tab, kind } : { from: tab, kind, update: fresh };
  if (channel !== null) {
    channel.postMessage(message);
    return;
  }
  try {
    window.localStorage.setItem(
      "monster-table.relay",
      JSON.stringify({ ...message, at: Date.now() }),
    );
  } catch {
    // Without storage every tab opens its own stream, and the service closes the older one.
  }
}

function onRelay(message: Relay): void {
  if (message.from === tab) return;
  if (message.kind === "mine") {
    follower = true;
    closeStream();
  }
  lastMessageAt.value = Date.now();
  if (message.update !== undefined) show(message.update);
  if (follower && update.value !== null) line.value = "live";
}

function closeStream(): void {
  window.clearTimeout(timer);
  source?.close();
  source = null;
}

function markAlive(): void {
  attempts = 0;
  lostSince = 0;
  lastMessageAt.value = Date.now();
  line.value = "live";
}

function open(): void {
  closeStream();
  follower = false;
  relay("mine");
  const mine = new EventSource("/api/stream");
  source = mine;
  // Ignore late events of a closed stream.
  const on = (name: string, act: (event: MessageEvent<string>) => void) =>
    mine.addEventListener(name, (event) => {
      if (source === mine) act(event as MessageEvent<string>);
    });
  const end = (name: StreamEvent, act: () => void) => on(name, act);
  on("message", (event) => {
    markAlive();
    const fresh = JSON.parse(event.data) as Update;
    show(fresh);
    relay("update", fresh);
  });
  on("beat", () => {
    markAlive();
    relay("beat");
  });
  end("full", () => {
    closeStream();
    reconnect(FULL_WAIT_MS);
  });
  end("stranger", () => {
    closeStream();
    markAlive();
    stranger.value = true;
    update.value = null;
  });
  end("replaced", () => {
    closeStream();
    follower = true;
  });
  mine.addEventListener("error", () => {
    if (source !== mine) return;
    closeStream();
    reconnect();
  });
}

/** Reconnect after a delay: short at first, with jitter so that phones do not reconnect at once. */
function reconnect(least = 0): void {
  if (lostSince === 0) lostSince = Date.now();
  const hopeful = Date.now() - lostSince < HOPEFUL_MS;
  const wait = hopeful ? Math.min(SOON_MS, FIRST_WAIT_MS * 2 ** attempts) : LONGEST_WAIT_MS;
  attempts = Math.min(attempts + 1, 6);
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void refresh(), Math.max(least, wait * (0.5 + Math.random())));
}

/** Fetch the newest view, then reopen the stream: after sleep it may be dead and look open. */
export async function refresh(): Promise<void> {
  window.clearTimeout(timer);
  const answer = await api.state();
  if (answer.kind === "done") {
    markAlive();
    show(answer.value);
    if (answer.value.you.role === "stranger") closeStream();
    else open();
  } else if (answer.kind === "refused" && answer.status === 429) {
    // Too many requests from here: that says nothing about who this phone is.
    reconnect(FULL_WAIT_MS);
  } else if (answer.kind === "refused") {
    markAlive();
    stranger.value = true;
    update.value = null;
    closeStream();
  } else {
    reconnect();
  }
}

/** Open the stream and keep it alive. */
export function listen(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void refresh();
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) void refresh();
  });
  window.addEventListener("online", () => void refresh());
  channel?.addEventListener("message", (event: MessageEvent<Relay>) => onRelay(event.data));
  window.addEventListener("storage", (event) => {
    if (event.key === "monster-table.relay" && event.newValue !== null) {
      onRelay(JSON.parse(event.newValue) as Relay);
    }
  });
  window.setInterval(watch, 1_000);
  void refresh();
}

function watch(): void {
  const now = Date.now();
  if (lostSince !== 0 && now - lostSince > GRACE_MS && line.value !== "lost") line.value = "lost";
  const listening = source !== null || follower;
  if (listening && now - lastMessageAt.value > SILENCE_MS) {
    closeStream();
    reconnect();
  }
}
