/** The frame of every screen: status line, content to read and to tap, dock, tabs; news, notices, toasts, the fuse. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Sign, type SignName } from "../art/signs";
import { loadable } from "../store/api";
import { settling } from "../store/front";
import { type Done, dismiss, done, refusal } from "../store/outbox";
import { isLarge, textScale } from "../store/prefs";
import { go, type Tab, tab } from "../store/route";
import { useSeconds } from "../store/source";
import { game, inOrder, line, view, you } from "../store/table";
import * as tray from "../store/tray";
import { acting, questionWords, redo, takeBack } from "../store/turn";
import { explained, say, t } from "../store/words";
import type { Fuse, NewsLine, Undoable } from "../wire";
import { Act, IdSign } from "./kit";

function Words({ fuse }: { readonly fuse: Fuse }) {
  const seconds = useSeconds(fuse);
  return (
    <>
      <span class="fuse-words" aria-hidden="true">
        {t(`fuse.${fuse.kind}`, { seconds, seat: fuse.seat })}
      </span>
      <span class="sr-only" role="alert">
        {t(`fuse.${fuse.kind}`, { seconds: Math.ceil(fuse.seconds), seat: fuse.seat })}
      </span>
      <small>{t("fuse.stop")}</small>
    </>
  );
}

/** What is left of the fuse, shrinking from what it was when it was first shown: a later view must not move it twice. */
function Rest({ fuse }: { readonly fuse: Fuse }) {
  const [burnt] = useState(fuse.left_s - fuse.seconds);
  return (
    <span
      class="fuse-rest"
      style={{ animationDuration: `${fuse.seconds}s`, animationDelay: `${burnt}s` }}
    />
  );
}

/** In place of the primary button: touching it stops the fuse, as touching anything does. */
export function FuseButton({ fuse }: { readonly fuse: Fuse }) {
  return (
    <button key={fuse.id} type="button" class="primary fuse">
      <Rest fuse={fuse} />
      <Words fuse={fuse} />
    </button>
  );
}

/** Above the dock of screens that have no button for it. */
export function FuseStrip() {
  const fuse = tray.burning.value;
  if (fuse === null) return null;
  return (
    <div key={fuse.id} class="fuse-strip row gap-10 rounded color-ink">
      <Rest fuse={fuse} />
      <Sign name="clock" size={24} />
      <span class="fuse-lines">
        <Words fuse={fuse} />
      </span>
    </div>
  );
}

const SHOWN = 2;

/** The results of the latest command that matter most, as many as fit into a screen's head. */
function heaviest(): readonly NewsLine[] {
  const all = game.value?.happened ?? [];
  return all.filter((one) => one.act === all[0]?.act).slice(0, SHOWN);
}

/** They in order, but for what the strip says beside Undo of one's own command. */
export function newest(): readonly NewsLine[] {
  const own = done.value?.rev === view.value?.rev ? view.value?.undo : null;
  const said = own == null ? "" : say(own.words);
  return inOrder(heaviest().filter((one) => say(one.words) !== said));
}

/** Further results of the last roll, in order. */
export function earlier(): readonly NewsLine[] {
  return inOrder((game.value?.happened ?? []).slice(heaviest().length));
}

/** The news; it stays until something else happens. */
export function News({ over }: { readonly over: boolean }) {
  const news = newest();
  // A head always reserves its space; over a picture it needs none.
  if (news.length === 0 && over) return null;
  return (
    <div class={`news col gap-2 bold leading-120 ${over ? "over" : ""}`}>
      {news.map((one, index) => (
        <p key={index}>
          <IdSign id={one.sign} size={18} meaning={false} /> {explained(one)}
        </p>
      ))}
    </div>
  );
}

// Not with the first page: there seldom is one.
const notices = loadable(() => import("./notices"));

function Notices() {
  const found = notices.get();
  return found === null ? null : <found.NoticeStrip />;
}

const SHOWN_MS = 8_000;

/** Return true until `SHOWN_MS` after `at`. */
function useFresh(at: number | undefined): boolean {
  const [, turn] = useState(0);
  const left = at === undefined ? 0 : at + SHOWN_MS - Date.now();
  useEffect(() => {
    if (left <= 0) return undefined;
    const clock = window.setTimeout(() => turn((n) => n + 1), left + 20);
    return () => window.clearTimeout(clock);
  }, [at]);
  return left > 0;
}

type Last = Done & { readonly tray: boolean };

function lastOf(own: Done | null, tray: tray.Burnt | null): Last | null {
  if (tray !== null && (own === null || own.at < tray.at))
    return { ...tray, command: "", setting: false, undid: false, tray: true };
  return own === null ? null : { ...own, tray: false };
}

function close(): void {
  dismiss();
  tray.forgetBurnt();
}

/** The toast, a strip of its own between what is read and what is tapped, or on the edge of a sheet: it covers nothing. */
export function Toast({ onSheet = false }: { readonly onSheet?: boolean }) {
  const refused = refusal.value;
  const last = lastOf(done.value, tray.burnt.value);
  const fresh = useFresh(last?.at);
  const loud = useFresh(refused?.at);
  if (refused !== null && loud) {
    return (
      <div class="toast refused" role="alert">
        <span class="toast-words">{say(refused.words)}</span>
        <Act text={t("toast.ok")} onTap={dismiss} />
      </div>
    );
  }
  const now = view.value;
  if (!fresh || last === null || now === null || now.rev !== last.rev || last.setting) return null;
  // The log has Undo and Redo of its own.
  if (tab.value === "log" && !onSheet) return null;
  // After an undo the last command is an older one: offering to undo it would go too far.
  if (last.undid)
    return (
      now.redo && (
        <Offered
          text={t("toast.undone", { act: named(now.redo) })}
          way="redo"
          onTap={redo}
          seq={now.redo.seq}
        />
      )
    );
  return (
    mayUndo(now.undo) && (
      <Offered
        text={last.tray ? t("toast.tray", { act: explained(now.undo) }) : explained(now.undo)}
        way="undo"
        onTap={() => now.undo && takeBack(now.undo)}
        seq={now.undo.seq}
      />
    )
  );
}

/** The act by name, with how many come with it. */
export function named(act: Undoable): string {
  const name = explained(act);
  return act.more === 0 ? name : t("act.and_more", { act: name, count: act.more });
}

/** Whether this phone may undo it: only the host undoes the start. */
export function mayUndo(act: Undoable | null): act is Undoable {
  return act !== null && (!act.host_only || you.value.role === "host");
}

interface OfferedProps {
  readonly text: string;
  readonly way: "undo" | "redo";
  readonly seq: number;
  readonly onTap: (seq: number) => void;
}

function Offered({ text, way, seq, onTap }: OfferedProps) {
  return (
    <div class="toast" role="status">
      <span class="toast-words">{text}</span>
      <Act
        sign={way}
        size={20}
        text={t(`toast.${way}`)}
        onTap={() => {
          close();
          onTap(seq);
        }}
      />
      <Act class="toast-close" label={t("toast.close")} sign="cross" size={20} onTap={close} />
    </div>
  );
}

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
  // Keys scroll what has the focus: if nothing in it can have it, the page itself does.
  useLayoutEffect(() => {
    const box = scroll.current;
    if (box === null) return;
    if (box.querySelector("button, a, input") === null) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  return (
    <div
      class={`page relative col screen-${name} ${tabs ? "tabbed" : ""} ${keyed ? "keyed" : ""} ${settling.value ? "settling" : ""}`}
      data-screen={name}
      data-question={game.value?.question?.id}
      inert={covered}
    >
      <div class="scroll relative col" ref={scroll}>
        <StatusLine text={status ?? turnText()} poster={poster} then={then} />
        <main>
          <div
            class="whole"
            {...(alert ? { role: "alertdialog" as const, "aria-labelledby": "headline" } : {})}
          >
            <div class={`top relative rigid col gap-8 ${poster ? "on-poster" : ""}`}>
              {head}
              {news && <News over={poster} />}
            </div>
            <div class="body col">{children}</div>
          </div>
        </main>
      </div>
      {!covered && (
        <div class="strips rigid">
          <Toast />
          <Notices />
        </div>
      )}
      {(dock !== undefined || tabs) && (
        <section class="dock rigid col gap-8" aria-label={t("dock.label")}>
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
      <Sign name="question" size={24} />
      <span class="asked-words regular grow">
        <b>{who}</b> {what}
      </span>
      <Sign name="chevron_right" size={20} />
    </button>
  );
}

function StatusLine({ text, poster, then }: { text: string; poster: boolean; then: boolean }) {
  const lost = line.value === "lost";
  const state = linkState(then);
  return (
    <header
      class={`status absolute row justify-between gap-12 semibold text-15 ${poster && !lost ? "on-field" : ""} ${lost ? "stale" : ""}`}
    >
      <span class="status-left">{lost ? t("line.none") : text}</span>
      {tray.isDemo.value && (
        <span class="demo-sticker inline-row gap-5 rigid color-ink bold leading-125">
          <Sign name="dice" size={16} /> {t("demo")}
        </span>
      )}
      {state !== null && (
        <span class="status-right inline-row gap-6 rigid">
          <Sign name={state[0]} size={18} class={state[2]} /> {t(state[1])}
        </span>
      )}
    </header>
  );
}

/** How live the page is: its sign, the words for it, and their tone. */
function linkState(then: boolean): readonly [SignName, string, string?] | null {
  const camera = view.value?.tray.camera;
  if (then && line.value !== "lost") return ["clock", "line.then", "gold"];
  if (line.value !== "live") return ["clock", "line.old"];
  if (view.value?.saved === false) return ["warning", "line.unsaved"];
  // The sticker stands in its place.
  if (tray.isDemo.value) return null;
  if (game.value?.ended != null) return ["tick", "line.saved"];
  if (game.value !== null && (camera === "none" || camera === "ended"))
    return ["camera_off", `camera.${camera}`, "muted"];
  return ["link", "line.live", "go"];
}

const TABS: readonly Tab[] = ["monster", "table", "log", "more"];

function Tabs() {
  return (
    <nav class="tabs flex rigid on-panel" aria-label={t("tabs.label")}>
      {TABS.map((one) => (
        <button
          key={one}
          type="button"
          class={`tab no-fill col items-center gap-2 grow muted semibold text-13 ${tab.value === one ? "chosen" : ""}`}
          aria-current={tab.value === one ? "page" : undefined}
          onClick={() => go(one)}
        >
          <Sign name={one === "monster" ? "paw" : one} size={24} />
          <span>{t(`tab.${one}`)}</span>
        </button>
      ))}
    </nav>
  );
}

type HeadlineProps = Readonly<{ text: string; room?: number; lines?: number; most?: number }>;

/** A screen's headline, as large as the poster allows; `room` is the available width, in CSS px at 390. */
export function Headline({ text, room = 358, lines = 2, most = 60 }: HeadlineProps) {
  return (
    <h1 id="headline" class="headline" style={headlineStyle(text, room, lines, most)}>
      {text}
    </h1>
  );
}

/** How much further than `most` a head may grow if text is large and there is room. */
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
