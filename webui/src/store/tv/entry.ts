/** How a screen gets in: by the token in the address's fragment, or by a code that somebody types. */
import { signal } from "@preact/signals";
import type { ErrorAnswer, ViewerJoinRequest, Words } from "../../wire";
import { kind } from "./screen";
import { open } from "./stream";

const HEADERS = { "Content-Type": "application/json", "X-Monster-Table": "1" };

export const typed = signal("");
export const refused = signal<Words | null>(null);
export const entering = signal(false);

export function type(text: string): void {
  typed.value = text;
  refused.value = null;
}

/** Ask to be let in, then open the stream; `refused` says why where that fails. */
export async function enter(request: ViewerJoinRequest): Promise<void> {
  entering.value = true;
  refused.value = await answerTo(request);
  entering.value = false;
  if (refused.value === null) {
    typed.value = "";
    open();
  }
}

async function answerTo(request: ViewerJoinRequest): Promise<Words | null> {
  try {
    const answer = await fetch(`/api/${kind}/join`, {
      method: "POST",
      body: JSON.stringify(request),
      headers: HEADERS,
      credentials: "same-origin",
    });
    return answer.ok ? null : ((await answer.json()) as ErrorAnswer).error;
  } catch {
    return { key: "tv.no_answer", args: {} };
  }
}

/** Let this screen in by the token in the address's fragment, and remove it from the address. */
export async function enterByLink(): Promise<void> {
  const token = window.location.hash.slice(1);
  if (token === "") return;
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
  refused.value = await answerTo({ token, code: null });
}
