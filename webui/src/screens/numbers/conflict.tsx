/** Two hands, one dial: another phone changed the number that this one set; nothing is applied until it is said what holds. */
import { useEffect, useState } from "preact/hooks";
import { Sign } from "../../art";
import { isLarge } from "../../store/access/text-size";
import { endConflict, type OpenConflict, openConflict } from "../../store/numbers/conflict";
import { dial, dialAnyway, held, letBe } from "../../store/numbers/dial";
import { seatOf, view } from "../../store/table/table";
import { useWhy } from "../../store/table/why";
import { say, t, time } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Arrow, NumberSign } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { Conflict, Theirs } from "../../wire";
import { Drastic } from "./drastic";
import "./conflict.css";

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
  const { rows, drastic } = useWhy(seat, what);
  const [value, setValue] = useState(same);
  useEffect(() => setValue(same), [rev, same]);
  useEffect(() => letBe, [seat, what]);
  const asked = held.value;
  const known = rows !== null;
  const set = (next: number) => {
    dial(seat, what, next, drastic, rev);
    if (held.value === null) endConflict();
  };
  const last = conflict.theirs[conflict.theirs.length - 1];
  return (
    <Screen
      name="conflict"
      news={false}
      head={
        <>
          <Headline text={t("conflict.head")} lines={2} most={54} room={250} />
          {!isLarge() && <Hands />}
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
          <p class="muted conflict-or">{t("conflict.or")}</p>
          <div class="conflict-dial flex wrap gap-8">
            <Act
              label={t("number.less", { what })}
              disabled={value <= 0}
              onTap={() => setValue(value - 1)}
            >
              <Sign name="minus" size={26} />
            </Act>
            <span class="conflict-now edged middle gap-6 tall-52" role="status">
              <NumberSign what={what} size={24} /> <b class="num">{value}</b>
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
  dialAnyway();
  endConflict();
}

/** The number as this phone knew it, what changed it since, and what this phone asked for. */
function Changes({ conflict }: { readonly conflict: Conflict }) {
  const { seat, what, knew, step, mine } = conflict;
  const own = view.value === null ? null : seatOf(seat);
  const which = step === 0 ? "set" : step < 0 ? "less" : "more";
  const knewAt = Date.parse(conflict.knew_at);
  return (
    <ol class="conflict-steps plain-list">
      <li>
        <span class="conflict-mark flex rigid relative">
          <span class="conflict-dot" />
        </span>
        <span>
          <b>{t("conflict.of", { monster: seat, what })}</b>
          <small class="muted">
            {Number.isNaN(knewAt)
              ? t("conflict.knew")
              : t("conflict.knew_at", { time: time(knewAt) })}
          </small>
        </span>
        <b class="num">{knew}</b>
      </li>
      {conflict.theirs.map((one, at) => (
        <TheirStep key={`${at}-${say(one.words)}`} theirs={one} />
      ))}
      <li>
        <span class="conflict-mark flex rigid relative">
          {own !== null && <MonsterTile monster={own.monster} size={40} />}
        </span>
        <span>
          <b>{t(`conflict.mine.${which}`, { count: Math.abs(step), value: mine })}</b>
          <small class="muted">{t("conflict.not_yet")}</small>
        </span>
        <b class="num conflict-mine dashed-gold rounded-6">
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
    <li>
      <span class="conflict-mark flex rigid relative">
        {seat === null ? (
          <span class="conflict-dot" />
        ) : (
          <MonsterTile monster={seat.monster} size={40} />
        )}
      </span>
      <span>
        <b>{say(theirs.words)}</b>
        <small class="muted">
          {minutes > 0
            ? t("conflict.minutes_ago", { count: minutes })
            : theirs.ago_s > 0
              ? t("conflict.seconds_ago", { count: theirs.ago_s })
              : t("conflict.just_now")}
        </small>
      </span>
      <Arrow before={theirs.change.before} after={theirs.change.after} />
    </li>
  );
}

/** Two hands on a disc. */
function Hands() {
  return (
    <span class="conflict-hands middle absolute color-ink" aria-hidden="true">
      <Sign name="hand" size={34} />
      <Sign name="hand" size={34} />
    </span>
  );
}
