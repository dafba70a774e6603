/** Prompts read aloud, where the phone has a voice for its language: what is asked here, and what happened. */
import { effect, signal } from "@preact/signals";
import { game } from "../table/table";
import { acting, askedSeat } from "../turn/turn";
import { knows, t } from "../words";
import { announced } from "./announce";
import { prefs } from "./prefs";

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

/** The question that this phone answers, in words. */
function asked(): string {
  const question = game.value?.question ?? null;
  if (question === null || acting.value === null) return "";
  const key = `waiting.${knows(`waiting.${question.key}`) ? question.key : question.kind}`;
  return `${t("front.asked", { seat: askedSeat(question) })} ${t(key)}`;
}

/** Read aloud from now on; what was asked before the page was opened is only shown. */
export function watchVoice(): void {
  let question = game.value?.question?.id ?? "";
  effect(() => {
    const id = acting.value === null ? "" : (game.value?.question?.id ?? "");
    if (id === question) return;
    question = id;
    if (id === "") window.speechSynthesis?.cancel();
    else speak(asked());
  });
  effect(() => {
    const { hurt, other } = announced.value;
    speak([hurt, other].filter((one) => one !== "").join(". "));
  });
  effect(() => {
    if (!prefs.value.voice) window.speechSynthesis?.cancel();
    lookForVoice();
  });
  window.speechSynthesis?.addEventListener?.("voiceschanged", lookForVoice);
}
