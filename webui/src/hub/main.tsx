/** The start of the hub's page. */
import { effect } from "@preact/signals";
import { render } from "preact";
import "../theme/index.css";
import "./hub.css";
import { listen, watchClock } from "../store/hub/tables";
import { prefs } from "../store/phone/prefs";
import { loadWords } from "../store/words";
import { HubPage } from "./page";

effect(() => {
  document.documentElement.dataset.theme = prefs.value.theme;
});
void loadWords(prefs.value.language);
watchClock();
listen();

const root = document.getElementById("app");
if (root !== null) render(<HubPage />, root);
