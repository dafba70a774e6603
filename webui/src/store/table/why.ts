/** Explanations of numbers, fetched while somebody looks at one. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Drastic, Why } from "../../wire";
import { api } from "../server/api";
import { line, view } from "./table";

interface Chain {
  readonly of: string;
  readonly rows: readonly Why[];
  readonly drastic: readonly Drastic[];
}

const RETRY_MS = 2_000;
const chain = signal<Chain | null>(null);
let wanted = "";
/** What a screen shows now; fetched again where that failed. */
let watched = "";

async function fetchWhy(of: string, rev: number, seat: number, what: string): Promise<void> {
  const key = `${of}:${rev}`;
  if (key === wanted) return;
  wanted = key;
  const answer = await api.why(seat, what);
  if (wanted !== key) return;
  if (answer.kind === "done") chain.value = { of, ...answer.value };
  else {
    wanted = "";
    window.setTimeout(() => {
      if (watched === key) void fetchWhy(of, rev, seat, what);
    }, RETRY_MS);
  }
}

interface Explained {
  /** The changes of the number, oldest first; null until they are fetched. */
  readonly rows: readonly Why[] | null;
  /** Values that are asked about before they are set. */
  readonly drastic: readonly Drastic[];
}

export function useWhy(seat: number, what: string): Explained {
  const of = `${view.value?.table ?? ""}:${seat}:${what}`;
  const rev = view.value?.rev ?? 0;
  useEffect(() => {
    if (line.value !== "live") return undefined;
    watched = `${of}:${rev}`;
    void fetchWhy(of, rev, seat, what);
    return () => {
      watched = "";
    };
  }, [of, rev, line.value]);
  return chain.value?.of === of ? chain.value : { rows: null, drastic: [] };
}
