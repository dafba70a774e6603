/** The page of televisions and overlays: one picture of 1920 × 1080, scaled to the window. */
import "./polyfills";
import "../styles/tv.css";
import "../styles/tv-screens.css";
import { type ComponentChildren, render } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { lastMessageAt, line, stranger } from "../store/table";
import { kind, moments, startScreen, viewer } from "../store/tv";
import { t, time, wordsReady } from "../store/words";
import {
  FallScreen,
  GameScreen,
  LobbyScreen,
  OverlayOutside,
  OverlayScreen,
  OverScreen,
  PairScreen,
} from "./screens";

const WIDTH = 1920;
const HEIGHT = 1080;

export function Page() {
  return (
    <Scaled>
      {wordsReady() && <Shown />}
      {wordsReady() && line.value === "lost" && viewer.value !== null && (
        <p class="as-of absolute color-ink" role="status">
          {t("tv.as_of", { time: time(lastMessageAt.value) })}
        </p>
      )}
    </Scaled>
  );
}

function Shown() {
  const now = viewer.value;
  if (stranger.value) return kind === "tv" ? <PairScreen /> : <OverlayOutside />;
  if (now === null) return null;
  if (kind === "overlay")
    return now.game === null ? null : <OverlayScreen now={now} game={now.game} />;
  if (now.game === null)
    return now.lobby === null ? null : <LobbyScreen now={now} lobby={now.lobby} />;
  const [fall] = moments.falls.value;
  if (fall !== undefined) return <FallScreen game={now.game} fall={fall} />;
  if (now.game.ended !== null) return <OverScreen now={now} game={now.game} />;
  return <GameScreen now={now} game={now.game} />;
}

/** Everything is placed in pixels of 1920 × 1080, and scaled at the root to what the window has. */
function Scaled({ children }: { readonly children: ComponentChildren }) {
  const [{ width, height }, setSize] = useState(windowSize);
  useLayoutEffect(() => {
    const measure = () => setSize(windowSize());
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, []);
  const scale = Math.min(width / WIDTH, height / HEIGHT);
  const left = (width - WIDTH * scale) / 2;
  // An overlay stands on the lower edge of the video.
  const top = (height - HEIGHT * scale) / (kind === "overlay" ? 1 : 2);
  const stale = line.value === "lost" ? " stale" : "";
  return (
    <div
      class={`stage corner${stale}`}
      style={{ transform: `translate(${left}px, ${top}px) scale(${scale})` }}
    >
      {children}
    </div>
  );
}

function windowSize(): { readonly width: number; readonly height: number } {
  return { width: window.innerWidth, height: window.innerHeight };
}

document.documentElement.className = `screen-${kind}`;
void startScreen();

const root = document.getElementById("app");
if (root !== null) render(<Page />, root);
