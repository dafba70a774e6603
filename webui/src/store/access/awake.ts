/**
 * Keep the screen on while a game runs, by what this browser has: the wake lock of a secure page, else a silent film
 * made here, started in a tap. Where neither helps, the page says so.
 */
import { effect, signal } from "@preact/signals";
import { prefs } from "../phone/prefs";
import { game, you } from "../table/table";

/** What keeps the screen on; `untouched`: nothing may start before the first tap. */
export type Awake = "off" | "untouched" | "lock" | "film" | "none";

export const awake = signal<Awake>("off");

/** Frames a second of the film: enough for browsers to count it as playing. */
const FRAMES = 2;

let film: HTMLVideoElement | null = null;
let lock: WakeLockSentinel | null = null;
/** A lock was asked for and has not come. */
let asking = false;
let context: AudioContext | null = null;

function wanted(): boolean {
  const now = game.value;
  return prefs.value.awake && you.value.seat !== null && now !== null && now.ended === null;
}

/** Two pixels that change, and a track of silence: browsers let the screen sleep beside a film without sound. */
function makeFilm(): HTMLVideoElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 2;
  const pen = canvas.getContext("2d");
  const stream = canvas.captureStream(FRAMES);
  context ??= new AudioContext();
  for (const track of context.createMediaStreamDestination().stream.getTracks())
    stream.addTrack(track);
  const video = document.createElement("video");
  video.className = "awake-film";
  video.setAttribute("playsinline", "");
  video.setAttribute("aria-hidden", "true");
  video.tabIndex = -1;
  video.srcObject = stream;
  document.body.append(video);
  // Last: where this browser lacks something above, every tap tries anew and must leave nothing running.
  window.setInterval(() => {
    if (pen === null || film?.paused !== false) return;
    pen.fillStyle = pen.fillStyle === "#000000" ? "#010101" : "#000000";
    pen.fillRect(0, 0, 2, 2);
  }, 1_000 / FRAMES);
  return video;
}

/** What came of a start, unless it was switched off meanwhile. */
function settle(what: Awake): void {
  if (wanted()) awake.value = what;
}

function askLock(): void {
  asking = true;
  navigator.wakeLock.request("screen").then(
    (held) => {
      asking = false;
      if (!wanted()) {
        void held.release();
        return;
      }
      lock = held;
      settle("lock");
      held.addEventListener("release", () => {
        if (lock === held) lock = null;
      });
    },
    () => {
      asking = false;
      settle("none");
    },
  );
}

/** Start what this browser has; in a tap, before anything is awaited. */
function start(): void {
  if (!wanted() || asking || lock !== null || film?.paused === false) return;
  if ("wakeLock" in navigator) {
    askLock();
    return;
  }
  try {
    film ??= makeFilm();
    void context?.resume();
    film.play().then(
      () => settle("film"),
      () => settle("none"),
    );
  } catch {
    settle("none");
  }
}

function stop(): void {
  void lock?.release();
  lock = null;
  film?.pause();
  awake.value = "off";
}

/** Keep the screen on from the next tap on, for as long as a game runs. */
export function watchAwake(): void {
  effect(() => {
    if (!wanted()) stop();
    else if (awake.peek() === "off") awake.value = "untouched";
  });
  for (const kind of ["click", "keyup"] as const)
    window.addEventListener(kind, start, { capture: true, passive: true });
  // Browsers end both while a page is hidden.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && awake.value !== "untouched") start();
  });
}
