/** The stream of a phone, one per browser: whole views come, and tabs tell each other. How a phone joins. */
import { signal } from "@preact/signals";
import type { JoinRequest, Update } from "../wire";
import { api, keepsCookies } from "./api";
import { showFailure, showRefusal } from "./outbox";
import { FULL_WAIT_MS, makeSource, type Source } from "./source";
import { show, stranger, update } from "./table";

/** Another tab of this browser has the stream and relays it to this one. */
let follower = false;
let source: Source | null = null;

const tab = String(Math.random()).slice(2);
const channel = "BroadcastChannel" in window ? new BroadcastChannel("monster-table") : null;

type Relay = Readonly<{ from: string; kind: "mine" | "beat" | "update"; update?: Update }>;

/** Send a message to the other tabs; through storage if there is no BroadcastChannel (Safari before 15.4). */
function relay(what: Omit<Relay, "from">): void {
  const message: Relay = { from: tab, ...what };
  if (channel !== null) {
    channel.postMessage(message);
    return;
  }
  try {
    const text = JSON.stringify({ ...message, at: Date.now() });
    window.localStorage.setItem("monster-table.relay", text);
  } catch {
    // Without storage every tab opens its own stream, and the service closes the older one.
  }
}

function onRelay(message: Relay): void {
  if (message.from === tab) return;
  if (message.kind === "mine") {
    follower = true;
    source?.close();
  }
  if (message.update !== undefined) show(message.update);
  if (follower && update.value !== null) source?.alive();
}

function forgetMe(): void {
  source?.close();
  stranger.value = true;
  update.value = null;
}

/** Fetch the newest view, then reopen the stream: after sleep it may be dead and look open. */
export async function refresh(): Promise<void> {
  const answer = await api.state();
  if (answer.kind === "done") {
    source?.alive();
    show(answer.value);
    if (answer.value.you.role === "stranger") return source?.close();
    follower = false;
    relay({ kind: "mine" });
    source?.open();
  } else if (answer.kind === "refused" && answer.status !== 429) {
    source?.alive();
    forgetMe();
  } else {
    // Too many requests from here say nothing about who this phone is.
    source?.again(answer.kind === "refused" ? FULL_WAIT_MS : 0);
  }
}

/** Open the stream and keep it alive. */
export function listen(): void {
  source = makeSource({
    path: "/api/stream",
    begin: () => void refresh(),
    follows: () => follower,
    on: {
      message: (data) => {
        const fresh = JSON.parse(data) as Update;
        show(fresh);
        relay({ kind: "update", update: fresh });
      },
      beat: () => relay({ kind: "beat" }),
      stranger: forgetMe,
      replaced: () => {
        source?.close();
        follower = true;
      },
    },
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void refresh();
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) void refresh();
  });
  window.addEventListener("online", () => void refresh());
  channel?.addEventListener("message", (event: MessageEvent<Relay>) => onRelay(event.data));
  window.addEventListener("storage", (event) => {
    if (event.key === "monster-table.relay" && event.newValue !== null)
      onRelay(JSON.parse(event.newValue) as Relay);
  });
  void refresh();
}

export const joining = signal(false);

const NO_COOKIES = { key: "join.cookies", args: {} };

/** Send the token or code; show why if it is refused, or this browser would not be known again. */
export async function join(request: JoinRequest): Promise<void> {
  if (!keepsCookies()) return showRefusal(NO_COOKIES);
  joining.value = true;
  const answer = await api.join(request);
  joining.value = false;
  if (answer.kind !== "done") return showFailure(answer);
  await refresh();
  if (stranger.value) showRefusal(NO_COOKIES);
}

/** Join with the token in the address's fragment, and remove it from the address. */
export async function joinByLink(): Promise<void> {
  const token = window.location.hash.slice(1);
  if (window.location.pathname !== "/j" || token === "") return;
  window.history.replaceState(null, "", "/");
  await join({ token, code: null });
}
