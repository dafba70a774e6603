/** Questions to one seat: stay or flee, a place, and any other choice. */
import { useEffect } from "preact/hooks";
import { DieArt } from "../../art";
import { closeSheet, go } from "../../store/phone/route";
import { game, names, seatOf, view, you } from "../../store/table/table";
import { answer } from "../../store/turn/acts";
import { acting, answerInPlace, askedSeat } from "../../store/turn/turn";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { SheetFrame } from "../../ui/frame/sheet";
import { InPlaceOf, LeaveIt, Offers } from "../../ui/frame/strips";
import { Act, ClauseLink, Deltas, IdSign, isSame, NumberSign, Sentence } from "../../ui/parts/kit";
import { MonsterTile, Poster, Shadow } from "../../ui/parts/picture";
import { PlaceCard } from "../../ui/parts/places";
import type { Change, DieOutcome, Option, Question, SeatView } from "../../wire";

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
      dock={
        <div class={own ? "one" : "two"}>
          <Act sign="table" text={t("front.peek")} onTap={() => go("table")} />
          <LeaveIt />
        </div>
      }
    >
      <BothAsked question={question} seat={seat} />
      <Ways question={question} seat={seat} />
      <Offers />
      {!own && (
        <p class="in-place row gap-10 leading-120">
          {t("waiting.in_place", { seat: seat.seat })} {t("waiting.logged")}
        </p>
      )}
      {question.clause !== null && (
        <p>
          <ClauseLink id={question.clause} />
        </p>
      )}
    </Screen>
  );
}

/** Staying, and the way or the ways out. */
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
          <div class="tiles two">
            {ways.map((option) => (
              <PlaceCard
                key={option.key}
                option={option}
                shared={shared}
                onTap={() => take(option)}
              />
            ))}
          </div>
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

/** The hearts lost in this attack, large. */
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
    <p class="hit-box rounded-6 on-ink">
      <Deltas changes={[hit]} size={44} />
    </p>
  );
}

/** Who else was hit by the same attack, and whether they have answered; both are asked at once. */
function BothAsked({ question, seat }: { readonly question: Question; readonly seat: SeatView }) {
  if (question.also.length === 0) return null;
  return (
    <div class="two both-asked">
      {question.also.map((one) => {
        const other = seatOf(one.seat);
        return (
          <div
            key={one.seat}
            class={`asked-card edged row gap-6 min-0 leading-115 ${one.answer === null ? "open" : ""}`}
          >
            {other !== null && <MonsterTile monster={other.monster} size={36} />}
            <span>
              <b>{names.player(one.seat)}</b>
              <small class="muted">
                {one.answer === null
                  ? t("pair.asked", { place: one.place ?? "" })
                  : say(one.answer)}
              </small>
            </span>
            <NumberSign what="health" size={18} />
            <b class="num">{one.health}</b>
          </div>
        );
      })}
      <div class="asked-card edged row gap-6 min-0 leading-115">
        <MonsterTile monster={seat.monster} size={36} />
        <span>
          <b>{seat.seat === you.value.seat ? t("you") : names.player(seat.seat)}</b>
          <small class="muted">{t(`place.${seat.place ?? ""}`)}</small>
        </span>
        <NumberSign what="health" size={18} />
        <b class="num">{seat.health}</b>
      </div>
    </div>
  );
}

/** What an answer leads to for each answer of the other; in one plain line where that is known. */
function ByOthers({ option, known }: { readonly option: Option; readonly known: boolean }) {
  if (option.by_other.length === 0) return null;
  return (
    <span class="by-others col gap-4">
      {option.by_other.map((one) => {
        const how = `${known ? "" : "if_"}${one.flees ? "leaves" : "stays"}`;
        return (
          <span key={String(one.flees)} class="by-other row wrap gap-5 text-14">
            <span class="muted">{t(`pair.${how}`, { other: one.other })}</span>
            <b>
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
        {note !== null && <span class="answer-note">{note}</span>}
        {option.consequence.length > 0 && (
          <span class="answer-changes">
            <Deltas changes={option.consequence} size={20} />
          </span>
        )}
        {option.notes.map((note) => (
          <span key={note.key} class="answer-note">
            <Sentence words={note} />
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
        <div class="tiles two">
          {places.map((option) => (
            <PlaceCard
              key={option.key}
              option={option}
              onTap={() => answer(question, acting.value ?? 0, option)}
            />
          ))}
        </div>
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
      {question.clause !== null && (
        <p>
          <ClauseLink id={question.clause} />
        </p>
      )}
    </Screen>
  );
}

/** The final dice, and what they lead to as they are. */
function Lying({ question }: { readonly question: Question }) {
  if (question.lying.length === 0) return null;
  return (
    <>
      <p
        class="dice-row flex wrap gap-8"
        role="img"
        aria-label={question.lying.map((face) => t(`face.${face}`)).join(", ")}
      >
        {question.lying.map((face, index) => (
          <DieArt key={index} face={face} size={40} />
        ))}
      </p>
      <p class="as-it-lies row wrap">
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
    <span class="odds-lines col gap-3 grow text-14">
      {outcomes.map((one) => (
        <span key={one.faces.join()} class="odds-line row wrap">
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
  useEffect(() => {
    if (asked === null) closeSheet();
  }, [asked === null]);
  if (asked === null) return null;
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
            closeSheet();
            answerInPlace();
          }}
        >
          {t("waiting.answer", { seat })}
        </Act>
      </div>
    </SheetFrame>
  );
}
