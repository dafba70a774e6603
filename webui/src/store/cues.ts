/** What calls this phone's player: a sound once for each turn, question, reading and problem; vibration. */
import { type Cue, prefs } from "./prefs";

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

/** Play the cue, unless it is switched off or nobody has touched the page yet. */
export function cue(name: Cue): void {
  // Neither sound nor vibration is allowed before the first touch.
  if (context === null) return;
  if (name === "question" && prefs.value.vibrate && "vibrate" in navigator)
    navigator.vibrate([200, 80, 200]);
  if (prefs.value.muted.includes(name)) return;
  for (const note of SCORES[name]) play(note, context);
}
