/** The whole log, fetched while it is shown: a view has only the newest rows. */
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LogRow } from "../../wire";
import { api } from "../server/api";
import { line, view } from "./table";

interface Fetched {
  readonly table: string;
  readonly rows: readonly LogRow[];
}

const fetched = signal<Fetched | null>(null);
let wanted = "";

/** All known rows, oldest first; the view's rows replace fetched ones. */
const known = computed<readonly LogRow[]>(() => {
  const newest = view.value?.log ?? [];
  const first = newest[0]?.seq ?? 0;
  const older = fetched.value?.table === view.value?.table ? (fetched.value?.rows ?? []) : [];
  return [...older.filter((row) => row.seq < first), ...newest];
});

async function fetchLog(table: string, rev: number): Promise<void> {
  const key = `${table}:${rev}`;
  if (key === wanted) return;
  wanted = key;
  const answer = await api.log();
  if (wanted !== key) return;
  if (answer.kind === "done" && view.value?.table === table)
    fetched.value = { table, rows: answer.value.rows };
  else wanted = "";
}

/** Return the log; its older rows are fetched, again after each change. */
export function useLog(): { readonly rows: readonly LogRow[]; readonly whole: boolean } {
  const now = view.value;
  const table = now?.table ?? "";
  const rev = now?.rev ?? 0;
  const more = (now?.log[0]?.seq ?? 1) > 1;
  useEffect(() => {
    if (more && line.value === "live") void fetchLog(table, rev);
  }, [more, table, rev, line.value]);
  const rows = known.value;
  return { rows, whole: rows.every((row, index) => row.seq === index + 1) };
}
