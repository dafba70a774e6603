/** One number of one Monster: why it is what it is, set by hand, and set by two hands at once. */
import "../styles/later.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { MonsterTile, Sign } from "../art";
import * as looks from "../store/looks";
import {
  behind,
  endConflict,
  type OpenConflict,
  openConflict,
  pendingCommands,
} from "../store/outbox";
import { isLarge } from "../store/prefs";
import { openSheet } from "../store/route";
import { seatOf, view, you } from "../store/table";
import { say, t, time } from "../store/words";
import { Headline, Screen } from "../ui/frame";
import { Act, Arrow, ClauseLink, Close, NumberSign } from "../ui/kit";
import { Gone, SheetFrame } from "../ui/strips";
import { numberOf } from "../ui/table";
import type { Conflict, Theirs, Number as What, Why } from "../wire";

export type DrasticProps = Readonly<{ held: looks.Held; value: number; onSet?: () => void }>;

/** Nothing is sent until it is answered; the number stays what it was by the first answer. */
export function Drastic({ held, value, onSet = looks.dialAnyway }: DrasticProps) {
  const { what } = held;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("button")?.focus({ preventScroll: true }), []);
  return (
    <div
      class="drastic pad-8-12 dashed-gold col gap-10 rounded"
      ref={box}
      role="alertdialog"
      aria-labelledby="drastic-head"
      aria-describedby="drastic-what"
    >
      <h2 id="drastic-head" class="sheet-head">
        {t("drastic.head", { what, value: held.value })}
      </h2>
      <div id="drastic-what">
        {held.outcomes.map((one) => (
          <p key={say(one)}>
            <Sign name="warning" size={20} class="gold" /> <b>{say(one)}</b>
          </p>
        ))}
        <p class="muted">{t("drastic.undo")}</p>
      </div>
      <div class="two">
        <Act onTap={looks.letBe}>
          {t("drastic.keep")} <NumberSign what={what} size={22} /> <b class="num">{value}</b>
        </Act>
        <Act onTap={onSet}>
          {t("drastic.set")} <NumberSign what={what} size={22} /> <b class="num">{held.value}</b>
        </Act>
      </div>
    </div>
  );
}

export function NumberSheet({ seat: index, what }: { readonly seat: number; readonly what: What }) {
  const seat = seatOf(index);
  const { rows, drastic } = looks.useWhy(index, what);
  const [all, setAll] = useState(false);
  const waiting = pendingCommands.value.length > 0 || behind.value;
  useEffect(() => {
    if (!waiting) looks.endDial();
  }, [waiting, view.value?.rev]);
  useEffect(
    () => () => {
      looks.letBe();
      looks.endDial();
    },
    [index, what],
  );
  if (seat === null) return <Gone />;
  const shown = numberOf(seat, what);
  const value = looks.dialled.value ?? shown.value;
  const limit = shown.most;
  const watcher = you.value.role === "spectator";
  const known = rows !== null;
  const set = (next: number) => looks.dial(index, what, next, drastic);
  const asked = looks.held.value;
  return (
    <SheetFrame name="number" label={t("number.head", { what, value })} tone="info" plain>
      <div class="number-head row gap-14">
        <NumberSign what={what} size={56} />
        <b class="num huge">{value}</b>
        <div>
          <h2 class="sheet-head">{t("number.why", { what, value })}</h2>
          <p class="muted">{t("number.of_whom", { monster: index })}</p>
        </div>
      </div>
      {asked === null ? <Chain rows={rows} all={all} /> : <Drastic held={asked} value={value} />}
      {!watcher && asked === null && (
        <div class="number-keys flex gap-10">
          <Act
            label={t("number.less", { what })}
            disabled={!known || value <= 0}
            onTap={() => set(value - 1)}
          >
            <Sign name="minus" size={30} />
          </Act>
          <Typed what={what} value={value} limit={limit} known={known} onSet={set} />
          <Act
            label={t("number.more", { what })}
            disabled={!known || (limit !== null && value >= limit)}
            onTap={() => set(value + 1)}
          >
            <Sign name="plus" size={30} />
          </Act>
        </div>
      )}
      <div class="number-end flex gap-10">
        {rows !== null && rows.length > NEWEST && (
          <Act pressed={all} onTap={() => setAll(!all)}>
            {t(all ? "number.newest" : "number.all", { count: rows.length })}
          </Act>
        )}
        <Act text={t("forgotten.head")} onTap={() => openSheet({ kind: "forgotten" })} />
        <Close />
      </div>
    </SheetFrame>
  );
}

interface TypedProps {
  readonly what: What;
  readonly value: number;
  readonly limit: number | null;
  readonly known: boolean;
  readonly onSet: (value: number) => void;
}

/** The number on the dial: typed over, it is set when the field is left or Enter is pressed. */
function Typed({ what, value, limit, known, onSet }: TypedProps) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const enter = () => {
    const typed = looks.typedNumber(text, limit);
    setText(String(value));
    if (typed !== null && typed !== value) onSet(typed);
  };
  return (
    <label class="number-now edged middle gap-8 grow bold">
      <span>{t("number.dial")}</span> <NumberSign what={what} size={24} />
      <input
        class="num text-32 number-typed bare text-center tall-52"
        inputMode="numeric"
        autocomplete="off"
        maxLength={3}
        aria-label={t("number.typed", { what })}
        value={text}
        disabled={!known}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={enter}
      />
    </label>
  );
}

const NEWEST = 3;

/** The explanation of the number, the newest change nearest; older ones on request. */
function Chain({ rows, all }: { readonly rows: readonly Why[] | null; readonly all: boolean }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [rows?.length, all]);
  const shown = rows === null ? [] : all ? rows : rows.slice(-NEWEST);
  return (
    <div class={`why-rows ${all ? "all" : ""}`} ref={list} role="list" tabIndex={all ? 0 : -1}>
      {rows === null && <p class="muted">{t("number.asked")}</p>}
      {rows?.length === 0 && <p class="muted">{t("number.no_change")}</p>}
      {shown.map((row, at) => (
        <div
          key={`${row.seq}-${at}`}
          class="why-row dotted-below grid items-center gap-8"
          role="listitem"
        >
          <span class="muted">{row.turn > 0 ? row.turn : ""}</span>
          <span class="col min-0">
            <span>
              {say(row.words)} {row.clause !== null && <ClauseLink id={row.clause} />}
            </span>
            {row.notes.map((note) => (
              <small key={say(note)} class="muted">
                {say(note)}
              </small>
            ))}
          </span>
          <b class="num text-20 text-right">{row.delta > 0 ? `+${row.delta}` : `−${-row.delta}`}</b>
          <b class="num muted text-20 text-right">{row.total}</b>
        </div>
      ))}
    </div>
  );
}

export function ConflictScreen() {
  const open = openConflict.value;
  const left = open === null || seatOf(open.conflict.seat) === null;
  useEffect(() => {
    if (left) endConflict();
  }, [left]);
  useEffect(() => () => endConflict(), []);
  return open === null ? <Screen name="conflict" head={null} /> : <Asked {...open} />;
}

function Asked({ conflict, rev }: OpenConflict) {
  const { seat, what, same, both, most, also } = conflict;
  const { rows, drastic } = looks.useWhy(seat, what);
  const [value, setValue] = useState(same);
  useEffect(() => setValue(same), [rev, same]);
  useEffect(() => looks.letBe, [seat, what]);
  const asked = looks.held.value;
  const known = rows !== null;
  const set = (next: number) => {
    looks.dial(seat, what, next, drastic, rev);
    if (looks.held.value === null) endConflict();
  };
  const last = conflict.theirs[conflict.theirs.length - 1];
  return (
    <Screen
      name="conflict"
      news={false}
      head={
        <>
          <Headline text={t("conflict.head")} most={54} room={250} />
          {!isLarge() && (
            <span class="conflict-hands middle absolute color-ink" aria-hidden="true">
              <Sign name="hand" size={34} />
              <Sign name="hand" size={34} />
            </span>
          )}
          <Changes conflict={conflict} />
        </>
      }
    >
      <p>
        {last !== undefined && (
          <>
            <b>{t("conflict.changed", { what, before: conflict.knew, after: same })}</b>{" "}
          </>
        )}
        {t("conflict.ask")}
      </p>
      {asked === null ? (
        <>
          <div class="two">
            <Act class="conflict-key gap-2 leading-115" onTap={endConflict}>
              <Result conflict={conflict} value={same} />
              <b>{t("conflict.same")}</b>
              <small class="muted">{t("conflict.same_note")}</small>
            </Act>
            {both !== same && (
              <Act class="conflict-key gap-2 leading-115" disabled={!known} onTap={() => set(both)}>
                <Result conflict={conflict} value={both} />
                <b>{t("conflict.both")}</b>
                <small class="muted">{t("conflict.both_note")}</small>
              </Act>
            )}
          </div>
          <p class="muted">{t("conflict.or")}</p>
          <div class="conflict-dial flex wrap gap-8">
            <Act
              label={t("number.less", { what })}
              disabled={value <= 0}
              onTap={() => setValue(value - 1)}
            >
              <Sign name="minus" size={26} />
            </Act>
            <span class="conflict-now edged middle gap-6 tall-52" role="status">
              <NumberSign what={what} size={24} /> <b class="num text-28">{value}</b>
            </span>
            <Act
              label={t("number.more", { what })}
              disabled={value >= most}
              onTap={() => setValue(value + 1)}
            >
              <Sign name="plus" size={26} />
            </Act>
            <Act disabled={!known} onTap={() => (value === same ? endConflict() : set(value))}>
              {t("conflict.set")}
            </Act>
          </div>
        </>
      ) : (
        <Drastic held={asked} value={same} onSet={setAnyway} />
      )}
      <div class="conflict-fresh edged break-words pad-8-12">
        <b>{t("conflict.fresh")}</b>{" "}
        {also.length > 0 && (
          <>
            {t("conflict.also")} {also.map(say).join(" · ")}
          </>
        )}
      </div>
    </Screen>
  );
}

function Result({ conflict, value }: { readonly conflict: Conflict; readonly value: number }) {
  return (
    <span class="conflict-result row gap-8">
      <NumberSign what={conflict.what} size={40} /> <b class="num">{value}</b>
    </span>
  );
}

function setAnyway(): void {
  looks.dialAnyway();
  endConflict();
}

function Changes({ conflict }: { readonly conflict: Conflict }) {
  const { seat, what, knew, step, mine } = conflict;
  const own = view.value === null ? null : seatOf(seat);
  const which = step === 0 ? "set" : step < 0 ? "less" : "more";
  const knewAt = Date.parse(conflict.knew_at);
  return (
    <ol class="conflict-steps plain-list">
      <li class="relative row gap-12 tall-52">
        <span class="conflict-mark flex rigid relative">
          <span class="conflict-dot" />
        </span>
        <span class="grow break-words leading-120">
          <b>{t("conflict.of", { monster: seat, what })}</b>
          <small class="muted block">
            {Number.isNaN(knewAt)
              ? t("conflict.knew")
              : t("conflict.knew_at", { time: time(knewAt) })}
          </small>
        </span>
        <b class="num text-32 leading-100">{knew}</b>
      </li>
      {conflict.theirs.map((one, at) => (
        <TheirStep key={`${at}-${say(one.words)}`} theirs={one} />
      ))}
      <li class="relative row gap-12 tall-52">
        <span class="conflict-mark flex rigid relative">
          {own !== null && <MonsterTile monster={own.monster} size={40} />}
        </span>
        <span class="grow break-words leading-120">
          <b>{t(`conflict.mine.${which}`, { count: Math.abs(step), value: mine })}</b>
          <small class="muted block">{t("conflict.not_yet")}</small>
        </span>
        <b class="num text-32 leading-100 conflict-mine pad-8-12 gold dashed-gold rounded">
          {step === 0 ? mine : step < 0 ? `−${-step}` : `+${step}`}
        </b>
      </li>
    </ol>
  );
}

function TheirStep({ theirs }: { readonly theirs: Theirs }) {
  const seat = theirs.seat === null ? null : seatOf(theirs.seat);
  const minutes = Math.floor(theirs.ago_s / 60);
  return (
    <li class="relative row gap-12 tall-52">
      <span class="conflict-mark flex rigid relative">
        {seat === null ? (
          <span class="conflict-dot" />
        ) : (
          <MonsterTile monster={seat.monster} size={40} />
        )}
      </span>
      <span class="grow break-words leading-120">
        <b>{say(theirs.words)}</b>
        <small class="muted block">
          {minutes > 0
            ? t("conflict.minutes_ago", { count: minutes })
            : theirs.ago_s > 0
              ? t("conflict.seconds_ago", { count: theirs.ago_s })
              : t("conflict.just_now")}
        </small>
      </span>
      <span class="text-32">
        <Arrow before={theirs.change.before} after={theirs.change.after} />
      </span>
    </li>
  );
}
