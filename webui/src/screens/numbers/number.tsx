/** One number of one Monster: minus and plus take effect at once. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Sign } from "../../art";
import { dial, dialled, endDial, held, letBe, typedNumber } from "../../store/numbers/dial";
import { openSheet } from "../../store/phone/route";
import { pendingCommands } from "../../store/server/outbox";
import { seatOf, view, you } from "../../store/table/table";
import { useWhy } from "../../store/table/why";
import { say, t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, ClauseLink, Close, NumberSign } from "../../ui/parts/kit";
import { numberOf } from "../../ui/parts/numbers";
import type { Number as What, Why } from "../../wire";
import { Drastic } from "./drastic";

export function NumberSheet({ seat: index, what }: { readonly seat: number; readonly what: What }) {
  const seat = seatOf(index);
  const { rows, drastic } = useWhy(index, what);
  const [all, setAll] = useState(false);
  const waiting = pendingCommands.value.length > 0;
  useEffect(() => {
    if (!waiting) endDial();
  }, [waiting, view.value?.rev]);
  useEffect(() => letBe, [index, what]);
  if (seat === null) return null;
  const shown = numberOf(seat, what);
  const value = dialled.value ?? shown.value;
  const limit = shown.most;
  const watcher = you.value.role === "spectator";
  const known = rows !== null;
  const set = (next: number) => dial(index, what, next, drastic);
  const asked = held.value;
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
    const typed = typedNumber(text, limit);
    setText(String(value));
    if (typed !== null && typed !== value) onSet(typed);
  };
  return (
    <label class="number-now edged middle gap-8 grow bold">
      <span>{t("number.dial")}</span> <NumberSign what={what} size={24} />
      <input
        class="num number-typed bare text-center tall-52"
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
          <span class="why-words col min-0">
            <span>
              {say(row.words)} {row.clause !== null && <ClauseLink id={row.clause} />}
            </span>
            {row.notes.map((note) => (
              <small key={say(note)} class="muted">
                {say(note)}
              </small>
            ))}
          </span>
          <b class="num">{row.delta > 0 ? `+${row.delta}` : `−${-row.delta}`}</b>
          <b class="num muted">{row.total}</b>
        </div>
      ))}
    </div>
  );
}
