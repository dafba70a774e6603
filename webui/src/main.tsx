/** The start of the page: install watchers and listeners, prefetch, then show the first screen. */
import "./styles/index.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { fetchScreens, Opening, Shown } from "./screens";
import {
  leaveCover,
  warnOfLeaving,
  watchAttention,
  watchFront,
  watchStale,
  watchTv,
} from "./store/front";
import { watchScore } from "./store/games";
import { watchLine } from "./store/outbox";
import { watchPeople } from "./store/people";
import { prefs, unlockSound, watchTextSize } from "./store/prefs";
import { watchHistory } from "./store/route";
import { joinByLink, listen } from "./store/stream";
import { watchFingers } from "./store/table";
import { watchFuse } from "./store/tray";
import { watchQuestions } from "./store/turn";
import { loadWords, wordsReady } from "./store/words";

effect(() => {
  document.documentElement.dataset.theme = prefs.value.theme;
});
watchTextSize();
watchFingers();
watchHistory(leaveCover, warnOfLeaving);
unlockSound();
watchQuestions();
watchFront();
watchScore();
watchAttention();
watchLine();
watchPeople();
watchStale();
watchFuse();
void loadWords(prefs.value.language);
watchTv();
void joinByLink().then(listen);
fetchScreens();
// Not with the first page, which shows nothing of them.
void import("./ui/spoken-news").then((one) => one.speakNews());
void import("./store/aloud").then((one) => one.watchAwake());
void import("./store/aloud").then((one) => one.watchVoice());
void import("./store/reminders").then((one) => one.watchHabits());
void import("./store/proposal").then((one) => one.watchTray());

const root = document.getElementById("app");
if (root !== null) render(<App />, root);

export function App() {
  return wordsReady() ? <Shown /> : <Opening />;
}
