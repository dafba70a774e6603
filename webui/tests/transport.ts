/** The line to the table: requests end here and are answered by the test. Nothing of our own code is replaced. */
import { vi } from "vitest";

export interface Request {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** What the table says to a request; an error: there is no line; a promise: it takes its time. */
export type Table = (request: Request) => Reply | Error | Promise<Reply | Error>;

export const NO_LINE = new TypeError("no line");

export function done(body: unknown): Reply {
  return { status: 200, body };
}

export function refused(status: number, key = "error.stale", fresh: unknown = null): Reply {
  return { status, body: { error: { key, args: {} }, update: fresh } };
}

/** Requests from now on reach `table`; they are kept in the list that is returned. */
export function connect(table: Table): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const text = typeof init.body === "string" ? init.body : null;
    const request: Request = {
      path,
      method: init.method ?? "GET",
      headers: new Headers(init.headers),
      body: text === null ? null : JSON.parse(text),
    };
    requests.push(request);
    const gone = new Promise<never>((_, fail) => {
      init.signal?.addEventListener("abort", () => fail(new DOMException("late", "AbortError")));
    });
    const reply = await Promise.race([table(request), gone]);
    if (reply instanceof Error) throw reply;
    const body = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
    return new Response(body, { status: reply.status });
  });
  return requests;
}

/** Let everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}
