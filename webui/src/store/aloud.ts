/** What a phone does beside showing: it stays on, and says aloud what is asked and what happened. */
import { effect, signal } from "@preact/signals";
import type { NewsLine } from "../wire";
import { cue, prefs } from "./prefs";
import { fallsOf, oneByOne } from "./reminders";
import { game, inOrder, looksBack, view, you } from "./table";
import { acting, questionWords } from "./turn";
import { explained } from "./words";

/** What keeps the screen on; `untouched`: nothing may start before the first tap. */
export type Awake = "off" | "untouched" | "lock" | "video" | "none";

export const awake = signal<Awake>("off");

/** Frames a second of the video: enough for browsers to count it as playing. */
const FRAMES = 2;

let video: HTMLVideoElement | null = null;
let lock: WakeLockSentinel | null = null;
let asking = false;
let context: AudioContext | null = null;

function wanted(): boolean {
  const now = game.value;
  return prefs.value.awake && you.value.seat !== null && now !== null && now.ended === null;
}

/** Two pixels that change, and a track of silence: browsers let the screen sleep beside a video without sound. */
function makeVideo(): HTMLVideoElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 2;
  const pen = canvas.getContext("2d");
  const stream = canvas.captureStream(FRAMES);
  context ??= new AudioContext();
  for (const track of context.createMediaStreamDestination().stream.getTracks())
    stream.addTrack(track);
  const made = document.createElement("video");
  made.className = "awake-video";
  made.setAttribute("playsinline", "");
  made.setAttribute("aria-hidden", "true");
  made.tabIndex = -1;
  made.srcObject = stream;
  document.body.append(made);
  // Last: if this browser lacks something above, every tap tries again and must leave nothing running.
  window.setInterval(() => {
    if (pen === null || video?.paused !== false) return;
    pen.fillStyle = pen.fillStyle === "#000000" ? "#010101" : "#000000";
    pen.fillRect(0, 0, 2, 2);
  }, 1_000 / FRAMES);
  return made;
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
  if (!wanted() || asking || lock !== null || video?.paused === false) return;
  if ("wakeLock" in navigator) {
    askLock();
    return;
  }
  try {
    video ??= makeVideo();
    void context?.resume();
    video.play().then(
      () => settle("video"),
      () => settle("none"),
    );
  } catch {
    settle("none");
  }
}

function stop(): void {
  void lock?.release();
  lock = null;
  video?.pause();
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

const SETTLED_MS = 600;

/** The newest announcement: what hurts this phone's Monster, and everything else. */
export const announced = signal({ hurt: "", other: "" });

/** Other Monsters that have just fallen: every phone shows each for a moment, whatever it is at. */
export const moments = oneByOne(4_000);

function passMoment(): void {
  if (moments.falls.peek().length > 0) moments.next();
}

/** Show and sound what everybody looks up for; a seat's own fall has a screen, and so has the end. */
function showMoment(fresh: readonly NewsLine[]): void {
  const falls = fallsOf(inOrder(fresh));
  if (game.value?.ended != null) cue("win");
  else if (falls.length > 0) {
    cue("out");
    if (falls.every((one) => one.seat !== you.value.seat)) moments.show(falls);
  }
}

/** The question that this phone is asked, announced at once when it comes; empty when none is open. */
export const asked = signal("");

/** The table and the last command of it that was announced. */
let heard: { readonly table: string; readonly act: number } | null = null;
let clock = 0;

function newestAct(happened: readonly NewsLine[]): number {
  return happened.reduce((newest, one) => Math.max(newest, one.act), 0);
}

function text(happened: readonly NewsLine[]): string {
  return inOrder(happened).map(explained).join(". ");
}

function announce(): void {
  const table = view.value?.table ?? "";
  const happened = game.value?.happened ?? [];
  const act = heard?.act ?? 0;
  const fresh = happened.filter((one) => one.act > act);
  heard = { table, act: Math.max(act, newestAct(happened)) };
  if (fresh.length === 0 || looksBack.value) return;
  showMoment(fresh);
  const seat = you.value.seat;
  const isMine = (one: NewsLine) => seat !== null && one.hurt.includes(seat);
  announced.value = {
    hurt: text(fresh.filter(isMine)),
    other: text(fresh.filter((one) => !isMine(one))),
  };
}

/** Announce each question to this phone once. */
export function watchAsked(): void {
  let known = "";
  effect(() => {
    const question = game.value?.question ?? null;
    const seat = acting.value;
    const own = seat === you.value.seat;
    const id = question === null || seat === null ? "" : `${question.id} ${own}`;
    if (id === known) return;
    known = id;
    if (question === null || seat === null) asked.value = "";
    else {
      const { who, what } = questionWords(question, seat);
      asked.value = `${who} ${what}`;
    }
  });
}

/** Announce what happens from now on; what happened before the page was opened is only shown. */
export function watchNews(): void {
  for (const kind of ["click", "keydown"])
    window.addEventListener(kind, passMoment, { capture: true });
  effect(() => {
    const now = view.value;
    if (now === null) return;
    const happened = now.game?.happened ?? [];
    if (heard?.table !== now.table) heard = { table: now.table, act: newestAct(happened) };
    window.clearTimeout(clock);
    if (newestAct(happened) > heard.act) clock = window.setTimeout(announce, SETTLED_MS);
  });
}

/** Whether this phone has a voice: null until its voices are known. */
export const hasVoice = signal<boolean | null>(null);

function lookForVoice(): void {
  const voices = window.speechSynthesis?.getVoices() ?? [];
  hasVoice.value =
    voices.length === 0
      ? null
      : voices.some((voice) => voice.lang.toLowerCase().startsWith(prefs.value.language));
}

function speak(text: string): void {
  if (prefs.value.voice && text !== "" && "speechSynthesis" in window) sayAloud(text);
}

/** Say it in the phone's language, whether it reads aloud by itself or not. */
export function sayAloud(text: string): void {
  const said = new SpeechSynthesisUtterance(text);
  said.lang = prefs.value.language;
  window.speechSynthesis.speak(said);
}

/** Read aloud from now on; what was asked before the page was opened is only shown. */
export function watchVoice(): void {
  let before = asked.value;
  effect(() => {
    if (asked.value === before) return;
    before = asked.value;
    if (before === "") window.speechSynthesis?.cancel();
    else speak(before);
  });
  let news = announced.value;
  effect(() => {
    // Preferences are read below too: a change of those repeats nothing.
    if (announced.value === news) return;
    news = announced.value;
    speak([news.hurt, news.other].filter((one) => one !== "").join(". "));
  });
  effect(() => {
    if (!prefs.value.voice) window.speechSynthesis?.cancel();
    lookForVoice();
  });
  window.speechSynthesis?.addEventListener?.("voiceschanged", lookForVoice);
}
