/** Strips that tell what goes on: who is waited for, what may be used, what hands must do, what is forgotten. */
import { signal } from "@preact/signals";
import { Sign } from "../art";
import { activatePower } from "../store/acts";
import { openSheet } from "../store/route";
import { game, seatOf, you } from "../store/table";
import { acting, answerInPlace, askedSeat, leaveToOwner, mayAnswer } from "../store/turn";
import type { Hand, Offer, Reminder } from "../wire";
import { knows, say, t } from "../words";
import { ClauseLink } from "./clause";
import { Act, Deltas, Note } from "./kit";
import { MonsterTile } from "./picture";

/** Reminders and hands this phone has seen to, by id. */
export const seen = signal<ReadonlySet<string>>(new Set());

export function tick(id: string, on = true): void {
  const next = new Set(seen.value);
  if (on) next.add(id);
  else next.delete(id);
  seen.value = next;
}

/** In the primary slot of everybody who is not asked. */
export function WaitingStrip() {
  const question = game.value?.question ?? null;
  if (question === null) return null;
  const seat = askedSeat(question);
  const asked = seatOf(seat);
  if (asked === null) return null;
  return (
    <div class="waiting">
      <MonsterTile monster={asked.monster} size={44} />
      <span class="waiting-words">
        <b>{t("waiting.for", { seat })}</b>{" "}
        {t(
          knows(`waiting.${question.key}`) ? `waiting.${question.key}` : `waiting.${question.kind}`,
        )}
      </span>
      {mayAnswer(question) && (
        <Act
          onTap={() =>
            asked.phones > 0
              ? openSheet({ kind: "answer", question: question.id })
              : answerInPlace()
          }
        >
          {t("waiting.answer", { seat })}
        </Act>
      )}
    </div>
  );
}

/** The seat that this phone answers for, where it is another's. */
function inPlaceOf(): number | null {
  const seat = acting.value;
  return seat === you.value.seat || game.value?.phase === "setup" ? null : seat;
}

/** The way out of answering in another's place. */
export function LeaveIt() {
  const seat = inPlaceOf();
  return seat === null ? null : <Act onTap={leaveToOwner}>{t("waiting.leave", { seat })}</Act>;
}

/** Said while somebody answers in another's place, with the way out of it. */
export function InPlaceOf() {
  const seat = inPlaceOf();
  if (seat === null) return null;
  return (
    <div class="in-place">
      <p>
        <b>{t("waiting.in_place", { seat })}</b> {t("waiting.logged")}
      </p>
      <LeaveIt />
    </div>
  );
}

export function mineToSee(seat: number | null): boolean {
  const me = acting.value ?? you.value.seat;
  return seat === null || seat === me;
}

/** What its owner may use now: price and gain in numbers, one tap. */
export function Offers() {
  const offers = (game.value?.offers ?? []).filter(
    (offer) => offer.seat === (acting.value ?? you.value.seat),
  );
  return (
    <>
      {offers.map((offer) => (
        <OfferRow key={offer.ref} offer={offer} />
      ))}
    </>
  );
}

function OfferRow({ offer }: { readonly offer: Offer }) {
  return (
    <Act class="offer" onTap={() => activatePower(offer.seat, offer.ref, offer.label)}>
      <Sign name="cards" size={24} />
      <span class="offer-words">{say(offer.label)}</span>
      <span class="offer-changes">
        <Deltas changes={offer.consequence} size={18} />
      </span>
    </Act>
  );
}

export function openReminders(): readonly Reminder[] {
  return (game.value?.reminders ?? []).filter(
    (one) => mineToSee(one.seat) && !seen.value.has(one.id),
  );
}

/** One at a time; the next comes when this one is got. */
export function ReminderCard() {
  const first = openReminders()[0];
  if (first === undefined) return null;
  return (
    <Note sign={first.sign}>
      <p>
        {say(first.words)} {first.clause !== null && <ClauseLink id={first.clause} />}
      </p>
      <Act onTap={() => tick(first.id)}>{t("reminder.got_it")}</Act>
    </Note>
  );
}

export function handsToDo(): readonly Hand[] {
  return (game.value?.hands ?? []).filter((one) => !seen.value.has(one.id));
}

/** "5 to do on the table": never blocks, opens the list. */
export function HandsStrip() {
  const left = handsToDo();
  const first = left[0];
  if (first === undefined) return null;
  return (
    <Act class="hands-strip" onTap={() => openSheet({ kind: "hands" })}>
      <Sign name="hand" size={24} class="gold" />
      <span class="offer-words">
        {say(first.words)}
        {left.length > 1 && (
          <small class="muted"> {t("hands.more", { count: left.length - 1 })}</small>
        )}
      </span>
      <Sign name="chevron_right" size={20} />
    </Act>
  );
}
