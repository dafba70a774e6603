/** Questions to one seat: stay or flee, a place, any other choice, offers that close. */
import "../../styles/later.css";
import { useState } from "preact/hooks";
import { DieArt, MonsterTile, Sign } from "../../art";
import { closeSheet, go } from "../../store/route";
import { game, names, seatOf, view, you } from "../../store/table";
import { acting, answer, answerInPlace, askedSeat, haveThrown, openSecret } from "../../store/turn";
import { say, t } from "../../store/words";
import { Headline, Screen, turnText } from "../../ui/frame";
import { Act, ClauseLink, Deltas, IdSign, isSame, NumberSign, Primary } from "../../ui/kit";
import { Gone, InPlaceOf, LeaveIt, Offers, SheetFrame } from "../../ui/strips";
import { DiceRow, PlaceCards, Poster, Shadow } from "../../ui/table";
import type { Change, DieOdds, DieOutcome, Option, Question, SeatView } from "../../wire";

/** The attacked Monster's choice: both halves look equal, no colour favours one. */
export function FleeScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  const own = seat.seat === you.value.seat;
  const headline = own
    ? t(question.options.length > 2 ? "head.flee" : "head.yield")
    : t("head.answer_for", { seat: seat.seat });
  return (
    <Screen
      name="stay-or-flee"
      poster
      alert
      tabs={false}
      status={t("status.attack", { turn: game.value?.turn ?? 0, seat: game.value?.active ?? 0 })}
      head={
        <>
          <Poster seat={seat} headline={headline} state="hit" plain>
            <LastHit seat={seat.seat} />
          </Poster>
          <p class="poster-band relative on-ink bold">{say(question.prompt)}</p>
        </>
      }
      dock={<PeekDock own={own} />}
    >
      <BothAsked question={question} seat={seat} />
      <Ways question={question} seat={seat} />
      <Offers />
      {!own && (
        <p class="in-place row gap-10 leading-120">
          {t("waiting.in_place", { seat: seat.seat })} {t("waiting.logged")}
        </p>
      )}
      <Clause question={question} />
    </Screen>
  );
}

function PeekDock({ own }: { readonly own: boolean }) {
  return (
    <div class={own ? "grid" : "two"}>
      <Act sign="table" text={t("front.peek")} onTap={() => go("table")} />
      <LeaveIt />
    </div>
  );
}

function Ways({ question, seat }: { readonly question: Question; readonly seat: SeatView }) {
  const stay = question.options.find((option) => option.place === null);
  const ways = question.options.filter((option) => option !== stay);
  const [first] = ways;
  const shared = sharedBy(ways);
  const paired = question.also.length > 0;
  const known = question.also.every((one) => one.answer !== null);
  const leaving = paired ? t("flee.leave") : t("flee.yield.how", question.prompt.args);
  const take = (option: Option) => answer(question, seat.seat, option);
  return (
    <>
      {stay !== undefined && (
        <AnswerCard
          option={stay}
          words={paired ? t("flee.stay.in", { place: seat.place ?? "" }) : t("flee.stay")}
          note={paired ? null : t("flee.stay.how")}
          known={known}
          onTap={() => take(stay)}
        />
      )}
      {first !== undefined && ways.length === 1 ? (
        <AnswerCard
          option={first}
          words={t("flee.yield")}
          note={leaving}
          known={known}
          onTap={() => take(first)}
        />
      ) : (
        <>
          <h2 class="poster-words">{t("flee.to")}</h2>
          <p class="row-between flee-how items-center leading-125">
            <span>{leaving}</span>
            <Deltas changes={shared} size={20} />
          </p>
          {first !== undefined && <ByOthers option={first} known={known} />}
          <PlaceCards question={question} seat={seat.seat} options={ways} shared={shared} />
        </>
      )}
    </>
  );
}

/** Consequences that all open options share, shown once above them. */
function sharedBy(ways: readonly Option[]): readonly Change[] {
  const [first, ...others] = ways.filter((way) => way.enabled);
  return (first?.consequence ?? []).filter((change) =>
    others.every((way) => way.consequence.some((one) => isSame(one, change))),
  );
}

function LastHit({ seat }: { readonly seat: number }) {
  const row = [...(view.value?.log ?? [])]
    .reverse()
    .find(
      (one) =>
        !one.undone &&
        !one.corrected &&
        one.changes.some((change) => change.seat === seat && change.what === "health"),
    );
  const hit = row?.changes.find((change) => change.seat === seat && change.what === "health");
  if (hit === undefined || hit.after >= hit.before) return null;
  return (
    <p class="hit-box rounded on-ink">
      <Deltas changes={[hit]} size={44} />
    </p>
  );
}

/** Who else was hit by the same attack, and whether they have answered; both are asked at once. */
function BothAsked({ question, seat }: { readonly question: Question; readonly seat: SeatView }) {
  if (question.also.length === 0) return null;
  return (
    <div class="two both-asked">
      {question.also.map((one) => (
        <AskedCard
          key={one.seat}
          class={one.answer === null ? "dashed-gold" : ""}
          monster={seatOf(one.seat)?.monster ?? ""}
          name={names.player(one.seat)}
          note={one.answer === null ? t("pair.asked", { place: one.place ?? "" }) : say(one.answer)}
          health={one.health}
        />
      ))}
      <AskedCard
        monster={seat.monster}
        name={seat.seat === you.value.seat ? t("you") : names.player(seat.seat)}
        note={t(`place.${seat.place ?? ""}`)}
        health={seat.health}
      />
    </div>
  );
}

interface AskedProps {
  readonly monster: string;
  readonly name: string;
  readonly note: string;
  readonly health: number;
  readonly class?: string;
}

function AskedCard({ monster, name, note, health, class: extra = "" }: AskedProps) {
  return (
    <div class={`asked-card edged row gap-6 min-0 leading-115 ${extra}`}>
      <MonsterTile monster={monster} size={36} />
      <span class="col grow">
        <b>{name}</b>
        <small class="muted text-13">{note}</small>
      </span>
      <NumberSign what="health" size={18} />
      <b class="num text-24">{health}</b>
    </div>
  );
}

/** What an answer leads to for each answer of the other; in one plain line if that is known. */
function ByOthers({ option, known }: { readonly option: Option; readonly known: boolean }) {
  if (option.by_other.length === 0) return null;
  return (
    <span class="by-others col gap-4">
      {option.by_other.map((one) => {
        const how = `${known ? "" : "if_"}${one.flees ? "leaves" : "stays"}`;
        return (
          <span key={String(one.flees)} class="by-other row wrap gap-5 text-14">
            <span class="muted">{t(`pair.${how}`, { other: one.other })}</span>
            <b class="to-end">
              {one.mover === null
                ? t("pair.nobody")
                : t("pair.moves", { target: one.mover, place: one.place ?? "" })}
            </b>
            <Deltas changes={one.changes} size={18} plain />
          </span>
        );
      })}
    </span>
  );
}

function AnswerCard({ option, words, note, known, onTap }: AnswerProps) {
  return (
    <button
      type="button"
      class="answer-card col gap-6 text-left rounded on-panel color-text"
      data-answer={option.key}
      disabled={!option.enabled}
      onClick={onTap}
    >
      <b class="poster-words">{words}</b>
      <span>
        {note !== null && <span class="block answer-note">{note}</span>}
        {option.consequence.length > 0 && (
          <span class="block text-20">
            <Deltas changes={option.consequence} size={20} />
          </span>
        )}
        {option.notes.map((note) => (
          <span key={note.key} class="block answer-note">
            {say(note)}
          </span>
        ))}
        <ByOthers option={option} known={known} />
        {!option.enabled && option.reason !== null && (
          <span class="muted">{say(option.reason)}</span>
        )}
      </span>
    </button>
  );
}

interface AnswerProps {
  readonly option: Option;
  readonly words: string;
  readonly note: string | null;
  /** Whether the other seat's answer is known. */
  readonly known: boolean;
  readonly onTap: () => void;
}

/** What another seat alone may read, shut until somebody taps for that seat. */
export function SecretScreen() {
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  return (
    <Screen
      name="secret"
      head={
        <>
          <Shadow monster={seat.monster} />
          <Headline text={t("secret.head", { seat: seat.seat })} room={250} lines={3} most={50} />
          <p class="beside-shadow">{t("secret.how", { seat: seat.seat })}</p>
        </>
      }
      dock={<Primary text={t("secret.only", { seat: seat.seat })} onTap={openSecret} />}
    >
      <InPlaceOf />
    </Screen>
  );
}

/** Any other choice: its text, and a card for each answer. */
export function ChoiceScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  const places = question.options.filter((option) => option.place !== null);
  return (
    <Screen
      name="choice"
      alert={acting.value !== game.value?.active}
      head={
        <>
          {seat !== null && <Shadow monster={seat.monster} />}
          <Headline text={say(question.prompt)} room={250} lines={3} most={50} />
          <Lying question={question} />
        </>
      }
    >
      {places.length > 0 && (
        <PlaceCards question={question} seat={acting.value ?? 0} options={places} />
      )}
      {question.options
        .filter((option) => option.place === null)
        .map((option) => (
          <ChoiceRow key={option.key} option={option} question={question} />
        ))}
      <Offers />
      {question.options.every((option) => option.face === null) && (
        <OddsTable question={question} />
      )}
      <InPlaceOf />
      <Clause question={question} />
    </Screen>
  );
}

function Lying({ question }: { readonly question: Question }) {
  if (question.lying.length === 0) return null;
  return (
    <>
      <DiceRow faces={question.lying} size={40} />
      <p class="row wrap gap-10">
        <b>{t("odds.as_it_lies")}</b> <Brought changes={question.as_it_lies} />
      </p>
    </>
  );
}

export function Brought({ changes }: { readonly changes: readonly Change[] }) {
  return changes.length === 0 ? (
    <span>{t("odds.nothing")}</span>
  ) : (
    <Deltas changes={changes} size={16} />
  );
}

/** What throwing each die again can bring; equal dice have one row. */
function OddsTable({ question }: { readonly question: Question }) {
  const rows = question.odds.filter(
    (one, index, all) => all.findIndex((other) => other.face === one.face) === index,
  );
  if (rows.length === 0) return null;
  return (
    <div class="panel">
      <b>{t("odds.head")}</b>
      {rows.map((one) => (
        <div key={one.face} class="odds-row row gap-10">
          <DieArt face={one.face} size={36} title={t(`face.${one.face}`)} />
          <OddsLines outcomes={one.outcomes} />
        </div>
      ))}
    </div>
  );
}

export function OddsLines({ outcomes }: { readonly outcomes: readonly DieOutcome[] }) {
  return (
    <span class="odds-lines col gap-3 grow text-14 regular">
      {outcomes.map((one) => (
        <span key={one.faces.join()} class="odds-line row wrap gap-8">
          <b class="num">{t("odds.of", { count: one.n, all: one.of })}</b>
          <span class="inline-flex gap-2">
            {one.faces.map((face) => (
              <IdSign key={face} id={face} size={16} />
            ))}
          </span>
          {(one.changes.length > 0 || one.loses.length === 0) && <Brought changes={one.changes} />}
          {one.loses.map((card) => (
            <b key={card} class="gold">
              {t("happened.discards.you", { card })}
            </b>
          ))}
        </span>
      ))}
    </span>
  );
}

function ChoiceRow({ option, question }: { readonly option: Option; readonly question: Question }) {
  const odds =
    option.face === null ? undefined : question.odds.find((one) => one.face === option.face);
  return (
    <Act
      class="begin"
      answer={option.key}
      disabled={!option.enabled}
      onTap={() => answer(question, acting.value ?? you.value.seat ?? 0, option)}
    >
      {option.face !== null && <DieArt face={option.face} size={40} />}
      <span class="choice-words grow">
        <b>{say(option.label)}</b>
        {option.notes.map((note) => (
          <small key={note.key} class={note.key.startsWith("warning.") ? "gold" : "muted"}>
            {say(note)}
          </small>
        ))}
        {odds !== undefined && <OddsLines outcomes={odds.outcomes} />}
        {!option.enabled && option.reason !== null && (
          <small class="muted">{say(option.reason)}</small>
        )}
      </span>
      <span class="col gap-2">
        <Deltas changes={option.consequence} size={18} />
      </span>
    </Act>
  );
}

/** The confirmation before answering for a seat whose own phone is connected. */
export function AnswerForSheet({ question: id }: { readonly question: string }) {
  const question = game.value?.question ?? null;
  const asked = question?.id === id ? seatOf(askedSeat(question)) : null;
  if (asked === null) return <Gone />;
  const { seat, monster } = asked;
  return (
    <SheetFrame
      name="answer"
      label={t("answer_for.head", { seat })}
      tone="doubt"
      picture={<MonsterTile monster={monster} size={72} />}
      about={
        <>
          <p>{t(asked.phones > 0 ? "answer_for.live" : "answer_for.gone", { seat })}</p>
          <p class="muted">{t("waiting.logged")}</p>
        </>
      }
    >
      <div class="two">
        <Act text={t("answer_for.wait", { seat })} onTap={closeSheet} />
        <Act
          onTap={() => {
            answerInPlace();
            go("monster");
          }}
        >
          {t("waiting.answer", { seat })}
        </Act>
      </div>
    </SheetFrame>
  );
}

/** A power may have one of the dice thrown again: what each can bring, and what it costs. */
export function RethrowScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  const [chosen, choose] = useState<number | null>(null);
  if (seat === null) return null;
  const one = question.odds.find((each) => each.die === chosen) ?? null;
  const offer = game.value?.offers.find((each) => each.ref === one?.ref) ?? null;
  const others = question.options.filter(
    (option) => !question.odds.some((each) => each.ref === "" && each.option === option.key),
  );
  return (
    <Screen
      name="rethrow"
      poster
      alert={acting.value !== game.value?.active}
      status={turnText()}
      head={
        <>
          <Poster seat={seat} headline={t("head.rethrow", { seat: game.value?.active ?? 0 })} plain>
            <p class="offer-lies rounded on-ink pad-8-12 row wrap gap-10">
              <span>{t("odds.as_it_lies")}</span> <Brought changes={question.as_it_lies} />
            </p>
          </Poster>
          <p class="poster-band relative on-ink bold">
            {say(powerOf(question) ?? question.prompt)}
          </p>
        </>
      }
      dock={
        <>
          {one !== null && (
            <div class="panel offer-odds">
              <OddsLines outcomes={one.outcomes} />
              {offer !== null && offer.consequence.length > 0 && (
                <p class="row gap-6">
                  {t("again.price")} <Deltas changes={offer.consequence} size={18} />
                </p>
              )}
            </div>
          )}
          <div class="dock-row offer-dock">
            {one === null ? (
              <Primary text={t("rethrow.tap")} />
            ) : (
              <Primary
                text={t("rethrow.this", { face: one.face })}
                onTap={() => haveThrown(question, seat.seat, one)}
              />
            )}
            {others.map((option) => (
              <Act
                key={option.key}
                class="offer-let"
                answer={option.key}
                disabled={!option.enabled}
                onTap={() => answer(question, seat.seat, option)}
              >
                {question.window === "dice_final" ? t("rethrow.let") : say(option.label)}
              </Act>
            ))}
          </div>
        </>
      }
    >
      <div class="offer-dice grid cols-3 gap-8">
        {question.lying.map((face, index) => {
          const odds = question.odds.find((each) => each.die === index);
          return (
            <button
              key={index}
              type="button"
              class={`offer-die boxed col items-center gap-4 color-text ${index === chosen ? "chosen" : ""}`}
              data-answer={odds?.option}
              aria-pressed={index === chosen}
              disabled={odds === undefined}
              onClick={() => choose(index)}
            >
              <DieArt face={face} size={56} />
              <small class="break-words">
                {index === chosen ? t("rethrow.one") : t(`face.${face}`)}
              </small>
            </button>
          );
        })}
      </div>
      {one === null && <p class="muted">{t("rethrow.how")}</p>}
      <Offers except={new Set(question.odds.map((one) => one.ref))} />
      <InPlaceOf />
      <Clause question={question} />
    </Screen>
  );
}

/** The words of the power that has a die thrown; null if the question itself asks. */
function powerOf(question: Question): Question["prompt"] | null {
  const refs = new Set(question.odds.map((one: DieOdds) => one.ref));
  return game.value?.offers.find((offer) => refs.has(offer.ref))?.label ?? null;
}

function Clause({ question }: { readonly question: Question }) {
  return question.clause === null ? null : (
    <p>
      <ClauseLink id={question.clause} />
    </p>
  );
}

/** The damage would put the seat out: each way with the numbers after it; all have the same edge. */
export function LastChanceScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  const worst = [...question.options].reverse().find((option) => option.out);
  const hit = changeOf(worst, seat, "health");
  return (
    <Screen
      name="last-chance"
      poster
      alert
      tabs={false}
      status={t("status.attack", { turn: game.value?.turn ?? 0, seat: game.value?.active ?? 0 })}
      head={
        <>
          <Poster seat={seat} headline={t("head.last_chance")} state="hit" plain>
            {hit !== null && (
              <p class="hit-box rounded on-ink">
                <Deltas changes={[hit]} size={44} />
                <Sign name="ouch" size={44} />
              </p>
            )}
          </Poster>
          <p class="poster-band relative on-ink bold">{say(question.prompt)}</p>
        </>
      }
      dock={<PeekDock own={seat.seat === you.value.seat} />}
    >
      <p class="row gap-6 muted">
        {t("chance.have")} <NumberSign what="energy" size={18} /> <b class="num">{seat.energy}</b>
      </p>
      {question.options.map((option) => (
        <ChanceCard
          key={option.key}
          option={option}
          seat={seat}
          onTap={() => answer(question, seat.seat, option)}
        />
      ))}
      <p class="muted small">{t("chance.clock")}</p>
      <InPlaceOf />
      <Clause question={question} />
    </Screen>
  );
}

function changeOf(option: Option | undefined, seat: SeatView, what: Change["what"]): Change | null {
  const found = option?.consequence.find((one) => one.seat === seat.seat && one.what === what);
  return found ?? null;
}

type ChanceProps = Readonly<{ option: Option; seat: SeatView; onTap: () => void }>;

function ChanceCard({ option, seat, onTap }: ChanceProps) {
  const energy = option.out ? null : changeOf(option, seat, "energy");
  const health = changeOf(option, seat, "health")?.after ?? seat.health;
  const pays = energy !== null && energy.after < energy.before;
  return (
    <button
      type="button"
      class="offer-chance answer-card row justify-between gap-6 text-left rounded on-panel color-text w-full"
      data-answer={option.key}
      disabled={!option.enabled}
      onClick={onTap}
    >
      <span class="min-0 break-words">
        <b class="poster-words">
          {pays ? t("chance.pay", { energy: energy.before - energy.after }) : say(option.label)}
        </b>
        <span class="block answer-note">
          {option.out ? t("chance.out", { monster: seat.seat }) : pays && say(option.label)}
        </span>
      </span>
      <span class="col items-end gap-4 rigid">
        {option.out ? (
          <Sign name="ouch" size={48} class="muted" />
        ) : (
          <>
            <span class="offer-health row gap-6">
              <NumberSign what="health" size={36} /> <b class="num">{health}</b>
            </span>
            {energy !== null && <Deltas changes={[energy]} size={22} />}
          </>
        )}
      </span>
    </button>
  );
}
