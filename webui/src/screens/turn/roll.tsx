/** Rolls: read by the camera or entered by hand; thrown again; one die corrected; a misread one reported. */
import { DieArt, Sign } from "../../art";
import { sayAloud } from "../../store/aloud";
import { api } from "../../store/api";
import * as proposals from "../../store/proposal";
import { closeSheet, openSheet } from "../../store/route";
import { game, seatOf, view } from "../../store/table";
import * as tray from "../../store/tray";
import * as entry from "../../store/turn";
import { fixDie } from "../../store/turn";
import { alike, knows, say, t } from "../../store/words";
import { Headline, Screen, turnText } from "../../ui/frame";
import { Act, Close, IdSign, Spoken } from "../../ui/kit";
import { InPlaceOf, Offers, ReminderCard, SheetFrame } from "../../ui/strips";
import { OwnStrip, Shadow } from "../../ui/table";
import * as roll from "../../ui/throw";
import { AwaitedDice, EffectRows, KeepDice, Outcomes, ThrowOthers } from "../../ui/throw";
import { Certainty, inDoubt, leans, PhotoButton, placeOf, TrayMap, TrayStrip } from "../../ui/tray";
import type { Alternative, Face, PreviewAnswer, Proposal, Question } from "../../wire";

/** Problems with the dice, most important first. */
function verdict(count: number, expected: number, doubts: number): string {
  if (count !== expected) return t("proposal.expected", { expected });
  if (doubts > 0) return t(`unsure.${Math.min(8, doubts)}`);
  const known = view.value?.tray.known ?? null;
  return known === null ? t("proposal.sure") : t("proposal.learning", { known });
}

/** Dice that count: all that were not marked "not a die". */
function counted(proposal: Proposal): number {
  return proposal.dice.filter((_, index) => entry.fixes.value[index] !== null).length;
}

/** With so many groups of dice the head has no room for a further line. */
const MANY = 6;

export function ProposalScreen({ question, proposal }: { question: Question; proposal: Proposal }) {
  const expected = question.dice;
  const count = counted(proposal);
  const one = tray.throwOf(question);
  const doubts = proposal.dice.flatMap((die, index) => (inDoubt(die, index) ? index : []));
  const answer = roll.useForecast(question, one);
  const doubtful = new Set(doubts.flatMap((index) => proposal.dice[index]?.face ?? []));
  const headline = headlineOf(count, expected, doubts.length);
  const hints = leans(proposal).join(" ");
  const again = tray.isDemo.value && proposals.hasThrowsLeft(question, proposal);
  const stuck = one.gone.some((index) => !question.rethrow.includes(index));
  return (
    <Screen
      name="proposal"
      status={statusOf(question, proposal)}
      news={false}
      head={
        <>
          <Certainty headline={headline} />
          {!question.main && <p>{say(question.prompt)}</p>}
          <Effects question={question} answer={answer} doubtful={doubtful} />
        </>
      }
      dock={
        <ApplyDock
          question={question}
          proposal={proposal}
          one={one}
          doubts={doubts}
          answer={answer}
          stuck={stuck}
          again={again}
        />
      }
    >
      {question.showing.length > 0 && (
        <>
          <p class="label">{t(question.rethrow.length > 0 ? "again.which" : "again.no_more")}</p>
          <roll.AgainDice question={question} one={one} />
          {stuck && <p class="gold">{t("error.kept_die_changed")}</p>}
        </>
      )}
      {again && <KeepDice proposal={proposal} />}
      {proposals.unrest.value !== "cleared" && <TrayMap proposal={proposal} />}
      <Spoken text={`${headline} ${hints}`} />
      {hints !== "" && <p class="gold">{hints}</p>}
      {count !== expected && (
        <p class="gold">
          {t(count > expected ? "proposal.too_many" : "proposal.too_few", { count, expected })}
        </p>
      )}
      {proposal.problems
        .filter((problem) => !["count", "die_doubtful", "die_not_flat"].includes(problem))
        .map((problem) => (
          <p key={problem} class="gold small">
            {t(knows(`problem.${problem}`) ? `problem.${problem}` : "problem.other")}
          </p>
        ))}
      {doubts.length > 0 && <DoubtPair proposal={proposal} index={doubts[0] ?? 0} />}
      {doubts.length === 0 && <ReminderCard />}
      <Offers />
      <OtherWays proposal={proposal} doubts={doubts} first={tray.countsThrows(question)} />
      <InPlaceOf />
    </Screen>
  );
}

/** How many dice and how sure; nothing of that while they move, or nobody can tell. */
function headlineOf(count: number, expected: number, doubts: number): string {
  const dice = t(count > 8 ? "dice.many" : `dice.${count}`);
  if (proposals.isRolling.value || proposals.unrest.value === "rolling")
    return t("proposal.rolling");
  return proposals.unrest.value === null
    ? t("proposal.head", { dice, doubt: verdict(count, expected, doubts) })
    : dice;
}

type WaysProps = Readonly<{ proposal: Proposal; doubts: readonly number[]; first: boolean }>;

function OtherWays({ proposal, doubts, first }: WaysProps) {
  return (
    <p class="text-center text-15 muted">
      {first && t("again.first")}{" "}
      <button type="button" class="link" onClick={entry.countByHand}>
        {t("roll.by_hand")}
      </button>
      {"speechSynthesis" in window && (
        <>
          {" · "}
          <button type="button" class="link" onClick={() => sayAloud(aloud(proposal, doubts))}>
            {t("proposal.read")}
          </button>
        </>
      )}
    </p>
  );
}

type EffectsProps = Readonly<{
  question: Question;
  answer: PreviewAnswer | null;
  doubtful: ReadonlySet<Face>;
}>;

/** What Apply would do, group by group. */
function Effects({ question, answer, doubtful }: EffectsProps) {
  const rows = answer?.rows ?? [];
  return (
    <>
      <Outcomes outcomes={answer?.outcomes ?? []} />
      <EffectRows rows={rows} doubtful={doubtful} entering={answer?.entering ?? []} />
      <roll.ThrowChips question={question} answer={answer} />
      {rows.length > 1 && rows.length < MANY && <p class="muted small">{t("proposal.order")}</p>}
    </>
  );
}

/** The dice in words, and each one in doubt. */
function aloud(proposal: Proposal, doubts: readonly number[]): string {
  const doubtful = doubts.map((index) => doubtOf(proposal, index));
  return [rollText(tray.readFaces(proposal)), ...doubtful, ...leans(proposal)].join(". ");
}

/** A whole roll in words: "three 2s, Heal, two Energy". */
export function rollText(faces: readonly Face[]): string {
  const count = (face: Face) => faces.filter((one) => one === face).length;
  return [...new Set(faces)].map((face) => alike({ face, count: count(face) }, "")).join(", ");
}

function doubtOf(proposal: Proposal, index: number): string {
  const die = placeOf(proposal, index);
  const { face = null, confidence = 0 } = proposal.dice[index] ?? {};
  return face === null
    ? t("doubt.none", { die })
    : t("doubt.sure_of", { die, percent: Math.round(confidence * 100), face });
}

function statusOf(question: Question, proposal: Proposal): string {
  const turn = game.value?.turn ?? 0;
  if (question.main && tray.countsThrows(question))
    return t("status.left", { turn, count: question.left });
  const now = proposals.rollOf(question, proposal);
  return now === null ? turnText() : t("status.roll", { turn, ...now, left: now.of - now.roll });
}

/** A question about a doubtful die on the proposal: its face as read, or the likeliest alternative. */
function DoubtPair({ proposal, index }: { readonly proposal: Proposal; readonly index: number }) {
  const die = proposal.dice[index];
  if (die === undefined) return null;
  const [first, second] = likeliest(die.face, die.confidence, die.alternatives);
  const set = (face: Face) => entry.fixDie(index, face);
  return (
    <div class="doubt-pair col gap-8">
      <p>
        <b>{t("doubt.which")}</b> <span class="muted">{doubtOf(proposal, index)}</span>
      </p>
      <div class="two">
        {[first, second].map(
          (one) =>
            one !== undefined && (
              <Act
                key={one.face}
                class={one.face === die.face ? "choice begin as-read" : "choice begin"}
                onTap={() => set(one.face)}
              >
                <IdSign id={one.face} size={32} />
                <span>
                  <b>{t(`face.${one.face}`)}</b>
                  <small class="muted">
                    {one.face === die.face
                      ? t("doubt.as_read")
                      : t("percent", { percent: Math.round(one.probability * 100) })}
                  </small>
                </span>
              </Act>
            ),
        )}
      </div>
    </div>
  );
}

/** The read face first, then the others by likelihood. */
export function likeliest(
  face: Face | null,
  confidence: number,
  others: readonly Alternative[],
): readonly Alternative[] {
  const rest = others
    .filter((one) => one.face !== face)
    .sort((a, b) => b.probability - a.probability);
  return face === null ? rest : [{ face, probability: confidence }, ...rest];
}

function Own() {
  const seat = seatOf(entry.acting.value);
  return seat === null ? null : <OwnStrip seat={seat} />;
}

interface ApplyProps {
  readonly question: Question;
  readonly proposal: Proposal;
  readonly one: tray.Throw;
  readonly doubts: readonly number[];
  readonly answer: PreviewAnswer | null;
  /** Whether a die that may not be rerolled shows another face. */
  readonly stuck: boolean;
  /** Whether some of the demo dice may be thrown again. */
  readonly again: boolean;
}

/** What must be done before the dice can be applied; null: nothing. */
function blockedBy({ question, proposal, doubts, one, stuck }: ApplyProps): string | null {
  const unread = proposal.dice.filter(
    (die, index) => tray.faceOf(die, index) === null && entry.fixes.value[index] !== null,
  ).length;
  if (proposals.isRolling.value) return t("tray.rolling");
  if (counted(proposal) !== question.dice)
    return t("apply.count", { count: one.faces.length, expected: question.dice });
  if (unread > 0 || doubts.length > 1)
    return t("apply.check", { count: Math.max(unread, doubts.length) });
  return stuck ? t("apply.check", { count: one.gone.length }) : null;
}

/** What the Apply button says if the dice have moved since they were read. */
function standing(question: Question, proposal: Proposal): string | null {
  if (proposals.unrest.value === null) return null;
  const now = proposals.rollOf(question, proposal);
  return now === null ? t("apply.stand") : t("apply.stands", now);
}

function ApplyDock(props: ApplyProps) {
  const { question, proposal, one, doubts, answer, again } = props;
  const blocked = blockedBy(props);
  const stands = standing(question, proposal);
  const face = doubts.length === 1 ? (proposal.dice[doubts[0] ?? 0]?.face ?? null) : null;
  const dock = { question, one, answer, blocked };
  return (
    <>
      <Own />
      {(again || tray.countsThrows(question)) && (
        <div class="dock-row tell-row">
          {again ? <ThrowOthers proposal={proposal} /> : <roll.TellAct {...dock} />}
        </div>
      )}
      {stands === null &&
        !again &&
        doubts.length === 0 &&
        proposals.hasThrowsLeft(question, proposal) && (
          <p class="text-center text-15 muted">{t("proposal.or")}</p>
        )}
      <div class="dock-row">
        <roll.ThrowButton
          {...dock}
          text={stands ?? (face === null ? t("apply") : t("apply.with", { face }))}
        />
        {doubts.length === 0 && !tray.countsThrows(question) && <roll.EndAct {...dock} />}
        <roll.OrderAct disabled={roll.orderOf(answer).length < 2} />
      </div>
    </>
  );
}

/** Six keys, in the same places in both games, in the dock: they never scroll away. */
export function ByHandScreen({ question, lost }: { question: Question; lost: boolean }) {
  const one = tray.throwOf(question);
  const answer = roll.useForecast(question, one);
  const full = one.missing === 0;
  const several = full && question.owed <= 1 && roll.orderOf(answer).length > 1;
  return (
    <Screen
      name={lost ? "camera-lost" : "by-hand"}
      keyed
      head={<HandHead question={question} one={one} answer={answer} lost={lost} />}
      dock={
        <>
          <Slots faces={one.faces} expected={question.dice} several={several} />
          <roll.FaceKeys faces={one.faces} full={full} onTap={entry.tap} />
          <HandDock question={question} one={one} answer={answer} lost={lost} />
        </>
      }
    >
      <Offers />
      <InPlaceOf />
      <Spoken text={t("by_hand.count", { count: one.faces.length, expected: question.dice })} />
    </Screen>
  );
}

interface HandProps {
  readonly question: Question;
  readonly one: tray.Throw;
  readonly answer: PreviewAnswer | null;
  readonly lost: boolean;
}

function HandHead({ question, one, answer, lost }: HandProps) {
  const seat = seatOf(entry.acting.value);
  const narrow = isNarrow();
  const beside = !lost && !narrow;
  const room = lost ? 300 : narrow ? 358 : 250;
  return (
    <>
      {seat !== null && beside && <Shadow monster={seat.monster} />}
      {lost && <Sign name="camera_off" size={72} class="head-sign gold" />}
      <Headline
        text={headOf(question, lost)}
        room={room}
        lines={lost || beside ? 2 : 1}
        most={52}
      />
      {lost && one.faces.length === 0 && <p>{lostWords()}</p>}
      {(!lost || one.faces.length > 0) && !answer?.rows.length && (
        <p class={beside ? "beside-shadow" : ""}>{whatToTap(question)}</p>
      )}
      <roll.Forecast question={question} answer={answer} whole={one.missing === 0} />
    </>
  );
}

function headOf(question: Question, lost: boolean): string {
  if (lost) return t("head.camera_lost");
  return question.main ? t("head.by_hand") : t("head.roll", { count: question.dice });
}

function whatToTap(question: Question): string {
  if (!question.main) return say(question.prompt);
  if (tray.countsThrows(question)) return t("again.first");
  const mine = entry.acting.value !== null && game.value?.active === entry.acting.value;
  return t(mine ? "by_hand.tap" : "by_hand.tap_other", { count: question.dice });
}

const NOT_THE_PLUG =
  /^error\.(profile|reader|camera\.(black|empty_folder|no_rpicam|reader_died|unreadable_file)$)/;

function lostWords(): string {
  const tray = view.value?.tray;
  const seconds = Math.round(tray?.since_s ?? 0);
  if (tray?.camera === "ended") return t("camera_lost.ended");
  if (tray?.problem && NOT_THE_PLUG.test(tray.problem.key)) return say(tray.problem);
  return seconds > 0 ? t("camera_lost.since", { count: seconds }) : t("camera_lost");
}

const NARROW = 340;

function isNarrow(): boolean {
  return window.innerWidth <= NARROW;
}

function Slots({
  faces,
  expected,
  several,
}: {
  readonly faces: readonly Face[];
  readonly expected: number;
  /** Whether there are groups to be put in order. */
  readonly several: boolean;
}) {
  const still = expected > 6 || isNarrow();
  const slots = Array.from(
    { length: Math.max(expected, faces.length) },
    (_, index) => faces[index],
  );
  const width = expected > 6 ? 38 : 52;
  return (
    <div class="slots-block col gap-6">
      <p class={several ? "row-between" : "row-between count-alone"}>
        <b>{t("by_hand.count", { count: faces.length, expected })}</b>
        {several ? (
          <button
            type="button"
            class="link order-link"
            onClick={() => openSheet({ kind: "order" })}
          >
            {t("order.change")}
          </button>
        ) : (
          !still && faces.length > 0 && <span class="muted small">{t("by_hand.take_out")}</span>
        )}
      </p>
      <div class={`slots flex gap-8 tall-52 ${still ? "still" : ""}`}>
        {slots.map((face, index) =>
          face === undefined ? (
            <span key={index} class="slot" />
          ) : still ? (
            <DieArt key={index} face={face} size={width} title={t(`face.${face}`)} />
          ) : (
            <button
              key={index}
              type="button"
              class="slot-die bare middle"
              aria-label={t("by_hand.out", { face })}
              onClick={() => entry.untap(index)}
            >
              <DieArt face={face} size={width} />
            </button>
          ),
        )}
      </div>
    </div>
  );
}

function HandDock({ question, one, answer, lost }: HandProps) {
  const still = question.dice > 6 || isNarrow();
  const dock = {
    question,
    one,
    answer,
    blocked: one.missing > 0 ? t("by_hand.more", { count: one.missing }) : null,
  };
  return (
    <>
      <Own />
      <div class="dock-row hand">
        <LeftKey empty={one.faces.length === 0} still={still} lost={lost} />
        <roll.ThrowButton {...dock} />
        {tray.countsThrows(question) ? (
          <roll.TellAct {...dock} square />
        ) : (
          <roll.EndAct {...dock} />
        )}
      </div>
    </>
  );
}

/**
 * Back to the camera, its last reading or a photo while nothing is entered; then Clear, or the key that removes the
 * last die.
 */
function LeftKey({ empty, still, lost }: { empty: boolean; still: boolean; lost: boolean }) {
  if (!empty) {
    return (
      <Act class="clear" onTap={still ? entry.untapLast : entry.untapAll}>
        {t(still ? "by_hand.back_one" : "by_hand.clear")}
      </Act>
    );
  }
  if (lost && view.value?.tray.proposal) {
    return (
      <Act class="clear" onTap={entry.watchCamera}>
        <small class="text-13">{t("by_hand.look")}</small>
      </Act>
    );
  }
  return entry.byHand.value && isWatched() ? <roll.CameraAct /> : <PhotoButton />;
}

export function AgainScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(entry.acting.value);
  const one = tray.throwOf(question);
  const answer = roll.useForecast(question, one);
  const none = question.rethrow.length === 0;
  const watched = isWatched() && !entry.byHand.value;
  const words = t(howKey(question, watched), { count: question.owed });
  const missing =
    one.missing > 0 ? t(watched ? "roll.waiting" : "by_hand.more", { count: one.missing }) : null;
  const dock = { question, one, answer, blocked: missing };
  const named = Object.values(entry.thrown.value);
  return (
    <Screen
      name="again"
      status={
        question.main
          ? t("status.left", { turn: game.value?.turn ?? 0, count: question.left })
          : turnText()
      }
      head={
        <>
          {seat !== null && <Shadow monster={seat.monster} />}
          <Headline text={t(none ? "head.rolled" : "head.again")} room={250} most={52} />
          {!question.main && <p class="beside-shadow">{say(question.prompt)}</p>}
          <p class="beside-shadow">{words}</p>
          <roll.Forecast
            question={question}
            answer={answer}
            whole={proposals.throwOptions(question, one).apply}
          />
        </>
      }
      dock={
        <>
          <Own />
          <div class="dock-row tell-row">
            <Leave none={none} watched={watched} />
            <roll.TellAct {...dock} />
          </div>
          <div class="dock-row">
            <Submit {...dock} watched={watched} />
            {missing === null && question.owed === 0 && roll.orderOf(answer).length > 1 && (
              <roll.OrderAct />
            )}
          </div>
        </>
      }
    >
      <Offers />
      <InPlaceOf />
      <roll.AgainDice question={question} one={one} />
      <Spoken text={missing ?? words} />
      {!none &&
        (watched ? (
          <TrayStrip />
        ) : (
          <roll.FaceKeys
            faces={named.filter((face) => face !== null)}
            full={!named.includes(null)}
            onTap={entry.nameRethrown}
          />
        ))}
    </Screen>
  );
}

function Submit({ watched, ...dock }: roll.DockProps & { readonly watched: boolean }) {
  const { missing } = dock.one;
  return watched && missing > 0 ? <AwaitedDice count={missing} /> : <roll.ThrowButton {...dock} />;
}

/** The sentence under the headline: whether dice may or must be rerolled, and how to mark them. */
function howKey(question: Question, watched: boolean): string {
  if (question.rethrow.length === 0) return "again.no_more";
  if (question.owed > 0) return "again.owed";
  return watched ? "again.how" : "again.how_by_hand";
}

function isWatched(): boolean {
  const camera = view.value?.tray.camera;
  return camera === "ok" || camera === "starting";
}

function Leave({ none, watched }: { readonly none: boolean; readonly watched: boolean }) {
  if (none) return null;
  if (watched) {
    return <Act sign="keys" text={t("roll.by_hand")} onTap={entry.countByHand} />;
  }
  if (Object.keys(entry.thrown.value).length > 0)
    return <Act text={t("again.reset")} onTap={entry.clearRethrown} />;
  if (entry.byHand.value && view.value?.tray.proposal)
    return <Act text={t("by_hand.look")} onTap={entry.watchCamera} />;
  return isWatched() ? <roll.CameraAct /> : <PhotoButton />;
}

const PROMISING = 3;

export function DieSheet({ proposal: id, index }: { proposal: string; index: number }) {
  const proposal = view.value?.tray.proposal;
  const die = proposal?.id === id ? proposal.dice[index] : undefined;
  if (!proposal || die === undefined)
    return (
      <SheetFrame name="die" label={t("die.gone")}>
        <Close />
      </SheetFrame>
    );
  const set = (face: Face | null) => {
    fixDie(index, face);
    closeSheet();
  };
  const faces = game.value?.faces ?? [];
  const others = likeliest(null, 0, die.alternatives)
    .map((one) => one.face)
    .filter((face) => face !== die.face);
  const promising = [
    ...others.slice(0, 1),
    ...(die.face === null ? [] : [die.face]),
    ...others.slice(1),
  ].slice(0, PROMISING);
  const rest = faces.filter((face) => !promising.includes(face));
  const chance = (face: Face): string => {
    if (face === die.face) return t("doubt.as_read");
    const found = die.alternatives.find((one) => one.face === face);
    return found === undefined
      ? ""
      : t("percent", { percent: Math.round(found.probability * 100) });
  };
  return (
    <SheetFrame
      name="die"
      label={t("die.head")}
      tone={die.sure ? "go" : "doubt"}
      picture={
        <span
          class={`die-crop rigid overflow-hidden rounded-8 on-raised ${die.sure ? "" : "unsure"}`}
        >
          {die.crop !== "" && <img src={die.crop} alt="" />}
        </span>
      }
      about={
        <p class="muted">
          {t("die.which", { die: placeOf(proposal, index) })}{" "}
          {die.face === null
            ? t("die.no_face")
            : t("die.read_as", { face: die.face, percent: Math.round(die.confidence * 100) })}
        </p>
      }
    >
      <p class="label">{t("die.likely")}</p>
      <div class="two">
        {promising.map((face, at) => (
          <Act
            key={face}
            class={at === 0 ? "choice begin wide chosen" : "choice begin"}
            onTap={() => set(face)}
          >
            <IdSign id={face} size={at === 0 ? 44 : 32} />
            <span>
              <b class={at === 0 ? "poster-words" : ""}>{t(`face.${face}`)}</b>
              <small class="muted">{chance(face)}</small>
            </span>
          </Act>
        ))}
      </div>
      {rest.length > 0 && <p class="label">{t("die.others")}</p>}
      <div class="three">
        {rest.map((face) => (
          <Act key={face} class="key col gap-6 min-0" onTap={() => set(face)}>
            <IdSign id={face} size={36} />
            <span>{t(`face.${face}`)}</span>
          </Act>
        ))}
      </div>
      <div class="two">
        <Act text={t("die.not")} onTap={() => set(null)} />
        <Act
          text={t("die.again")}
          onTap={() => {
            void api.readAgain();
            closeSheet();
          }}
        />
      </div>
      <Act class="plain" onTap={closeSheet}>
        <Sign name="cross" size={20} />{" "}
        {die.face === null ? t("die.leave") : t("die.leave_as", { face: die.face })}
      </Act>
    </SheetFrame>
  );
}
