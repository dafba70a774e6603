/** One stream per browser: whole views come by it; it is reopened for ever, with patience and jitter. */
import type { StreamEvent, Update } from "../../wire";
import { lastMessageAt, line, show, stranger, update } from "../table/table";
import { api } from "./api";

const SILENCE_MS = 25_000;
const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const FULL_WAIT_MS = 15_000;
/** Shorter gaps are not worth a word: the page stays as it is. */
const GRACE_MS = 2_500;

let source: EventSource | null = null;
let attempts = 0;
let timer = 0;
let lostSince = 0;
/** Another tab of this browser has the stream, and tells this one. */
let follower = false;

const tab = String(Math.random()).slice(2);
const channel = "BroadcastChannel" in window ? new BroadcastChannel("monster-table") : null;

interface Relay {
  readonly from: string;
  readonly kind: "mine" | "beat" | "update";
  readonly update?: Update;
}

/** Tells the other tabs of this browser; through storage where there is no channel (Safari before 15.4). */
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
    // Nothing can be kept: then every tab stands alone, and the table closes the older stream.
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
  // What a closed stream still has to say does not count.
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

/** Comes back after a while: longer each time, never in step with the other phones. */
function reconnect(least = 0): void {
  if (lostSince === 0) lostSince = Date.now();
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts, 6));
  attempts += 1;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void refresh(), Math.max(least, wait * (0.5 + Math.random())));
}

/** First the newest view, then the stream anew: a sleeping phone may hold a dead one that looks open. */
export async function refresh(): Promise<void> {
  window.clearTimeout(timer);
  const answer = await api.state();
  if (answer.kind === "done") {
    markAlive();
    show(answer.value);
    if (answer.value.you.role === "stranger") closeStream();
    else open();
  } else if (answer.kind === "refused") {
    markAlive();
    stranger.value = true;
    update.value = null;
    closeStream();
  } else {
    reconnect();
  }
}

/** The stream is kept alive from now on. */
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
