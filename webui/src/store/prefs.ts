/** What this phone prefers and keeps: theme, language, text size; and short sounds, with one switch. */
import { effect, signal } from "@preact/signals";

export type Theme = "auto" | "night" | "paper" | "black";
export type Language = "en" | "es" | "fr" | "is";
export type Cue = "turn" | "question" | "read" | "problem" | "out" | "win";

export const THEMES: readonly Theme[] = ["auto", "night", "paper", "black"];
export const LANGUAGES: readonly Language[] = ["en", "es", "fr", "is"];
/** Sizes of all text, in percent of what the browser is set to. */
export const TEXT_SIZES: readonly number[] = [100, 125, 150, 175, 200];

export interface Prefs {
  readonly theme: Theme;
  readonly language: Language;
  readonly sound: boolean;
  readonly vibrate: boolean;
  readonly text: number;
  /** Whether prompts are read aloud. */
  readonly voice: boolean;
  /** Whether the screen stays on while a game runs. */
  readonly awake: boolean;
  /** Whether odds and coach are offered on this phone. */
  readonly odds: boolean;
}

const KEY = "monster-table.prefs";

/** Where something is kept: for good, or as long as the tab is open. */
type Store = "localStorage" | "sessionStorage";

/** Return the text stored under `key`; null if there is none or storage is unavailable. */
export function recall(key: string, from: Store = "localStorage"): string | null {
  try {
    return window[from].getItem(key);
  } catch {
    return null;
  }
}

/** Store `text` under `key` if storage is available. */
export function keep(key: string, text: string, where: Store = "localStorage"): void {
  try {
    window[where].setItem(key, text);
  } catch {
    // A private window may refuse; the choice then lasts as long as the page.
  }
}

function preferredLanguage(): Language {
  for (const wanted of navigator.languages ?? [navigator.language]) {
    const short = wanted.slice(0, 2).toLowerCase();
    const found = LANGUAGES.find((language) => language === short);
    if (found) return found;
  }
  return "en";
}

function stored(): Prefs {
  const fresh: Prefs = {
    theme: "auto",
    language: preferredLanguage(),
    sound: true,
    vibrate: true,
    text: 100,
    voice: false,
    awake: true,
    odds: false,
  };
  try {
    const old = JSON.parse(recall(KEY) ?? "{}") as Partial<Prefs>;
    return {
      theme: THEMES.find((theme) => theme === old.theme) ?? fresh.theme,
      language: LANGUAGES.find((language) => language === old.language) ?? fresh.language,
      sound: old.sound !== false,
      vibrate: old.vibrate !== false,
      voice: old.voice === true,
      awake: old.awake !== false,
      text: TEXT_SIZES.find((size) => size === old.text) ?? fresh.text,
      odds: old.odds === true,
    };
  } catch {
    return fresh;
  }
}

export const prefs = signal<Prefs>(stored());

/** Apply and store the change. */
export function setPrefs(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change };
  keep(KEY, JSON.stringify(prefs.value));
}

const PLAIN_PX = 16;
/** From this many plain sizes on, screens are laid out for large text. */
const LARGE = 1.25;

/** How much larger than plain text is here; a larger default of the browser counts too. */
export const textScale = signal(1);

export function isLarge(): boolean {
  return textScale.value >= LARGE;
}

/** Apply the text size, at once and whenever it changes. */
export function watchTextSize(): void {
  const root = document.documentElement;
  effect(() => {
    root.style.fontSize = `${prefs.value.text}%`;
    textScale.value = Number.parseFloat(getComputedStyle(root).fontSize) / PLAIN_PX || 1;
    root.dataset.text = isLarge() ? "large" : "plain";
  });
}

/** Hertz at its beginning and its end, and in seconds when it begins and how long it is. */
type Note = readonly [from: number, to: number, at: number, length: number];

const SCORES: Readonly<Record<Cue, readonly [shape: OscillatorType, ...notes: Note[]]>> = {
  turn: ["sine", [110, 60, 0, 0.16], [110, 60, 0.18, 0.17]],
  question: ["triangle", [440, 440, 0, 0.14], [554, 554, 0.15, 0.15]],
  read: ["square", [900, 500, 0, 0.08]],
  problem: ["triangle", [330, 330, 0, 0.14], [311, 311, 0.15, 0.15]],
  out: ["sawtooth", [220, 196, 0, 0.3], [174, 55, 0.32, 0.9]],
  win: [
    "triangle",
    [392, 392, 0, 0.16],
    [523, 523, 0.17, 0.16],
    [659, 659, 0.34, 0.16],
    [784, 784, 0.51, 0.7],
  ],
};

let context: AudioContext | null = null;

/** Enable sound: browsers require a first tap. */
export function unlockSound(): void {
  const wake = () => {
    context ??= "AudioContext" in window ? new AudioContext() : null;
    if (context !== null && context.state !== "running") void context.resume();
  };
  for (const touch of ["pointerdown", "keydown"] as const)
    window.addEventListener(touch, wake, { capture: true, passive: true });
}

function play([from, to, at, length]: Note, shape: OscillatorType, on: AudioContext): void {
  const start = on.currentTime + at;
  const voice = on.createOscillator();
  const level = on.createGain();
  voice.type = shape;
  voice.frequency.setValueAtTime(from, start);
  voice.frequency.exponentialRampToValueAtTime(to, start + length);
  level.gain.setValueAtTime(0.25, start);
  level.gain.exponentialRampToValueAtTime(0.001, start + length);
  voice.connect(level).connect(on.destination);
  voice.start(start);
  voice.stop(start + length);
}

/** Play the cue, unless sound is switched off or nobody has touched the page yet. */
export function cue(name: Cue): void {
  // Neither sound nor vibration is allowed before the first touch.
  if (context === null) return;
  if (name === "question" && prefs.value.vibrate && "vibrate" in navigator)
    navigator.vibrate([200, 80, 200]);
  if (!prefs.value.sound) return;
  const [shape, ...notes] = SCORES[name];
  for (const note of notes) play(note, shape, context);
}
