/** The size of all text on this phone: lengths of type are in rem, so the root's size is all there is to set. */
import { effect, signal } from "@preact/signals";
import { prefs } from "../phone/prefs";

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
