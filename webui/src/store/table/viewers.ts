/** How televisions and overlays see the table, as the host's phone shows it. */
import { signal } from "@preact/signals";
import type { ViewersAnswer, ViewersRequest } from "../../wire";
import { openSheet } from "../phone/route";
import { api } from "../server/api";
import { showFailure } from "../server/outbox";

/** null: not fetched yet. */
export const viewers = signal<ViewersAnswer | null>(null);

/** Open the sheet, freshly fetched. */
export async function openViewers(): Promise<void> {
  openSheet({ kind: "tv" });
  const answer = await api.viewers();
  if (answer.kind === "done") viewers.value = answer.value;
  else showFailure(answer);
}

/** Make new tokens, or choose the language of all viewers. */
export async function changeViewers(request: ViewersRequest): Promise<void> {
  const answer = await api.changeViewers(request);
  if (answer.kind === "done") viewers.value = answer.value;
  else showFailure(answer);
}
