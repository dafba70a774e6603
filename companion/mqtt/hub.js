/* Puts in what has changed, every two seconds; says so if the hub does not answer. */
"use strict";

const EVERY_MS = 2_000;
const ANSWER_MS = 5_000;

async function update() {
  try {
    const answer = await fetch("/", { signal: AbortSignal.timeout?.(ANSWER_MS) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const shown = document.querySelector("main");
    const newest = page.querySelector("main");
    if (newest.innerHTML !== shown.innerHTML) {
      const focused = document.activeElement?.id;
      shown.replaceWith(newest);
      if (focused) document.getElementById(focused)?.focus();
    }
    document.getElementById("lost").hidden = true;
  } catch {
    document.getElementById("lost").hidden = false;
  }
  setTimeout(update, EVERY_MS);
}

setTimeout(update, EVERY_MS);
