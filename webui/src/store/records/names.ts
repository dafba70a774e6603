/** Names to suggest for a seat: those who have played here before. */
import { signal } from "@preact/signals";
import type { KnownName } from "../../wire";
import { api } from "../server/api";

/** Those who played last come first; empty until they are fetched, and where the table does not answer. */
export const knownNames = signal<readonly KnownName[]>([]);

export async function fetchNames(): Promise<void> {
  const answer = await api.names();
  if (answer.kind === "done") knownNames.value = answer.value.names;
}
