/** My monster: my turn, or not. */
import { Sign } from "../../art";
import { game, seatOf, you } from "../../store/table/table";
import { openReminders } from "../../store/turn/reminders";
import { countsThrows } from "../../store/turn/throw";
import { acting, countByHand, shownSeat } from "../../store/turn/turn";
import { say, t } from "../../store/words";
import { AwaitedDice } from "../../ui/dice/demo";
import { TrayStrip } from "../../ui/dice/tray";
import { Screen } from "../../ui/frame/screen";
import {
  HandsStrip,
  InPlaceOf,
  Offers,
  ReminderCard,
  SitDown,
  TopsStrip,
  WaitingStrip,
} from "../../ui/frame/strips";
import { Act } from "../../ui/parts/kit";
import { NumberTiles } from "../../ui/parts/numbers";
import { Poster } from "../../ui/parts/picture";
import { CardShelf, LastRoll } from "../../ui/parts/shelf";
import type { Question, SeatView } from "../../wire";
import { AheadStrip } from "./ahead";

/** A roll is awaited from this phone, and a camera is watching: only roll. */
export function MyTurn({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  const own = seat.seat === you.value.seat;
  const active = game.value?.active === seat.seat;
  const headline = active
    ? t(own ? "head.your_turn" : "head.turn_of", { seat: seat.seat })
    : t("head.roll", { count: question.dice });
  return (
    <Screen
      name="my-turn"
      poster
      head={<Poster seat={seat} headline={headline} />}
      dock={
        <div class="dock-row">
          <AwaitedDice count={question.dice} />
          <Act class="square" onTap={countByHand}>
            <Sign name="keys" size={26} />
            <small>{t("roll.by_hand")}</small>
          </Act>
        </div>
      }
    >
      <NumberTiles seat={seat} />
      {!question.main && <p>{say(question.prompt)}</p>}
      {countsThrows(question) && <p>{t("again.first")}</p>}
      <TrayStrip known />
      {openReminders().length > 0 ? <ReminderCard /> : <HandsStrip />}
      <TopsStrip />
      <Offers />
      <CardShelf seat={seat} />
      <InPlaceOf />
    </Screen>
  );
}

/** The screen while another seat is asked. */
export function Waiting() {
  const seat = seatOf(shownSeat.value);
  const now = game.value;
  if (seat === null || now === null) return null;
  const headline = t(waitingFor(seat, now.active), { seat: now.active });
  return (
    <Screen
      name="waiting"
      poster
      head={<Poster seat={seat} headline={headline} state={seat.alive ? "rest" : "out"} />}
      dock={
        <>
          <WaitingStrip />
          <SitDown />
        </>
      }
    >
      <NumberTiles seat={seat} />
      <LastRoll />
      {openReminders().length > 0 ? <ReminderCard /> : <HandsStrip />}
      <TopsStrip />
      <Offers />
      <AheadStrip seat={seat} />
      <CardShelf seat={seat} />
    </Screen>
  );
}

/** The headline about this phone's seat; a watcher reads whose turn it is. */
function waitingFor(seat: SeatView, active: number): string {
  if (seat.seat !== you.value.seat) return "head.turn_of";
  if (!seat.alive) return "head.out";
  if (seat.seat === active) return "head.your_turn";
  return nextAlive(active) === seat.seat ? "head.next" : "head.turn_of";
}

/** Return the next living seat after `active`. */
function nextAlive(active: number): number | null {
  const seats = game.value?.seats ?? [];
  for (let step = 1; step < seats.length; step += 1) {
    const one = seats[(active + step) % seats.length];
    if (one?.alive) return one.seat;
  }
  return null;
}
