/** The frame of every screen: status line, content to read, content to tap, the dock, the tabs. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { Sign } from "../../art/signs/sign";
import { isLarge, textScale } from "../../store/access/text-size";
import { settling } from "../../store/phone/front";
import { go, type Tab, tab } from "../../store/phone/route";
import { game, line, view, you } from "../../store/table/table";
import { isDemo } from "../../store/turn/tray";
import { acting, questionWords } from "../../store/turn/turn";
import { t } from "../../store/words";
import { FuseStrip } from "./fuse";
import { News } from "./news";
import { NoticeStrip } from "./notices";
import { Toast } from "./toast";

/** Whether a sheet covers the screen: what is shown once is then shown on the sheet. */
export const Covered = createContext(false);

export interface ScreenProps {
  /** Names the screen for tests and styles. */
  readonly name: string;
  readonly status?: string;
  /** Content above the fold, for reading. */
  readonly head: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly dock?: ComponentChildren;
  readonly tabs?: boolean;
  /** Dark text on a coloured field, instead of light text on the background. */
  readonly poster?: boolean;
  readonly alert?: boolean;
  /** Whether the head shows the latest news; a screen may show it itself. */
  readonly news?: boolean;
  /** Its dock has the keys of the dice. */
  readonly keyed?: boolean;
  /** It shows an earlier moment: the status line says that it is not live. */
  readonly then?: boolean;
}

export function Screen({
  name,
  status,
  head,
  children,
  dock,
  tabs = true,
  poster = false,
  alert = false,
  news = tabs,
  then = false,
  keyed = false,
}: ScreenProps) {
  const covered = useContext(Covered);
  const scroll = useRef<HTMLDivElement>(null);
  // Keys scroll what has the focus: where nothing in it can have it, the page itself does.
  useLayoutEffect(() => {
    const box = scroll.current;
    if (box === null) return;
    if (box.querySelector("button, a, input") === null) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  return (
    <div
      class={`page screen-${name} ${tabs ? "tabbed" : ""} ${keyed ? "keyed" : ""} ${settling.value ? "settling" : ""}`}
      data-screen={name}
      data-question={game.value?.question?.id}
      inert={covered}
    >
      <div class="scroll" ref={scroll}>
        <StatusLine text={status ?? turnText()} poster={poster} then={then} />
        <main>
          <div
            class="whole"
            {...(alert ? { role: "alertdialog" as const, "aria-labelledby": "headline" } : {})}
          >
            <div class={poster ? "top on-poster" : "top"}>
              {head}
              {news && !poster && <News over={false} />}
              {!covered && (
                <div class="toast-place col absolute">
                  <div class="strips">
                    {news && poster && <News over />}
                    <NoticeStrip />
                    <Toast />
                  </div>
                </div>
              )}
            </div>
            <div class="body">{children}</div>
          </div>
        </main>
      </div>
      {(dock !== undefined || tabs) && (
        <section class="dock" aria-label={t("dock.label")}>
          {name !== "proposal" && <FuseStrip />}
          {tabs && <QuestionBar />}
          {dock}
        </section>
      )}
      {tabs && <Tabs />}
    </div>
  );
}

export function turnText(): string {
  const now = game.value;
  if (now === null) return t("title");
  const turn = t("status.turn", { turn: now.turn });
  return you.value.seat === now.active || now.ended
    ? turn
    : t("status.turn_of", { turn: now.turn, seat: now.active });
}

/** The link on other tabs back to the open question of this phone. */
function QuestionBar() {
  const question = game.value?.question ?? null;
  const seat = acting.value;
  if (question === null || seat === null || tab.value === "monster") return null;
  const { who, what } = questionWords(question, seat);
  return (
    <button type="button" class="act asked-bar dashed-gold begin" onClick={() => go("monster")}>
      <Sign name="question" size={24} class="gold" />
      <span class="asked-words grow">
        <b>{who}</b> {what}
      </span>
      <Sign name="chevron_right" size={20} />
    </button>
  );
}

function StatusLine({ text, poster, then }: { text: string; poster: boolean; then: boolean }) {
  const lost = line.value === "lost";
  return (
    <header class={`status ${poster && !lost ? "on-field" : ""} ${lost ? "stale" : ""}`}>
      <span class="status-left">{lost ? t("line.none") : text}</span>
      {isDemo.value && (
        <span class="demo-sticker inline-row gap-5 rigid color-ink bold leading-125">
          <Sign name="dice" size={16} /> {t("demo")}
        </span>
      )}
      {then && !lost ? (
        <span class="status-right">
          <Sign name="clock" size={18} class="gold" /> {t("line.then")}
        </span>
      ) : (
        <LinkState />
      )}
    </header>
  );
}

function LinkState() {
  const camera = view.value?.tray.camera;
  if (line.value !== "live") {
    return (
      <span class="status-right">
        <Sign name="clock" size={18} /> {t("line.old")}
      </span>
    );
  }
  if (view.value?.saved === false) {
    return (
      <span class="status-right">
        <Sign name="warning" size={18} /> {t("line.unsaved")}
      </span>
    );
  }
  // The sticker stands in its place.
  if (isDemo.value) return null;
  if (game.value?.ended != null) {
    return (
      <span class="status-right">
        <Sign name="tick" size={18} /> {t("line.saved")}
      </span>
    );
  }
  if (game.value !== null && (camera === "none" || camera === "ended")) {
    return (
      <span class="status-right">
        <Sign name="camera_off" size={18} class="muted" /> {t(`camera.${camera}`)}
      </span>
    );
  }
  return (
    <span class="status-right">
      <Sign name="link" size={18} class="go" /> {t("line.live")}
    </span>
  );
}

const TABS: readonly { readonly tab: Tab; readonly sign: "paw" | "table" | "log" | "more" }[] = [
  { tab: "monster", sign: "paw" },
  { tab: "table", sign: "table" },
  { tab: "log", sign: "log" },
  { tab: "more", sign: "more" },
];

function Tabs() {
  return (
    <nav class="tabs" aria-label={t("tabs.label")}>
      {TABS.map((one) => (
        <button
          key={one.tab}
          type="button"
          class={tab.value === one.tab ? "tab chosen" : "tab"}
          aria-current={tab.value === one.tab ? "page" : undefined}
          onClick={() => go(one.tab)}
        >
          <Sign name={one.sign} size={24} />
          <span>{t(`tab.${one.tab}`)}</span>
        </button>
      ))}
    </nav>
  );
}

/** A screen's headline, as large as the poster allows; `room` is the available width, in CSS px at 390. */
export function Headline({
  text,
  room = 358,
  lines = 2,
  most = 60,
}: {
  readonly text: string;
  readonly room?: number;
  readonly lines?: number;
  readonly most?: number;
}) {
  return (
    <h1 id="headline" class="headline" style={headlineStyle(text, room, lines, most)}>
      {text}
    </h1>
  );
}

/** How much further than `most` a head may grow where text is large and there is room. */
const GROWTH = 1.25;

/** The size and width of a head: as large as the room allows; large text has the whole width, and two lines. */
export function headlineStyle(text: string, room: number, lines: number, most: number) {
  const scale = Math.min(1, window.innerWidth / 390);
  const width = isLarge() ? 358 : room;
  const size = isLarge()
    ? fittingSize(text, width, Math.min(lines, 2), most * GROWTH)
    : fittingSize(text, width, lines, most);
  return {
    fontSize: `${Math.floor(size * scale) / (16 * textScale.value)}rem`,
    maxWidth: `${width * scale + 8}px`,
  };
}

/** The width of a capital in the poster face, in em; slightly too large, so that nothing wraps by a hair. */
const EM = 0.5;

/** Return the largest size at which `text` wraps, at its plain spaces, into at most `lines` lines of `room` px. */
export function fittingSize(text: string, room: number, lines: number, most: number): number {
  const words = text.split(/ +/).map((word) => word.length);
  for (let size = most; size > 26; size -= 2) {
    const width = room / (size * EM);
    let used = 1;
    let left = width;
    let broken = false;
    for (const word of words) {
      if (word > width) broken = true;
      if (left < word && left !== width) {
        used += 1;
        left = width;
      }
      left -= word + 1;
    }
    if (!broken && used <= lines) return size;
  }
  return 26;
}
