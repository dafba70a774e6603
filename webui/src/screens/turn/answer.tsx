/** Questions to one seat: stay or flee, a place, and any other choice. */
import { useEffect } from "preact/hooks";
import { DieArt, Sign } from "../../art";
import { closeSheet, go } from "../../store/phone/route";
import { game, seatOf, view, you } from "../../store/table/table";
import { answer } from "../../store/turn/acts";
import { acting, answerInPlace, askedSeat } from "../../store/turn/turn";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { SheetFrame } from "../../ui/frame/sheet";
import { InPlaceOf, LeaveIt, Offers } from "../../ui/frame/strips";
import { ClauseLink } from "../../ui/parts/clause";
import { Act, Deltas, isSame, Sentence } from "../../ui/parts/kit";
import { MonsterTile, Poster, Shadow } from "../../ui/parts/picture";
import { PlaceCard } from "../../ui/parts/places";
import type { Change, Option, Question } from "../../wire";

/** The attacked Monster's choice: both halves look equal, no colour favours one. */
export function FleeScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  if (seat === null) return null;
  const stay = question.options.find((option) => option.place === null);
  const ways = question.options.filter((option) => option !== stay);
  const only = ways.length === 1 ? ways[0] : undefined;
  const shared = sharedBy(ways);
  const own = seat.seat === you.value.seat;
  const headline = own
    ? t(only === undefined ? "head.flee" : "head.yield")
    : t("head.answer_for", { seat: seat.seat });
  const take = (option: Option) => answer(question, seat.seat, option);
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
          <p class="poster-band">{say(question.prompt)}</p>
        </>
      }
      dock={
        <div class={own ? "one" : "two"}>
          <Act onTap={() => go("table")}>
            <Sign name="table" size={24} /> {t("front.peek")}
          </Act>
          <LeaveIt />
        </div>
      }
    >
      {stay !== undefined && (
        <AnswerCard
          option={stay}
          words={t("flee.stay")}
          note={t("flee.stay.how")}
          onTap={() => take(stay)}
        />
      )}
      {only !== undefined ? (
        <AnswerCard
          option={only}
          words={t("flee.yield")}
          note={t("flee.yield.how", question.prompt.args)}
          onTap={() => take(only)}
        />
      ) : (
        <>
          <h2 class="poster-words">{t("flee.to")}</h2>
          <p class="row-between flee-how">
            <span>{t("flee.yield.how", question.prompt.args)}</span>
            <Deltas changes={shared} size={20} />
          </p>
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
      <Offers />
      {!own && (
        <p class="in-place">
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
    <p class="hit-box">
      <Deltas changes={[hit]} size={44} />
    </p>
  );
}

function AnswerCard({ option, words, note, onTap }: AnswerProps) {
  return (
    <button type="button" class="answer-card" disabled={!option.enabled} onClick={onTap}>
      <b class="poster-words">{words}</b>
      <span>
        <span class="answer-note">{note}</span>
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
  readonly note: string;
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
      <InPlaceOf />
      {question.clause !== null && (
        <p>
          <ClauseLink id={question.clause} />
        </p>
      )}
    </Screen>
  );
}

function ChoiceRow({ option, question }: { readonly option: Option; readonly question: Question }) {
  return (
    <Act
      class="choice-row"
      disabled={!option.enabled}
      onTap={() => answer(question, acting.value ?? you.value.seat ?? 0, option)}
    >
      {option.face !== null && <DieArt face={option.face} size={40} />}
      <span class="choice-words">
        <b>{say(option.label)}</b>
        {option.notes.map((note) => (
          <small key={note.key} class={note.key.startsWith("warning.") ? "gold" : "muted"}>
            {say(note)}
          </small>
        ))}
        {!option.enabled && option.reason !== null && (
          <small class="muted">{say(option.reason)}</small>
        )}
      </span>
      <span class="offer-changes">
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
    <SheetFrame name="answer" label={t("answer_for.head", { seat })} tone="doubt">
      <div class="die-head">
        <MonsterTile monster={monster} size={72} />
        <div>
          <h2 class="sheet-head">{t("answer_for.head", { seat })}</h2>
          <p>{t(asked.phones > 0 ? "answer_for.live" : "answer_for.gone", { seat })}</p>
          <p class="muted">{t("waiting.logged")}</p>
        </div>
      </div>
      <div class="two">
        <Act onTap={closeSheet}>{t("answer_for.wait", { seat })}</Act>
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
