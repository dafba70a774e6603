import { render } from "preact";
import { effect } from "@preact/signals";
import "./theme/index.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/screens.css";
import { App, fetchScreens } from "./app";
import { watchAttention } from "./store/attention";
import { unlockSound } from "./store/cues";
import { watchLine } from "./store/outbox";
import { prefs } from "./store/prefs";
import { watchPeople } from "./store/people";
import { watchHistory } from "./store/route";
import { listen } from "./store/stream";
import { watchFingers } from "./store/table";
import { watchQuestions } from "./store/turn";
import { joinByLink } from "./store/join";
import { watchLook } from "./store/look";
import { loadWords } from "./words";

effect(() => {
  document.documentElement.dataset["theme"] = prefs.value.theme;
});
watchFingers();
watchHistory();
unlockSound();
watchQuestions();
watchAttention();
watchLine();
watchPeople();
watchLook();
void loadWords(prefs.value.language);
void joinByLink().then(listen);
fetchScreens();

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
