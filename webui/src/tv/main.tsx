/** The start of the page of televisions and overlays. */
import "./polyfills";
import { render } from "preact";
import "./styles/index.css";
import { enterByLink } from "../store/tv/entry";
import { watchLanguage } from "../store/tv/language";
import { kind } from "../store/tv/screen";
import { watchStory } from "../store/tv/story";
import { listen } from "../store/tv/stream";
import { Page } from "./page";

document.documentElement.className = `screen-${kind}`;
watchLanguage();
watchStory();
void enterByLink().then(listen);

const root = document.getElementById("app");
if (root !== null) render(<Page />, root);
