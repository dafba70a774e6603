/** The start of the page: install watchers and listeners, prefetch, then show the first screen. */
import { effect } from "@preact/signals";
import { render } from "preact";
import "./theme/index.css";
import "./styles/index.css";
import { App } from "./app";
import { fetchScreens } from "./screens";
import { watchTextSize } from "./store/access/text-size";
import { watchAttention } from "./store/phone/attention";
import { unlockSound } from "./store/phone/cues";
import { leaveCover, warnOfLeaving, watchFront, watchStale } from "./store/phone/front";
import { prefs } from "./store/phone/prefs";
import { watchHistory } from "./store/phone/route";
import { joinByLink } from "./store/server/join";
import { watchLine } from "./store/server/outbox";
import { listen } from "./store/server/stream";
import { watchScore } from "./store/table/games";
import { watchPeople } from "./store/table/people";
import { watchFingers } from "./store/table/table";
import { watchFuse } from "./store/turn/fuse";
import { watchTray } from "./store/turn/tray";
import { watchQuestions } from "./store/turn/turn";
import { loadWords } from "./store/words";

effect(() => {
  document.documentElement.dataset.theme = prefs.value.theme;
});
watchTextSize();
watchFingers();
watchHistory(leaveCover, warnOfLeaving);
unlockSound();
watchQuestions();
watchTray();
watchFront();
watchScore();
watchAttention();
watchLine();
watchPeople();
watchStale();
watchFuse();
void loadWords(prefs.value.language);
void joinByLink().then(listen);
fetchScreens();
// Not with the first page, which shows nothing of them.
void import("./ui/frame/spoken-news").then((one) => one.speakNews());
void import("./store/access/awake").then((one) => one.watchAwake());
void import("./store/access/voice").then((one) => one.watchVoice());
void import("./store/turn/habits").then((one) => one.watchHabits());

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
