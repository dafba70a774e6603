/** Small components for every screen. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Sign, type SignName, signOf } from "../art/signs";
import { failing, pendingCommands } from "../store/outbox";
import { closeSheet, openSheet } from "../store/route";
import { line, names, you } from "../store/table";
import { acting } from "../store/turn";
import { t } from "../store/words";
import type { Change, Number as What } from "../wire";

export interface ActProps {
  readonly onTap: () => void;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly label?: string;
  readonly pressed?: boolean;
  /** What a tap submits, for those that drive the page: an option's key, an offer's reference, a name. */
  readonly answer?: string;
  readonly sign?: SignName;
  readonly size?: number;
  readonly text?: string;
  readonly children?: ComponentChildren;
}

/** A tappable element, at least 48 px each way: a sign and words, or `children`. */
export function Act({
  onTap,
  class: extra,
  disabled,
  label,
  pressed,
  answer,
  ...inside
}: ActProps) {
  const { sign, size, text, children } = inside;
  return (
    <button
      type="button"
      class={`act ${extra ?? ""}`}
      disabled={disabled ?? false}
      data-answer={answer}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onTap}
    >
      {sign !== undefined && <Sign name={sign} size={size} />}
      {sign !== undefined && " "}
      {text}
      {children}
    </button>
  );
}

interface ArrowsProps {
  readonly index: number;
  readonly count: number;
  readonly up: string;
  readonly down: string;
  readonly onMove: (index: number, by: number) => void;
}

/** Move one of `count` rows up or down. */
export function Arrows({ index, count, up, down, onMove }: ArrowsProps) {
  const arrow = (by: number, label: string, sign: SignName, last: number) => (
    <Act
      class="arrow-key"
      sign={sign}
      label={label}
      disabled={index === last}
      onTap={() => onMove(index, by)}
    />
  );
  return (
    <>
      {arrow(-1, up, "chevron_up", 0)}
      {arrow(1, down, "chevron_down", count - 1)}
    </>
  );
}

/** Close the sheet. */
export function Close({ class: extra = "" }: { readonly class?: string }) {
  return <Act class={extra} onTap={closeSheet} text={t("close")} />;
}

export interface PrimaryProps {
  readonly text: string;
  readonly note?: string | undefined;
  readonly onTap?: (() => void) | undefined;
  /** Whether it waits for what is being sent. */
  readonly waits?: boolean;
}

/** The primary button of a screen. Without `onTap` it is dashed and names what is missing. */
export function Primary({ text, note, onTap, waits = true }: PrimaryProps) {
  const sending = useSending();
  const state = waits ? sending : "";
  const words = state === "" ? text : t(`sending.${state}`);
  const long = words.length > 15 ? " long" : "";
  return (
    <button
      type="button"
      class={`primary ${onTap === undefined ? "not-yet" : ""} ${state === "" ? "" : "sending"}${long}`}
      disabled={onTap === undefined || state !== ""}
      onClick={onTap}
    >
      <span class="primary-words">{words}</span>
      {note !== undefined && state === "" && <small>{note}</small>}
    </button>
  );
}

/**
 * The state of pending commands: "" at first, "now" after 300 ms. After 2 s "saving" while the service is
 * connected (it waits for its disk), else "kept".
 */
function useSending(): "" | "now" | "kept" | "saving" {
  const first = pendingCommands.value[0];
  const [state, setState] = useState<"" | "now" | "kept">("");
  useEffect(() => {
    if (first === undefined) {
      setState("");
      return undefined;
    }
    const age = Date.now() - first.since;
    const clocks = [
      window.setTimeout(() => setState("now"), Math.max(0, 300 - age)),
      window.setTimeout(() => setState("kept"), Math.max(0, 2_000 - age)),
    ];
    return () => {
      for (const clock of clocks) window.clearTimeout(clock);
    };
  }, [first?.command.command_id]);
  return state === "kept" && line.value === "live" && !failing.value ? "saving" : state;
}

/** before → after, with a word for screen readers, since the arrow is a drawing. */
export function Arrow({ before, after }: { readonly before: number; readonly after: number }) {
  return (
    <span
      class="arrow-pair inline-row gap-5"
      role="img"
      aria-label={t("change.spoken", { before, after })}
    >
      <b class="num">{before}</b>
      <Sign name="arrow_right" size={16} class="arrow muted" />
      <b class="num">{after}</b>
    </span>
  );
}

/** What few need, behind one tap. */
export function Fold({ text, children }: { text: string; children: ComponentChildren }) {
  return (
    <details class="fold">
      <summary class="act begin">{text}</summary>
      <div class="col gap-10">{children}</div>
    </details>
  );
}

/** The head of what stands below it, with a note at the end of the line. */
export function Heading({ text, note }: { readonly text: string; readonly note: string }) {
  return (
    <p class="row-between">
      <b>{text}</b> <span class="muted small">{note}</span>
    </p>
  );
}

/** A code to type, a cell for each sign. */
export function CodeCells({ code }: { readonly code: string }) {
  const signs = code.split("");
  return (
    <p class="code-cells middle gap-6" role="img" aria-label={signs.join(" ")}>
      {signs.map((sign, index) => (
        <b key={index} class="num">
          {sign}
        </b>
      ))}
    </p>
  );
}

/** Whether two changes are the same. */
export function isSame(one: Change, other: Change): boolean {
  return (
    one.seat === other.seat &&
    one.what === other.what &&
    one.before === other.before &&
    one.after === other.after
  );
}

interface DeltasProps {
  readonly changes: readonly Change[];
  readonly size?: number;
  /** Omit the names, which the text beside them has. */
  readonly plain?: boolean;
}

/** Each number's sign and change; with the name if it is another seat's. */
export function Deltas({ changes, size = 20, plain = false }: DeltasProps) {
  const mine = acting.value ?? you.value.seat;
  return (
    <>
      {changes.map(({ seat, what, before, after }) => (
        <span key={`${seat}${what}`} class="delta">
          {!plain && seat !== mine && <small>{names.player(seat)}</small>}
          <NumberSign what={what} size={size} />
          <Arrow before={before} after={after} />
        </span>
      ))}
    </>
  );
}

export function NumberSign({ what, size = 24 }: { readonly what: What; readonly size?: number }) {
  return <Sign name={signOf(what)} size={size} title={t(`number.${what}`)} meaning />;
}

type IdSignProps = Readonly<{ id: string; size?: number; meaning?: boolean }>;

/** A sign by its id on the wire; a hand if there is none. */
export function IdSign({ id, size = 24, meaning = true }: IdSignProps) {
  return <Sign name={signOf(id, "hand")} size={size} meaning={meaning} />;
}

export interface NoteProps {
  readonly sign: string;
  readonly tone?: "info" | "doubt" | "plain";
  readonly children: ComponentChildren;
}

/** A card whose edge shows its kind. */
export function Note({ sign, tone = "info", children }: NoteProps) {
  return (
    <div class={`note boxed row gap-10 ${tone}`}>
      <IdSign id={sign} size={28} />
      <div class="note-words row gap-10 grow semibold leading-125">{children}</div>
    </div>
  );
}

/** Announce `text` once to a screen reader when it changes. */
export function Spoken({ text, now = false }: { readonly text: string; readonly now?: boolean }) {
  return (
    <p class="sr-only" role={now ? "alert" : "status"} aria-live={now ? "assertive" : "polite"}>
      {text}
    </p>
  );
}

/** An animated counter: the digits change, nothing moves. */
export function Counter({ value, class: extra }: { value: number; class?: string }) {
  const before = useRef(value);
  const [ticked, setTicked] = useState(false);
  useEffect(() => {
    if (before.current === value) return undefined;
    before.current = value;
    setTicked(true);
    const clock = window.setTimeout(() => setTicked(false), 1_200);
    return () => window.clearTimeout(clock);
  }, [value]);
  return <span class={`num counter ${extra ?? ""} ${ticked ? "ticked" : ""}`}>{value}</span>;
}

export function ClauseLink({ id }: { readonly id: string }) {
  return (
    <button type="button" class="link clause" onClick={() => openSheet({ kind: "clause", id })}>
      {t("clause.why")}
    </button>
  );
}
