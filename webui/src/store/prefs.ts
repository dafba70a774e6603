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

/** Return the text stored under `key`; null where there is none or storage is unavailable. */
export function recall(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Store `text` under `key`, where storage is available. */
export function keep(key: string, text: string): void {
  try {
    window.localStorage.setItem(key, text);
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

type Note = Readonly<{ from: number; to: number; at: number; for: number; shape: OscillatorType }>;

const SCORES: Readonly<Record<Cue, readonly Note[]>> = {
  turn: [
    { from: 110, to: 60, at: 0, for: 0.16, shape: "sine" },
    { from: 110, to: 60, at: 0.18, for: 0.17, shape: "sine" },
  ],
  question: [
    { from: 440, to: 440, at: 0, for: 0.14, shape: "triangle" },
    { from: 554, to: 554, at: 0.15, for: 0.15, shape: "triangle" },
  ],
  read: [{ from: 900, to: 500, at: 0, for: 0.08, shape: "square" }],
  problem: [
    { from: 330, to: 330, at: 0, for: 0.14, shape: "triangle" },
    { from: 311, to: 311, at: 0.15, for: 0.15, shape: "triangle" },
  ],
  out: [
    { from: 220, to: 196, at: 0, for: 0.3, shape: "sawtooth" },
    { from: 174, to: 55, at: 0.32, for: 0.9, shape: "sawtooth" },
  ],
  win: [
    { from: 392, to: 392, at: 0, for: 0.16, shape: "triangle" },
    { from: 523, to: 523, at: 0.17, for: 0.16, shape: "triangle" },
    { from: 659, to: 659, at: 0.34, for: 0.16, shape: "triangle" },
    { from: 784, to: 784, at: 0.51, for: 0.7, shape: "triangle" },
  ],
};

let context: AudioContext | null = null;

/** Enable sound: browsers require a first tap. */
export function unlockSound(): void {
  const wake = () => {
    context ??= "AudioContext" in window ? new AudioContext() : null;
    if (context?.state === "suspended") void context.resume();
  };
  for (const touch of ["pointerdown", "keydown"] as const)
    window.addEventListener(touch, wake, { capture: true, passive: true });
}

function play(note: Note, on: AudioContext): void {
  const start = on.currentTime + note.at;
  const voice = on.createOscillator();
  const level = on.createGain();
  voice.type = note.shape;
  voice.frequency.setValueAtTime(note.from, start);
  voice.frequency.exponentialRampToValueAtTime(note.to, start + note.for);
  level.gain.setValueAtTime(0.25, start);
  level.gain.exponentialRampToValueAtTime(0.001, start + note.for);
  voice.connect(level).connect(on.destination);
  voice.start(start);
  voice.stop(start + note.for);
}

/** Play the cue, unless sound is switched off or nobody has touched the page yet. */
export function cue(name: Cue): void {
  // Neither sound nor vibration is allowed before the first touch.
  if (context === null) return;
  if (name === "question" && prefs.value.vibrate && "vibrate" in navigator)
    navigator.vibrate([200, 80, 200]);
  if (!prefs.value.sound) return;
  for (const note of SCORES[name]) play(note, context);
}
