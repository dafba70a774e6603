/** The way in: a token out of a QR code, or six signs. */
import { signal } from "@preact/signals";
import type { JoinRequest } from "../../wire";
import { welcome } from "../table/people";
import { api } from "./api";
import { showFailure } from "./outbox";
import { refresh } from "./stream";

export const joining = signal(false);
/** The six signs, as far as they are typed. */
export const typedCode = signal("");

export function typeCode(text: string): void {
  typedCode.value = text;
}

/** The table has taken this browser in, or says why not. */
export async function join(request: JoinRequest): Promise<void> {
  joining.value = true;
  const answer = await api.join(request);
  joining.value = false;
  if (answer.kind !== "done") return showFailure(answer);
  welcome(answer.value);
  await refresh();
}

/** The QR code brings a token in the fragment: it is used once and wiped from the address. */
export async function joinByLink(): Promise<void> {
  const token = window.location.hash.slice(1);
  if (window.location.pathname !== "/j" || token === "") return;
  window.history.replaceState(null, "", "/");
  await join({ token, code: null });
}
