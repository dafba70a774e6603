/** Prompts read aloud, where the phone has a voice for its language: what is asked here, and what happened. */
import { effect, signal } from "@preact/signals";
import { announced, asked } from "../phone/announce";
import { prefs } from "../phone/prefs";

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
  if (!prefs.value.voice || text === "" || !("speechSynthesis" in window)) return;
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
