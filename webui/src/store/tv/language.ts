/** The language of a screen: that of its address, else the host's choice, else the browser's. */
import { effect } from "@preact/signals";
import { LANGUAGES, type Language, prefs } from "../phone/prefs";
import { loadWords } from "../words";
import { view } from "./screen";

function known(name: string | null | undefined): Language | undefined {
  return LANGUAGES.find((one) => one === name);
}

/** Load the sentences of the language, and again where the host chooses another. */
export function watchLanguage(): void {
  const asked = known(new URLSearchParams(window.location.search).get("lang"));
  const own = asked ?? prefs.peek().language;
  let spoken: Language | null = null;
  effect(() => {
    const language = asked ?? known(view.value?.language) ?? own;
    if (language === spoken) return;
    spoken = language;
    prefs.value = { ...prefs.peek(), language };
    void loadWords(language);
  });
}
