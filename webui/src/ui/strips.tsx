/** Sheets, and strips about the game: who is asked, powers that can be used, tasks, reminders. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { MonsterTile, Sign } from "../art";
import { hasOdds, openOdds } from "../store/looks";
import { pickSeat } from "../store/people";
import { concernsMe, openReminders, openTasks, tick } from "../store/reminders";
import { closeSheet, openSheet } from "../store/route";
import { game, seatOf, you } from "../store/table";
import {
  acting,
  activatePower,
  answerInPlace,
  askedSeat,
  leaveToOwner,
  mayAnswer,
} from "../store/turn";
import { knows, say, t } from "../store/words";
import type { Offer } from "../wire";
import { Toast } from "./frame";
import { Act, ClauseLink, Deltas, Note } from "./kit";

export interface SheetProps {
  readonly name: string;
  readonly label: string;
  readonly tone?: "go" | "info" | "doubt";
  /** Beside the head: a picture, and what is said below the head. */
  readonly picture?: ComponentChildren;
  readonly about?: ComponentChildren;
  /** It has a head of its own, or none. */
  readonly plain?: boolean;
  readonly children: ComponentChildren;
}

/** In the place of a sheet whose subject is gone: it closes, so that the page can be used again. */
export function Gone(): null {
  useEffect(closeSheet, []);
  return null;
}

export function SheetFrame({ name, label, tone = "go", children, ...parts }: SheetProps) {
  const { picture, about, plain = false } = parts;
  const head = <h2 class="sheet-head">{label}</h2>;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const enter = () =>
      frame.current
        ?.querySelector<HTMLElement>("[data-first], button, input")
        ?.focus({ preventScroll: true });
    enter();
    // Browsers before `inert` (2022) let the focus go to the page behind.
    const stay = (event: FocusEvent) => {
      const behind = event.target instanceof HTMLElement && event.target.closest("[inert]");
      if (behind) enter();
    };
    const leave = (event: KeyboardEvent) => {
      if (event.key === "Escape") closeSheet();
    };
    window.addEventListener("keydown", leave);
    document.addEventListener("focusin", stay);
    return () => {
      window.removeEventListener("keydown", leave);
      document.removeEventListener("focusin", stay);
    };
  }, []);
  return (
    <div class="veil col" data-sheet={name}>
      <Toast onSheet />
      <div
        class={`sheet col gap-10 rigid w-full on-panel tone-${tone}`}
        role="dialog"
        aria-modal="true"
        aria-label={label}
        ref={frame}
      >
        {picture !== undefined ? (
          <div class="die-head row gap-14">
            {picture}
            <div>
              {head}
              {about}
            </div>
          </div>
        ) : (
          !plain && head
        )}
        {children}
      </div>
    </div>
  );
}

/** In place of the primary button on phones that are not asked. */
export function WaitingStrip() {
  const question = game.value?.question ?? null;
  if (question === null) return null;
  const seat = askedSeat(question);
  const asked = seatOf(seat);
  if (asked === null) return null;
  const other = seatOf(question.also.find((one) => one.answer === null)?.seat ?? null);
  return (
    <div class="waiting dashed-gold row gap-10 rounded-8">
      <MonsterTile monster={asked.monster} size={44} />
      {other !== null && <MonsterTile monster={other.monster} size={44} />}
      <span class="waiting-words grow leading-120">
        <b>
          {other === null
            ? t("waiting.for", { seat })
            : t("waiting.for_two", { seat, other: other.seat })}
        </b>{" "}
        {t(
          knows(`waiting.${question.key}`) ? `waiting.${question.key}` : `waiting.${question.kind}`,
        )}
      </span>
      {mayAnswer(question) && asked.phones === 0 && (
        <Act text={t("waiting.answer", { seat })} onTap={answerInPlace} />
      )}
    </div>
  );
}

/** The other seat that this phone answers for, if any. */
function inPlaceOf(): number | null {
  const seat = acting.value;
  return seat === you.value.seat || game.value?.phase === "setup" ? null : seat;
}

/** Stop answering for another seat. */
export function LeaveIt() {
  const seat = inPlaceOf();
  return seat === null ? null : <Act text={t("waiting.leave", { seat })} onTap={leaveToOwner} />;
}

/** Shown while answering for another seat, with a way to stop. */
export function InPlaceOf() {
  const seat = inPlaceOf();
  if (seat === null) return null;
  return (
    <div class="in-place row gap-10 leading-120">
      <p class="grow">
        <b class="gold">{t("waiting.in_place", { seat })}</b> {t("waiting.logged")}
      </p>
      <LeaveIt />
    </div>
  );
}

/** A power that its owner may use now: price and gain in numbers, one tap. */
export function Offers({ except }: { readonly except?: ReadonlySet<string> }) {
  const offers = (game.value?.offers ?? []).filter(
    (offer) => offer.seat === (acting.value ?? you.value.seat) && !except?.has(offer.ref),
  );
  return (
    <>
      {offers.map((offer) => (
        <OfferRow key={offer.ref} offer={offer} />
      ))}
      {hasOdds.value && (
        <Act sign="dice" text={t("odds.open")} class="odds-open" onTap={openOdds} />
      )}
    </>
  );
}

function OfferRow({ offer }: { readonly offer: Offer }) {
  return (
    <Act
      class="offer edge-go begin"
      answer={offer.ref}
      onTap={() => activatePower(offer.seat, offer.ref, offer.label)}
    >
      <Sign name="cards" size={24} />
      <span class="grow">{say(offer.label)}</span>
      <span class="col gap-2">
        <Deltas changes={offer.consequence} size={18} />
      </span>
    </Act>
  );
}

/** Reminders, one at a time; the next appears when this one is ticked off. */
export function ReminderCard() {
  const first = openReminders()[0];
  if (first === undefined) return null;
  return (
    <Note sign={first.sign}>
      <p>
        {say(first.words)} {first.clause !== null && <ClauseLink id={first.clause} />}
      </p>
      <Act text={t("reminder.got_it")} onTap={() => tick(first.id)} />
    </Note>
  );
}

/** What this phone's player moves on the table, and who is out: what all share. Opens the list; never blocks. */
export function HandsStrip() {
  const left = openTasks().filter((one) => concernsMe(one.seat ?? game.value?.active ?? null));
  const first = left[0];
  if (first === undefined) return null;
  return (
    <Act class="hands-strip begin" onTap={() => openSheet({ kind: "hands" })}>
      <Sign name="hand" size={24} class="gold" />
      <span class="grow">
        {say(first.words)}
        {left.length > 1 && (
          <small class="muted"> {t("hands.more", { count: left.length - 1 })}</small>
        )}
      </span>
      <Sign name="chevron_right" size={20} />
    </Act>
  );
}

export function SitDown() {
  if (you.value.seat !== null) return null;
  return <Act sign="people" text={t("more.sit")} onTap={pickSeat} />;
}
