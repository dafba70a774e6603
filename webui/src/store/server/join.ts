/** Joining: by the token of a QR code, or by a code of six characters; the name of the table that is joined. */
import { signal } from "@preact/signals";
import type { JoinRequest } from "../../wire";
import { welcome } from "../table/people";
import { api } from "./api";
import { showFailure } from "./outbox";
import { refresh } from "./stream";

export const joining = signal(false);
/** The code's characters typed so far. */
export const typedCode = signal("");

export function typeCode(text: string): void {
  typedCode.value = text;
}

/** Send the token or code; show why where it is refused. */
export async function join(request: JoinRequest): Promise<void> {
  joining.value = true;
  const answer = await api.join(request);
  joining.value = false;
  if (answer.kind !== "done") return showFailure(answer);
  welcome(answer.value);
  await refresh();
}

/** Join with the token in the address's fragment, and remove it from the address. */
export async function joinByLink(): Promise<void> {
  const token = window.location.hash.slice(1);
  if (window.location.pathname !== "/j" || token === "") return;
  window.history.replaceState(null, "", "/");
  await join({ token, code: null });
}

/** "" for the only table, and until the service has answered. */
export const tableTitle = signal("");

export async function askTitle(): Promise<void> {
  const answer = await api.health();
  if (answer.kind === "done") tableTitle.value = answer.value.table;
}
