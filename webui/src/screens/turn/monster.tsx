/** My Monster: my turn or not, answers set ahead, and the screen without a connection. */
import { useEffect, useState } from "preact/hooks";
import { MonsterTile, Sign } from "../../art";
import { showStaleNumbers } from "../../store/front";
import { discard, flush, pendingCommands } from "../../store/outbox";
import {
  back,
  backed,
  fallsOf,
  isOut,
  openReminders,
  shownSeat,
  tasks,
  watchOn,
} from "../../store/reminders";
import { closeSheet, openSheet } from "../../store/route";
import { refresh } from "../../store/stream";
import { game, lastMessageAt, seatOf, view, you } from "../../store/table";
import { countsThrows } from "../../store/tray";
import {
  type AheadDraft,
  acting,
  aheadDraft,
  countByHand,
  draftAhead,
  setAhead,
  takeBack,
} from "../../store/turn";
import { explained, say, t } from "../../store/words";
import { Headline, mayUndo, Screen } from "../../ui/frame";
import { Act, Deltas, Note, NumberSign, Primary } from "../../ui/kit";
import {
  Gone,
  HandsStrip,
  InPlaceOf,
  Offers,
  ReminderCard,
  SheetFrame,
  SitDown,
  WaitingStrip,
} from "../../ui/strips";
import { CardShelf, LastRoll, NumberTiles, Poster } from "../../ui/table";
import { AwaitedDice, learns } from "../../ui/throw";
import { FuseOffer, TrayStrip } from "../../ui/tray";
import type { Ahead, Question, SeatView } from "../../wire";

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
          {!learns() && (
            <Act class="square" onTap={countByHand}>
              <Sign name="keys" size={26} />
              <small>{t("roll.by_hand")}</small>
            </Act>
          )}
        </div>
      }
    >
      <NumberTiles seat={seat} />
      {!question.main && <p>{say(question.prompt)}</p>}
      {countsThrows(question) && <p>{t("again.first")}</p>}
      <FuseOffer />
      <TrayStrip />
      {openReminders().length > 0 ? <ReminderCard /> : <HandsStrip />}
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
  if (isOut.value) return <OutScreen />;
  if (seat === null || now === null) return null;
  const headline = t(waitingFor(seat, now.active), { seat: now.active });
  return (
    <Screen
      name="waiting"
      poster
      head={<Poster seat={seat} headline={headline} state={seat.alive ? "mine" : "out"} />}
      dock={
        <>
          <WaitingStrip />
          <SitDown />
        </>
      }
    >
      <NumberTiles seat={seat} />
      <FuseOffer />
      <LastRoll />
      {openReminders().length > 0 ? <ReminderCard /> : <HandsStrip />}
      <Offers />
      <AheadStrip seat={seat} />
      <Backing />
      <CardShelf seat={seat} />
    </Screen>
  );
}

/** The phone's own Monster has fallen: by what, what leaves the table, which Monster to watch; a wrong fall is taken back here. */
function OutScreen() {
  const now = game.value;
  const seat = seatOf(you.value.seat);
  if (now === null || seat === null) return null;
  const fall = fallsOf(now.happened).find((one) => one.seat === seat.seat);
  const hands = tasks().filter((one) => one.seat === seat.seat);
  const undo = view.value?.undo ?? null;
  return (
    <Screen
      name="out"
      poster
      alert
      news={false}
      head={
        <>
          <Poster seat={seat} headline={t("head.out")} state="out" plain>
            <p class="poster-note bold">{t("out.stars", { count: seat.stars })}</p>
            {fall?.change && (
              <p class="hit-box rounded on-ink">
                <Deltas changes={[fall.change]} size={44} />
              </p>
            )}
          </Poster>
          {fall?.hit && <p class="poster-band relative on-ink bold">{explained(fall.hit)}</p>}
        </>
      }
      dock={
        <>
          {mayUndo(undo) && (
            <Act class="out-undo" onTap={() => takeBack(undo)}>
              <Sign name="undo" size={24} /> {t("undo.named", { act: say(undo.words) })}
            </Act>
          )}
          <Primary text={t("out.watch")} onTap={watchOn} />
        </>
      }
    >
      {hands.length > 0 && (
        <Note sign="hand">
          <div class="col gap-4 grow">
            <b>{t("out.off")}</b>
            {hands.map((one) => (
              <p key={one.id}>{say(one.words)}</p>
            ))}
          </div>
        </Note>
      )}
      <Backing />
    </Screen>
  );
}

/** Whom a player who is out watches from now on. */
function Backing() {
  if (seatOf(you.value.seat)?.alive !== false) return null;
  return (
    <section class="col gap-8" aria-label={t("out.back")}>
      <h2 class="sheet-head">{t("out.back")}</h2>
      <div class="backing flex wrap gap-10">
        {game.value?.seats
          .filter((one) => one.alive)
          .map((one) => (
            <Act
              key={one.seat}
              class={backed.value === one.seat ? "chosen" : ""}
              pressed={backed.value === one.seat}
              onTap={() => back(one.seat)}
            >
              <MonsterTile monster={one.monster} size={44} /> {one.player}
            </Act>
          ))}
      </div>
    </section>
  );
}

function waitingFor(seat: SeatView, active: number): string {
  if (seat.seat !== you.value.seat) return "head.turn_of";
  if (!seat.alive) return "head.out";
  if (seat.seat === active) return "head.your_turn";
  return nextAlive(active) === seat.seat ? "head.next" : "head.turn_of";
}

function nextAlive(active: number): number | null {
  const seats = game.value?.seats ?? [];
  for (let step = 1; step < seats.length; step += 1) {
    const one = seats[(active + step) % seats.length];
    if (one?.alive) return one.seat;
  }
  return null;
}

/** The entry on the seat's own page, in the city or where something is set. */
export function AheadStrip({ seat }: { readonly seat: SeatView }) {
  const inside =
    game.value?.places.some((place) => place.inside && place.id === seat.place) ?? false;
  const { seat: mine, ahead } = you.value;
  if (mine !== seat.seat || !seat.alive || (!inside && ahead === null)) return null;
  return (
    <Act
      class="wide-act ahead-act begin"
      onTap={() => openSheet({ kind: "ahead", seat: seat.seat })}
    >
      <Sign name="clock" size={24} />
      <span class="choice-words grow">
        <b>{t("ahead.when")}</b>
        <small class="muted regular">{summary(ahead)}</small>
      </span>
    </Act>
  );
}

function summary(ahead: Ahead | null): string {
  const parts: string[] = [];
  if (typeof ahead?.flee_below === "number")
    parts.push(t("ahead.flee", { value: ahead.flee_below }));
  if (typeof ahead?.stay_above === "number")
    parts.push(t("ahead.stay", { value: ahead.stay_above }));
  return parts.length === 0 ? t("ahead.asked") : parts.join(" · ");
}

export function AheadSheet({ seat: index }: { readonly seat: number }) {
  const seat = seatOf(index);
  const set = you.value.ahead;
  if (seat === null) return <Gone />;
  const ways = (game.value?.places ?? []).filter((place) => !place.inside).map((place) => place.id);
  const initial: AheadDraft = {
    seat: index,
    flee: set?.flee_below ?? null,
    stay: set?.stay_above ?? null,
    to: set?.to?.[0] ?? ways[0] ?? "",
  };
  const { flee, stay, to } = aheadDraft.value?.seat === index ? aheadDraft.value : initial;
  const change = (part: Partial<AheadDraft>) => draftAhead({ ...initial, flee, stay, to, ...part });
  const most = seat.health_max;
  const fleeBelow = (value: number | null) =>
    change({
      flee: value,
      stay: value !== null && stay !== null ? Math.max(stay, value - 1) : stay,
    });
  const stayAbove = (value: number | null) =>
    change({
      stay: value,
      flee: value !== null && flee !== null ? Math.min(flee, value + 1) : flee,
    });
  const leave = () => {
    draftAhead(null);
    closeSheet();
  };
  const say = (ahead: Ahead | null) => {
    setAhead(index, ahead);
    leave();
  };
  const none = flee === null && stay === null;
  return (
    <SheetFrame name="ahead" label={t("ahead.when")} tone="info">
      <p class="muted">{t("ahead.how")}</p>
      <Row
        words={t("ahead.flee.row")}
        value={flee}
        least={1}
        most={most}
        set={fleeBelow}
        from={1}
      />
      {ways.length > 1 && flee !== null && (
        <div class="two" role="group" aria-label={t("flee.to")}>
          {ways.map((place) => (
            <Act
              key={place}
              pressed={place === to}
              class={place === to ? "chosen" : ""}
              onTap={() => change({ to: place })}
            >
              {t(`place.${place}`)}
            </Act>
          ))}
        </div>
      )}
      <Row
        words={t("ahead.stay.row")}
        value={stay}
        least={0}
        most={most - 1}
        set={stayAbove}
        from={most - 1}
      />
      <div class="number-end flex gap-10">
        <Act text={t("ahead.ask_me")} onTap={() => (set === null ? leave() : say(null))} />
        <Act
          disabled={none}
          onTap={() =>
            say({
              flee_below: flee,
              stay_above: stay,
              to: [to, ...ways.filter((place) => place !== to)],
            })
          }
        >
          {t("ahead.set")}
        </Act>
      </div>
    </SheetFrame>
  );
}

interface RowProps {
  readonly words: string;
  readonly value: number | null;
  readonly least: number;
  readonly most: number;
  /** The value set by the first tap. */
  readonly from: number;
  readonly set: (value: number | null) => void;
}

/** Past either end is "never". */
function Row({ words, value, least, most, from, set }: RowProps) {
  const step = (by: number) => {
    const next = value === null ? from : value + by;
    set(next < least || next > most ? null : next);
  };
  return (
    <div class="number-keys flex gap-10" role="group" aria-label={words}>
      <Act sign="minus" size={30} label={t("ahead.less", { rule: words })} onTap={() => step(-1)} />
      <span class="number-now edged middle gap-8 grow bold leading-115 ahead-now">
        <span>{words}</span>
        {value === null ? (
          <b>{t("ahead.never")}</b>
        ) : (
          <>
            <NumberSign what="health" size={24} /> <b class="num text-32">{value}</b>
          </>
        )}
      </span>
      <Act sign="plus" size={30} label={t("ahead.more", { rule: words })} onTap={() => step(1)} />
    </div>
  );
}

function age(since: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  if (seconds < 120) return t("age.seconds", { count: seconds });
  if (seconds < 7200) return t("age.minutes", { count: Math.round(seconds / 60) });
  return t("age.hours", { count: Math.round(seconds / 3600) });
}

function useClock(): void {
  const [, turn] = useState(0);
  useEffect(() => {
    const clock = window.setInterval(() => turn((n) => n + 1), 1_000);
    return () => window.clearInterval(clock);
  }, []);
}

export function NoLine() {
  useClock();
  const seat = seatOf(shownSeat.value);
  return (
    <Screen
      name="no-line"
      poster={seat !== null}
      tabs={false}
      head={
        seat === null ? (
          <Headline text={t("head.no_line")} />
        ) : (
          <Poster seat={seat} headline={t("head.old")} state="stale" />
        )
      }
      dock={
        <>
          <Primary
            text={t("line.try")}
            waits={false}
            onTap={() => {
              void refresh();
              void flush();
            }}
          />
          <Act text={t("line.look")} onTap={showStaleNumbers} />
        </>
      }
    >
      <div class="row gap-14" role="alert">
        <Sign name="link_off" size={48} class="gold" />
        <h2 class="sheet-head">{t("head.no_line")}</h2>
      </div>
      <p>
        {lastMessageAt.value === 0
          ? t("line.never")
          : t("line.age", { age: age(lastMessageAt.value) })}
      </p>
      {pendingCommands.value.map((pending) => (
        <div key={pending.command.command_id} class="not-sent boxed row gap-6 pad-8-12">
          <Sign name="clock" size={24} class="gold" />
          <span class="grow">
            <b>{t("line.not_sent")}</b> {say(pending.label)}
          </span>
          <Act text={t("line.discard")} onTap={() => discard(pending.command.command_id)} />
        </div>
      ))}
    </Screen>
  );
}
