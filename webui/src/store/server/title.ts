/** The name of this table among several of its machine, for a phone that has not joined. */
import { signal } from "@preact/signals";
import { api } from "./api";

/** "" for the only table, and until the service has answered. */
export const tableTitle = signal("");

export async function askTitle(): Promise<void> {
  const answer = await api.health();
  if (answer.kind === "done") tableTitle.value = answer.value.table;
}
