/** Requests to the service: JSON, same origin, with the header that other sites cannot send; files loaded at first use. */
import { signal } from "@preact/signals";
import type * as wire from "../wire";

/**
 * The result of a request: a value, a refusal, or none that counts (`late`: it timed out; `broken`: the service had a
 * fault, and would have it again).
 */
export type Answer<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly status: number; readonly problem: wire.ErrorAnswer }
  | { readonly kind: "silent"; readonly late: boolean; readonly broken?: boolean };

export type Failure = Exclude<Answer<unknown>, { readonly kind: "done" }>;

const HEADERS = { "X-Monster-Table": "1" };
const PATIENCE_MS = 10_000;
/** Longer than the service's own limit for a photo, so that its explanation arrives. */
const PAST_PATIENCE_MS = 30_000;
/** Longer than the service waits for its win chances. */
const STORY_PATIENCE_MS = 50_000;
const PHOTO_PATIENCE_MS = 50_000;
/** A report has megabytes. */
const MISREAD_PATIENCE_MS = 60_000;

function ask<T>(path: string, init: RequestInit, patience = PATIENCE_MS): Promise<Answer<T>> {
  return fetched(path, init, patience, async (answer) => {
    const text = await answer.text();
    return (text === "" ? null : JSON.parse(text)) as T;
  });
}

async function fetched<T>(
  path: string,
  init: RequestInit,
  patience: number,
  read: (answer: Response) => Promise<T>,
): Promise<Answer<T>> {
  const stop = new AbortController();
  const clock = window.setTimeout(() => stop.abort(), patience);
  try {
    const answer = await fetch(path, {
      ...init,
      headers: { ...HEADERS, ...init.headers },
      credentials: "same-origin",
      cache: "no-store",
      signal: stop.signal,
    });
    if (answer.ok) return { kind: "done", value: await read(answer) };
    if (answer.status >= 500) return { kind: "silent", late: false, broken: answer.status === 500 };
    return { kind: "refused", status: answer.status, problem: await problemOf(answer) };
  } catch {
    return { kind: "silent", late: stop.signal.aborted };
  } finally {
    window.clearTimeout(clock);
  }
}

async function problemOf(answer: Response): Promise<wire.ErrorAnswer> {
  try {
    return (await answer.json()) as wire.ErrorAnswer;
  } catch {
    return {
      error: { key: "error.unknown", args: { status: answer.status } },
      update: null,
      conflict: null,
    };
  }
}

function post<T>(path: string, body: unknown, patience = PATIENCE_MS): Promise<Answer<T>> {
  const headers = { "Content-Type": "application/json" };
  return ask<T>(path, { method: "POST", body: JSON.stringify(body), headers }, patience);
}

function get<T>(path: string, patience = PATIENCE_MS): Promise<Answer<T>> {
  return ask<T>(path, { method: "GET" }, patience);
}

/** Whether this browser keeps cookies: `navigator.cookieEnabled` knows nothing of pages that may not. */
export function keepsCookies(): boolean {
  const write = (cookie: string) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https
    document.cookie = `monster_table_try=${cookie}; Path=/; SameSite=Strict`;
    return document.cookie.includes("monster_table_try=1");
  };
  const kept = write("1");
  write("0; Max-Age=0");
  return kept;
}

const of = encodeURIComponent;

/** 32 signs that nobody guesses. */
export function freshId(): string {
  const bytes = window.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const api = {
  clause: (id: string) => get<wire.Clause>(`/api/clause/${of(id)}`),
  log: () => get<wire.LogAnswer>("/api/log"),
  why: (seat: number, what: string) => get<wire.WhyAnswer>(`/api/explain/${seat}/${what}`),
  time: () => get<wire.TimeView>("/api/time"),
  moment: (row: number) => get<wire.TimeMoment>(`/api/time/${row}`),
  forgotten: () => get<wire.ForgottenView>("/api/forgotten", PAST_PATIENCE_MS),
  actOnForgotten: (request: wire.ForgottenRequest) =>
    post<wire.ForgottenView>("/api/forgotten", request),
  games: () => get<wire.GamesAnswer>("/api/games"),
  past: (id: string) => get<wire.PastGame>(`/api/games/${of(id)}`, PAST_PATIENCE_MS),
  keeps: (request: wire.PreviewRequest) => post<wire.KeepsAnswer>("/api/keeps", request),
  coach: (request: wire.PreviewRequest) =>
    post<wire.CoachAnswer>("/api/coach", request, STORY_PATIENCE_MS),
  story: (id: string) => get<wire.StoryView>(`/api/games/${of(id)}/story`, STORY_PATIENCE_MS),
  shownStory: () => get<wire.StoryView>("/api/tv/story", STORY_PATIENCE_MS),
  enter: (kind: wire.ViewerKind, request: wire.JoinRequest) =>
    post<unknown>(`/api/${kind}/join`, request),
  pair: (request: wire.PairRequest) => post<wire.PairAnswer>("/api/tv/pair", request),
  statistics: () => get<wire.StatisticsView>("/api/statistics"),
  names: () => get<wire.NamesAnswer>("/api/names"),
  changeNames: (request: wire.NamesRequest) => post<wire.StatisticsView>("/api/names", request),
  cardNames: () => get<wire.CardNamesAnswer>("/api/card-names"),
  nameCard: (request: wire.CardNameRequest) =>
    post<wire.CardNamesAnswer>("/api/card-names", request),
  play: (id: string, language: string) =>
    get<wire.PlayAnswer>(`/api/games/${of(id)}/bgstats?lang=${language}`, PAST_PATIENCE_MS),
  resumeGame: (request: wire.TakeUpRequest) => post<wire.Update>("/api/take-up", request),
  health: () => get<wire.HealthAnswer>("/api/health"),
  state: () => get<wire.Update>("/api/state"),
  join: (request: wire.JoinRequest) => post<wire.Update>("/api/join", request),
  seat: (request: wire.SeatRequest) => post<wire.Update>("/api/seat", request),
  sit: (request: wire.SeatSetup) => post<wire.Update>("/api/sit", request),
  command: (command: wire.Command) => post<wire.Done>("/api/commands", command),
  preview: (request: wire.PreviewRequest) => post<wire.PreviewAnswer>("/api/preview", request),
  readAgain: () => post<unknown>("/api/read-again", {}),
  address: (request: wire.AddressRequest) => post<wire.Update>("/api/address", request),
  withdraw: () => post<wire.Update>("/api/withdraw", {}),
  claim: (request: wire.ClaimRequest) => post<wire.Update>("/api/claim", request),
  leave: () => post<wire.Update>("/api/leave", {}),
  host: (request: wire.HostRequest) => post<wire.Update>("/api/host", request),
  signOut: (request: wire.SignOutRequest) => post<wire.Update>("/api/sign-out", request),
  code: (request: wire.CodeRequest) => post<wire.Update>("/api/code", request),
  viewers: () => get<wire.ViewersAnswer>("/api/viewers"),
  changeViewers: (request: wire.ViewersRequest) =>
    post<wire.ViewersAnswer>("/api/viewers", request),
  wifi: (request: wire.WifiRequest) => post<wire.Update>("/api/wifi", request),
  seen: (request: wire.SeenRequest) => post<wire.Update>("/api/seen", request),
  putOutFuse: (request: wire.FuseRequest) => post<wire.Update>("/api/fuse", request),
  setup: () => get<wire.SetupView>("/api/setup"),
  setupStep: (request: wire.SetupRequest) => post<wire.SetupView>("/api/setup", request),
  box: (request: wire.BoxRequest) => post<wire.SetupView>("/api/boxes", request),
  importBox: (file: Blob) =>
    ask<wire.SetupView>(
      "/api/boxes/file",
      { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } },
      PHOTO_PATIENCE_MS,
    ),
  misread: (proposal: string, faces: string | null) =>
    fetched(
      `/api/misread/${encodeURIComponent(proposal)}.zip${faces === null ? "" : `?faces=${faces}`}`,
      { method: "GET" },
      MISREAD_PATIENCE_MS,
      (answer) => answer.arrayBuffer(),
    ),
  drift: (request: wire.DriftRequest) => post<wire.Done>("/api/drift", request),
  camera: () => post<wire.Done>("/api/camera", {}),
  demo: (request: wire.DemoRequest) => post<wire.Done>("/api/demo", request),
  throwDemo: (request: wire.DemoThrowRequest) => post<wire.Done>("/api/demo/throw", request),
  clearDemo: () => post<wire.Done>("/api/demo/clear", {}),
  photo: (picture: Blob) =>
    ask<unknown>(
      "/api/photo",
      { method: "POST", body: picture, headers: { "Content-Type": "image/jpeg" } },
      PHOTO_PATIENCE_MS,
    ),
};

/**
 * A value that is loaded when it is got, or by `fetch` before; null while it is on its way. After a failure it is loaded
 * again, since the connection may be back.
 */
export function loadable<T>(load: () => Promise<T>) {
  const found = signal<T | null>(null);
  let asked = false;
  const fetch = () => {
    if (asked) return;
    asked = true;
    load().then(
      (value) => (found.value = value),
      () => (asked = false),
    );
  };
  const get = () => {
    if (found.value === null) fetch();
    return found.value;
  };
  return { get, fetch };
}
