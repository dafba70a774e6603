/** Offers that close: a die thrown again before the dice count, and the last chance to stay in the game. */
import { useState } from "preact/hooks";
import { DieArt, Sign } from "../../../art";
import { go } from "../../../store/phone/route";
import { game, seatOf, you } from "../../../store/table/table";
import { answer, haveThrown } from "../../../store/turn/acts";
import { acting } from "../../../store/turn/turn";
import { say, t } from "../../../store/words";
import { Screen, turnText } from "../../../ui/frame/screen";
import { InPlaceOf, LeaveIt, Offers } from "../../../ui/frame/strips";
import { Act, ClauseLink, Deltas, NumberSign, Primary } from "../../../ui/parts/kit";
import { Poster } from "../../../ui/parts/picture";
import type { Change, DieOdds, Option, Question, SeatView } from "../../../wire";
import { Brought, OddsLines } from "../answer";
import "./offers.css";

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
          <Poster
            seat={seat}
            headline={t("head.rethrow", { seat: game.value?.active ?? 0 })}
            state="mine"
            plain
          >
            <p class="hit-box rounded-6 on-ink offer-lies row wrap">
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
      <div class="offer-dice grid gap-8">
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
              <small>{index === chosen ? t("rethrow.one") : t(`face.${face}`)}</small>
            </button>
          );
        })}
      </div>
      {one === null && <p class="muted">{t("rethrow.how")}</p>}
      <OtherOffers question={question} />
      <InPlaceOf />
      <Clause question={question} />
    </Screen>
  );
}

/** The words of the power that has a die thrown; null where the question itself asks. */
function powerOf(question: Question): Question["prompt"] | null {
  const refs = new Set(question.odds.map((one: DieOdds) => one.ref));
  return game.value?.offers.find((offer) => refs.has(offer.ref))?.label ?? null;
}

/** The powers that are not on the screen already. */
function OtherOffers({ question }: { readonly question: Question }) {
  const shown = new Set(question.odds.map((one) => one.ref));
  return <Offers except={shown} />;
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
              <p class="hit-box rounded-6 on-ink">
                <Deltas changes={[hit]} size={44} />
                <Sign name="ouch" size={44} />
              </p>
            )}
          </Poster>
          <p class="poster-band relative on-ink bold">{say(question.prompt)}</p>
        </>
      }
      dock={
        <div class={seat.seat === you.value.seat ? "one" : "two"}>
          <Act sign="table" text={t("front.peek")} onTap={() => go("table")} />
          <LeaveIt />
        </div>
      }
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

interface ChanceProps {
  readonly option: Option;
  readonly seat: SeatView;
  readonly onTap: () => void;
}

function ChanceCard({ option, seat, onTap }: ChanceProps) {
  const energy = option.out ? null : changeOf(option, seat, "energy");
  const health = changeOf(option, seat, "health")?.after ?? seat.health;
  const pays = energy !== null && energy.after < energy.before;
  return (
    <button
      type="button"
      class="answer-card col gap-6 text-left rounded on-panel color-text offer-chance items-center justify-between w-full"
      data-answer={option.key}
      disabled={!option.enabled}
      onClick={onTap}
    >
      <span class="min-0 break-words">
        <b class="poster-words">
          {pays ? t("chance.pay", { energy: energy.before - energy.after }) : say(option.label)}
        </b>
        <span class="answer-note">
          {option.out ? t("chance.out", { monster: seat.seat }) : pays && say(option.label)}
        </span>
      </span>
      <span class="offer-after col gap-4 rigid">
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
