/** The frame of every screen: status line, content to read and to tap, dock, tabs; news, notices, toasts, the fuse. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Sign, type SignName } from "../art/signs";
import { redo, takeBack } from "../store/acts";
import { api } from "../store/api";
import { settling } from "../store/front";
import { type Done, dismiss, done, refusal } from "../store/outbox";
import * as people from "../store/people";
import { isLarge, textScale } from "../store/prefs";
import { go, openSheet, type Tab, tab } from "../store/route";
import { useSeconds } from "../store/source";
import { game, line, show, view, you } from "../store/table";
import * as tray from "../store/tray";
import { acting, questionWords } from "../store/turn";
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

/** The results of the latest command, newest first, as many as fit into a screen's head. */
export function newest(): readonly NewsLine[] {
  const all = game.value?.happened ?? [];
  return all.filter((one) => one.act === all[0]?.act).slice(0, SHOWN);
}

/** Further results of the last roll. */
export function earlier(): readonly NewsLine[] {
  return (game.value?.happened ?? []).slice(newest().length);
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

/** The notice, at the place of a toast: it covers and moves nothing that is tapped. */
export function NoticeStrip() {
  return (
    <>
      <LogNoticeStrip />
      <DriftStrip />
      <CameraStrip />
      <PeopleStrip />
    </>
  );
}

function PeopleStrip() {
  const one = people.notice.value;
  if (one === null) return null;
  return (
    <div class="notice" role={one.kind === "claim" ? "alert" : "status"} data-notice={one.kind}>
      <span class="toast-words">{noticeWords(one)}</span>
      <Acts one={one} />
    </div>
  );
}

/** Notices about the log: shown to everybody until the host has seen them. */
function LogNoticeStrip() {
  const one = view.value?.notices[0];
  if (one === undefined) return null;
  return (
    <div class="notice" role="status" data-notice="log">
      <span class="toast-words">{say(one.words)}</span>
      {you.value.role === "host" && (
        <Small text={t("log_notice.seen")} onTap={() => void seenByHost(one.id)} />
      )}
    </div>
  );
}

/** What the camera has noticed between rolls, with what the host can do: others see it in the tray strip. */
function DriftStrip() {
  const drift = view.value?.tray.drift ?? null;
  if (drift === null || you.value.role !== "host") return null;
  const light = drift === "light" || drift === "colour" || drift === "glare";
  return (
    <div class="notice" role="status" data-notice="drift">
      <span class="toast-words">{t(`tray.drift.${drift}`)}</span>
      {light ? (
        <Small text={t("drift.adjust")} onTap={() => void api.drift({ act: "adjust" })} />
      ) : (
        <Small
          text={t(drift === "box" ? "drift.box" : "drift.set_up")}
          // Not with the first page: it is seldom needed.
          onTap={() => void import("../store/setup").then((one) => one.openSetup())}
        />
      )}
      <Small text={t("drift.accept")} onTap={() => void api.drift({ act: "accept" })} />
    </div>
  );
}

/** A camera that was plugged in while the table has none. */
function CameraStrip() {
  const name = tray.foundCamera.value;
  if (name === "") return null;
  return (
    <div class="notice" role="status" data-notice="camera">
      <span class="toast-words">{t("camera.found", { name })}</span>
      <Small text={t("camera.use")} onTap={() => void tray.takeCamera()} />
      <Act class="toast-close" label={t("toast.close")} onTap={tray.putCameraOff}>
        <Sign name="cross" size={20} />
      </Act>
    </div>
  );
}

async function seenByHost(id: string): Promise<void> {
  const answer = await api.seen({ notice: id });
  if (answer.kind === "done") show(answer.value);
}

function noticeWords(one: people.Notice): string {
  switch (one.kind) {
    case "claim": {
      const asker = people.personOf(one.claim.by);
      const name = asker === null ? "" : people.personName(asker);
      return t(one.mine ? "notice.claim_mine" : "notice.claim", { name, seat: one.claim.seat });
    }
    case "kept":
      return t("notice.kept", { seat: one.seat });
    case "taken":
      return t("notice.taken");
    case "host_lost":
      return t("notice.host_lost", {
        name: people.host.value === null ? "" : people.personName(people.host.value),
        count: people.host.value?.silent_min ?? 0,
      });
    case "late":
      return t("notice.late", { count: one.count });
    case "host":
      return one.person.id === you.value.id
        ? t("notice.host_you")
        : t("notice.host", { name: people.personName(one.person) });
  }
}

function Acts({ one }: { readonly one: people.Notice }) {
  switch (one.kind) {
    case "claim":
      return (
        <>
          <Small text={t("notice.keep")} onTap={() => void people.answerClaim(one.claim, false)} />
          <Small text={t("notice.give")} onTap={() => void people.answerClaim(one.claim, true)} />
        </>
      );
    case "taken":
      return <Small text={t("notice.take_back")} onTap={() => void people.takeSeat(one.seat)} />;
    case "host_lost":
      return <Small text={t("notice.take_over")} onTap={() => openSheet({ kind: "host" })} />;
    case "late":
      return (
        <>
          <Small text={t("notice.late_what")} onTap={() => openSheet({ kind: "qr" })} />
          <Small text={t("toast.ok")} onTap={() => people.seen(one)} />
        </>
      );
    case "kept":
    case "host":
      return <Small text={t("toast.ok")} onTap={() => people.seen(one)} />;
  }
}

function Small({ text, onTap }: { readonly text: string; readonly onTap: () => void }) {
  return (
    <button type="button" class="act toast-act" onClick={onTap}>
      {text}
    </button>
  );
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

/**
 * The toast, at the end of a screen's head or on the edge of a sheet: nothing to tap is there, so it covers
 * neither tabs nor buttons, and moves nothing. It scrolls with the head.
 */
export function Toast({ onSheet = false }: { readonly onSheet?: boolean }) {
  const refused = refusal.value;
  const last = lastOf(done.value, tray.burnt.value);
  const fresh = useFresh(last?.at);
  const loud = useFresh(refused?.at);
  if (refused !== null && loud) {
    return (
      <div class="toast refused" role="alert">
        <span class="toast-words">{say(refused.words)}</span>
        <button type="button" class="act toast-act" onClick={dismiss}>
          {t("toast.ok")}
        </button>
      </div>
    );
  }
  const now = view.value;
  if (!fresh || last === null || now === null || now.rev !== last.rev || last.setting) return null;
  // The log has Undo and Redo of its own.
  if (tab.value === "log" && !onSheet) return null;
  // After an undo the lastOf command is an older one: offering to undo it would go too far.
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
      <button
        type="button"
        class="act toast-act"
        onClick={() => {
          close();
          onTap(seq);
        }}
      >
        <Sign name={way} size={20} /> {t(`toast.${way}`)}
      </button>
      <button type="button" class="act toast-close" aria-label={t("toast.close")} onClick={close}>
        <Sign name="cross" size={20} />
      </button>
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
      <Sign name="question" size={24} />
      <span class="asked-words grow">
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
    <header class={`status ${poster && !lost ? "on-field" : ""} ${lost ? "stale" : ""}`}>
      <span class="status-left">{lost ? t("line.none") : text}</span>
      {tray.isDemo.value && (
        <span class="demo-sticker inline-row gap-5 rigid color-ink bold leading-125">
          <Sign name="dice" size={16} /> {t("demo")}
        </span>
      )}
      {state !== null && (
        <span class="status-right">
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
