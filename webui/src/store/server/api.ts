/** Requests to the service: JSON, same origin, with the header that other sites cannot send. */
import type {
  AddressRequest,
  BoxRequest,
  ClaimRequest,
  ClauseAnswer,
  CoachAnswer,
  CodeRequest,
  Command,
  DemoRequest,
  DemoThrowRequest,
  Done,
  DriftRequest,
  ErrorAnswer,
  ForgottenRequest,
  ForgottenView,
  FuseRequest,
  GamesAnswer,
  HealthAnswer,
  HostRequest,
  JoinRequest,
  KeepsAnswer,
  LogAnswer,
  NamesAnswer,
  NamesRequest,
  PastGame,
  PlayAnswer,
  PreviewAnswer,
  PreviewRequest,
  RememberRequest,
  SeatRequest,
  SeenRequest,
  SetupRequest,
  SetupView,
  SignOutRequest,
  StatisticsView,
  StoryView,
  TakeUpRequest,
  TimeMoment,
  TimeView,
  Update,
  ViewerJoinRequest,
  ViewerKind,
  ViewersAnswer,
  ViewersRequest,
  WhyAnswer,
  WifiRequest,
} from "../../wire";

/** The result of a request: a value, a refusal, or no response (`late`: it timed out). */
export type Answer<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly status: number; readonly problem: ErrorAnswer }
  | { readonly kind: "silent"; readonly late: boolean };

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
    if (answer.status >= 500) return { kind: "silent", late: false };
    return { kind: "refused", status: answer.status, problem: await problemOf(answer) };
  } catch {
    return { kind: "silent", late: stop.signal.aborted };
  } finally {
    window.clearTimeout(clock);
  }
}

async function problemOf(answer: Response): Promise<ErrorAnswer> {
  try {
    return (await answer.json()) as ErrorAnswer;
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

export const api = {
  clause: (id: string) =>
    ask<ClauseAnswer>(`/api/clause/${encodeURIComponent(id)}`, { method: "GET" }),
  log: () => ask<LogAnswer>("/api/log", { method: "GET" }),
  why: (seat: number, what: string) =>
    ask<WhyAnswer>(`/api/explain/${seat}/${what}`, { method: "GET" }),
  time: () => ask<TimeView>("/api/time", { method: "GET" }),
  moment: (row: number) => ask<TimeMoment>(`/api/time/${row}`, { method: "GET" }),
  forgotten: () => ask<ForgottenView>("/api/forgotten", { method: "GET" }, PAST_PATIENCE_MS),
  actOnForgotten: (request: ForgottenRequest) => post<ForgottenView>("/api/forgotten", request),
  games: () => ask<GamesAnswer>("/api/games", { method: "GET" }),
  past: (id: string) =>
    ask<PastGame>(`/api/games/${encodeURIComponent(id)}`, { method: "GET" }, PAST_PATIENCE_MS),
  keeps: (request: PreviewRequest) => post<KeepsAnswer>("/api/keeps", request),
  coach: (request: PreviewRequest) => post<CoachAnswer>("/api/coach", request, STORY_PATIENCE_MS),
  story: (id: string) =>
    ask<StoryView>(
      `/api/games/${encodeURIComponent(id)}/story`,
      { method: "GET" },
      STORY_PATIENCE_MS,
    ),
  shownStory: () => ask<StoryView>("/api/tv/story", { method: "GET" }, STORY_PATIENCE_MS),
  enter: (kind: ViewerKind, request: ViewerJoinRequest) =>
    post<unknown>(`/api/${kind}/join`, request),
  statistics: () => ask<StatisticsView>("/api/statistics", { method: "GET" }),
  names: () => ask<NamesAnswer>("/api/names", { method: "GET" }),
  changeNames: (request: NamesRequest) => post<StatisticsView>("/api/names", request),
  play: (id: string, language: string) =>
    ask<PlayAnswer>(
      `/api/games/${encodeURIComponent(id)}/bgstats?lang=${language}`,
      { method: "GET" },
      PAST_PATIENCE_MS,
    ),
  resumeGame: (request: TakeUpRequest) => post<Update>("/api/take-up", request),
  health: () => ask<HealthAnswer>("/api/health", { method: "GET" }),
  state: () => ask<Update>("/api/state", { method: "GET" }),
  join: (request: JoinRequest) => post<Update>("/api/join", request),
  seat: (request: SeatRequest) => post<Update>("/api/seat", request),
  command: (command: Command) => post<Done>("/api/commands", command),
  preview: (request: PreviewRequest) => post<PreviewAnswer>("/api/preview", request),
  readAgain: () => post<unknown>("/api/read-again", {}),
  address: (request: AddressRequest) => post<Update>("/api/address", request),
  withdraw: () => post<Update>("/api/withdraw", {}),
  claim: (request: ClaimRequest) => post<Update>("/api/claim", request),
  leave: () => post<Update>("/api/leave", {}),
  host: (request: HostRequest) => post<Update>("/api/host", request),
  signOut: (request: SignOutRequest) => post<Update>("/api/sign-out", request),
  code: (request: CodeRequest) => post<Update>("/api/code", request),
  viewers: () => ask<ViewersAnswer>("/api/viewers", { method: "GET" }),
  changeViewers: (request: ViewersRequest) => post<ViewersAnswer>("/api/viewers", request),
  wifi: (request: WifiRequest) => post<Update>("/api/wifi", request),
  seen: (request: SeenRequest) => post<Update>("/api/seen", request),
  putOutFuse: (request: FuseRequest) => post<Update>("/api/fuse", request),
  setup: () => ask<SetupView>("/api/setup", { method: "GET" }),
  setupStep: (request: SetupRequest) => post<SetupView>("/api/setup", request),
  box: (request: BoxRequest) => post<SetupView>("/api/boxes", request),
  importBox: (file: Blob) =>
    ask<SetupView>(
      "/api/boxes/file",
      { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } },
      PHOTO_PATIENCE_MS,
    ),
  remember: (request: RememberRequest) => post<Done>("/api/remember", request),
  misread: (proposal: string, faces: string | null) =>
    fetched(
      `/api/misread/${encodeURIComponent(proposal)}.zip${faces === null ? "" : `?faces=${faces}`}`,
      { method: "GET" },
      MISREAD_PATIENCE_MS,
      (answer) => answer.arrayBuffer(),
    ),
  drift: (request: DriftRequest) => post<Done>("/api/drift", request),
  camera: () => post<Done>("/api/camera", {}),
  demo: (request: DemoRequest) => post<Done>("/api/demo", request),
  throwDemo: (request: DemoThrowRequest) => post<Done>("/api/demo/throw", request),
  clearDemo: () => post<Done>("/api/demo/clear", {}),
  photo: (picture: Blob) =>
    ask<unknown>(
      "/api/photo",
      { method: "POST", body: picture, headers: { "Content-Type": "image/jpeg" } },
      PHOTO_PATIENCE_MS,
    ),
};
