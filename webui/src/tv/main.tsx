/** The start of the page of televisions and overlays. */
import "./polyfills";
import { render } from "preact";
import "./styles/index.css";
import { kind, startScreen } from "../store/tv";
import { Page } from "./page";

document.documentElement.className = `screen-${kind}`;
void startScreen();

const root = document.getElementById("app");
if (root !== null) render(<Page />, root);
