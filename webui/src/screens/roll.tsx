/** Dice: as the camera reads them, or as thumbs say them. */
import { useEffect } from "preact/hooks";
import { DieArt, Sign } from "../art";
import { applyDice } from "../store/acts";
import { foretell, told } from "../store/preview";
import { openSheet } from "../store/route";
import { game, seatOf, view } from "../store/table";
import { acting, byHand, chosenOrder, fixes, tapped } from "../store/turn";
import { EffectChips, EffectRows } from "../ui/effects";
import { Act, IdSign, Primary, Spoken } from "../ui/kit";
import { PhotoButton } from "../ui/photo";
import { Shadow } from "../ui/picture";
import { Headline, Screen, turnText } from "../ui/screen";
import { InPlaceOf, Offers, ReminderCard } from "../ui/strips";
import { faceOf, inDoubt, TrayMap } from "../ui/tray";
import { knows, t } from "../words";
import type { Alternative, Face, PreviewAnswer, Proposal, Question } from "../wire";

/** What Apply would do: the proposal's own rows while nothing was put right, the table's answer after. */
function useForetold(proposal: Proposal | null, faces: readonly Face[], complete: boolean): PreviewAnswer | null {
  const rev = view.value?.rev ?? 0;
  const order = chosenOrder.value ?? [];
  const own = proposal !== null && Object.keys(fixes.value).length === 0 && order.length === 0;
  const ask = !own && faces.length > 0 && (proposal === null || complete);
  useEffect(() => {
    if (ask) void foretell(faces, order, rev);
  }, [ask, faces.join(), order.join(), rev]);
  if (own) return { rows: proposal.rows, order: orderOf(proposal.rows.map((row) => row.face)), merges: proposal.merges, changes: [], lacking: 0 };
  return ask ? told(faces, order, rev) : null;
}

function orderOf(faces: readonly Face[]): readonly Face[] {
  return faces.filter((face, index) => faces.indexOf(face) === index);
}

function knownFaces(proposal: Proposal): Face[] {
  return proposal.dice.map(faceOf).filter((face): face is Face => face !== null);
}

/** What is wrong with the dice, most important first. */
function verdict(count: number, expected: number, doubts: number): string {
  if (count !== expected) return t("proposal.expected", { expected });
  return t(doubts === 0 ? "proposal.sure" : `unsure.${Math.min(8, doubts)}`);
}

/** Dice that count: all that somebody has not called "not a die". */
function counted(proposal: Proposal): number {
  return proposal.dice.filter((_, index) => fixes.value[index] !== null).length;
}

export function ProposalScreen({ question, proposal }: { readonly question: Question; readonly proposal: Proposal }) {
  const expected = question.dice;
  const count = counted(proposal);
  const faces = knownFaces(proposal);
  const doubts = proposal.dice.map((die, index) => (inDoubt(die, index) ? index : -1)).filter((index) => index >= 0);
  const complete = faces.length === expected && count === expected;
  const answer = useForetold(proposal, faces, complete);
  const doubtful = new Set(doubts.map((index) => proposal.dice[index]?.face).filter((face): face is Face => !!face));
  const headline = t("proposal.head", { dice: t(count > 8 ? "dice.many" : `dice.${count}`), doubt: verdict(count, expected, doubts.length) });
  return (
    <Screen
      name="proposal"
      status={proposal.roll > 0 ? t("status.roll", { turn: game.value?.turn ?? 0, roll: proposal.roll }) : turnText()}
      head={
        <>
          <Headline text={headline} lines={1} most={44} />
          <EffectRows rows={answer?.rows ?? []} doubtful={doubtful} />
          {(answer?.rows.length ?? 0) > 1 && <p class="muted small">{t("proposal.order")}</p>}
        </>
      }
      dock={<ApplyDock proposal={proposal} expected={expected} faces={faces} doubts={doubts} answer={answer} />}
    >
      <TrayMap proposal={proposal} />
      <Spoken text={headline} />
      {count !== expected && <CountNote seen={count} expected={expected} />}
      {proposal.problems.filter((problem) => problem !== "count" && problem !== "die_doubtful").map((problem) => (
        <p key={problem} class="gold small">
          {t(knows(`problem.${problem}`) ? `problem.${problem}` : "problem.other")}
        </p>
      ))}
      {doubts.length > 0 && <DoubtPair proposal={proposal} index={doubts[0] ?? 0} />}
      {doubts.length === 0 && <ReminderCard />}
      <Offers />
      <p class="under-words muted">
        {t("proposal.again")}{" "}
        <button type="button" class="link" onClick={() => (byHand.value = true)}>
          {t("roll.by_hand")}
        </button>
      </p>
      <InPlaceOf />
    </Screen>
  );
}

function CountNote({ seen, expected }: { readonly seen: number; readonly expected: number }) {
  return <p class="gold">{t(seen > expected ? "proposal.too_many" : "proposal.too_few", { count: seen, expected })}</p>;
}

/** The doubtful die asked on the proposal itself: as read, or what it is most often mistaken for. */
function DoubtPair({ proposal, index }: { readonly proposal: Proposal; readonly index: number }) {
  const die = proposal.dice[index];
  if (die === undefined) return null;
  const [first, second] = likeliest(die.face, die.confidence, die.alternatives);
  const set = (face: Face) => {
    fixes.value = { ...fixes.value, [index]: face };
  };
  return (
    <div class="doubt-pair">
      <p>
        <b>{t("doubt.which")}</b>{" "}
        <span class="muted">
          {die.face === null ? t("doubt.none", { index: index + 1 }) : t("doubt.sure_of", { percent: Math.round(die.confidence * 100), face: die.face })}
        </span>
      </p>
      <div class="two">
        {[first, second].map(
          (one) =>
            one !== undefined && (
              <Act key={one.face} class={one.face === die.face ? "choice as-read" : "choice"} onTap={() => set(one.face)}>
                <IdSign id={one.face} size={32} />
                <span>
                  <b>{t(`face.${one.face}`)}</b>
                  <small class="muted">{one.face === die.face ? t("doubt.as_read") : t("percent", { percent: Math.round(one.probability * 100) })}</small>
                </span>
              </Act>
            ),
        )}
      </div>
    </div>
  );
}

/** The read face first, then the others by likelihood. */
export function likeliest(face: Face | null, confidence: number, others: readonly Alternative[]): readonly Alternative[] {
  const rest = others.filter((one) => one.face !== face).sort((a, b) => b.probability - a.probability);
  return face === null ? rest : [{ face, probability: confidence }, ...rest];
}

interface ApplyProps {
  readonly proposal: Proposal;
  readonly expected: number;
  readonly faces: readonly Face[];
  readonly doubts: readonly number[];
  readonly answer: PreviewAnswer | null;
}

function ApplyDock({ proposal, expected, faces, doubts, answer }: ApplyProps) {
  const seat = acting.value ?? 0;
  const unread = proposal.dice.filter((die, index) => faceOf(die, index) === null && fixes.value[index] !== null).length;
  const order = chosenOrder.value ?? answer?.order ?? [];
  const apply = () => applyDice(seat, faces, order, proposal.id);
  const note = answer?.merges ? t("apply.merges") : undefined;
  let button;
  if (counted(proposal) !== expected) button = <Primary text={t("apply.count", { count: faces.length, expected })} />;
  else if (unread > 0 || doubts.length > 1) button = <Primary text={t("apply.check", { count: Math.max(unread, doubts.length) })} />;
  else if (doubts.length === 1) {
    const face = proposal.dice[doubts[0] ?? 0]?.face ?? null;
    button = <Primary text={face === null ? t("apply") : t("apply.with", { face })} note={note} onTap={apply} />;
  } else button = <Primary text={t("apply")} note={note} onTap={apply} />;
  return (
    <div class="dock-row">
      {button}
      <Act class="square" onTap={() => openSheet({ kind: "order" })} disabled={order.length < 2}>
        <Sign name="order" size={26} />
        <small>{t("order")}</small>
      </Act>
    </div>
  );
}

/** Six keys, in the same places in both games. */
export function ByHandScreen({ question, lost }: { readonly question: Question; readonly lost: boolean }) {
  const seat = seatOf(acting.value);
  const faces = tapped.value;
  const expected = question.dice;
  const left = expected - faces.length;
  const answer = useForetold(null, faces, left === 0);
  const rows = answer?.rows ?? [];
  const mine = acting.value !== null && game.value?.active === acting.value;
  return (
    <Screen
      name={lost ? "camera-lost" : "by-hand"}
      head={
        <>
          {seat !== null && !lost && <Shadow monster={seat.monster} />}
          {lost && <Sign name="camera_off" size={72} class="head-sign gold" />}
          <Headline text={t(lost ? "head.camera_lost" : "head.by_hand")} room={lost ? 300 : 250} lines={2} most={52} />
          {lost && faces.length === 0 ? (
            <p>{lostWords()}</p>
          ) : (
            <>
              {rows.length === 0 && <p>{t(mine ? "by_hand.tap" : "by_hand.tap_other", { count: expected })}</p>}
              {rows.length > 0 && <p class="muted small">{t(left === 0 ? "by_hand.will_do" : "by_hand.so_far")}</p>}
              <EffectChips rows={rows} />
            </>
          )}
          <InPlaceOf />
        </>
      }
      dock={<HandDock faces={faces} left={left} expected={expected} order={chosenOrder.value ?? answer?.order ?? []} merges={answer?.merges ?? false} lost={lost} />}
    >
      <Offers />
      <Slots faces={faces} expected={expected} />
      <div class="keys">
        {(game.value?.faces ?? []).map((face) => (
          <FaceKey key={face} face={face} count={faces.filter((one) => one === face).length} full={left <= 0} />
        ))}
      </div>
      <Spoken text={t("by_hand.count", { count: faces.length, expected })} />
      {lost && (
        <div class={view.value?.tray.proposal ? "two" : "one"}>
          <PhotoButton />
          {view.value?.tray.proposal && <Act onTap={() => (byHand.value = false)}>{t("by_hand.look")}</Act>}
        </div>
      )}
    </Screen>
  );
}

function lostWords(): string {
  const tray = view.value?.tray;
  const seconds = Math.round(tray?.since_s ?? 0);
  if (tray?.camera === "ended") return t("camera_lost.ended");
  return seconds > 0 ? t("camera_lost.since", { count: seconds }) : t("camera_lost");
}

const NARROW = 340;

function Slots({ faces, expected }: { readonly faces: readonly Face[]; readonly expected: number }) {
  const still = expected > 6 || window.innerWidth <= NARROW;
  const slots = Array.from({ length: Math.max(expected, faces.length) }, (_, index) => faces[index]);
  const width = expected > 6 ? 38 : 52;
  return (
    <div class="slots-block">
      <p class="row-between">
        <b>{t("by_hand.count", { count: faces.length, expected })}</b>
        {!still && faces.length > 0 && <span class="muted small">{t("by_hand.take_out")}</span>}
      </p>
      <div class={still ? "slots still" : "slots"}>
        {slots.map((face, index) =>
          face === undefined ? (
            <span key={index} class="slot" />
          ) : still ? (
            <DieArt key={index} face={face} size={width} title={t(`face.${face}`)} />
          ) : (
            <button
              key={index}
              type="button"
              class="slot-die"
              aria-label={t("by_hand.out", { face })}
              onClick={() => (tapped.value = faces.filter((_, at) => at !== index))}
            >
              <DieArt face={face} size={width} />
            </button>
          ),
        )}
      </div>
    </div>
  );
}

function FaceKey({ face, count, full }: { readonly face: Face; readonly count: number; readonly full: boolean }) {
  const number = face === "one" || face === "two" || face === "three";
  return (
    <button
      type="button"
      class="key"
      disabled={full}
      aria-label={t(`face.${face}`)}
      onClick={() => (tapped.value = [...tapped.value, face])}
    >
      <IdSign id={face} size={number ? 56 : 44} />
      {!number && <span>{t(`face.${face}`)}</span>}
      {count > 0 && <b class="key-count num">{count}</b>}
    </button>
  );
}

interface HandDockProps {
  readonly faces: readonly Face[];
  readonly left: number;
  readonly expected: number;
  readonly order: readonly Face[];
  readonly merges: boolean;
  readonly lost: boolean;
}

function HandDock({ faces, left, expected, order, merges, lost }: HandDockProps) {
  const still = expected > 6 || window.innerWidth <= NARROW;
  const apply = () => applyDice(acting.value ?? 0, faces, order, null);
  return (
    <div class="dock-row hand">
      {(!lost || faces.length > 0) && <LeftKey empty={faces.length === 0} still={still} />}
      {left > 0 ? (
        <Primary text={t("by_hand.more", { count: left })} />
      ) : (
        <Primary text={t("apply")} note={merges ? t("apply.merges") : undefined} onTap={apply} />
      )}
      {left === 0 && order.length > 1 && (
        <Act class="square" onTap={() => openSheet({ kind: "order" })}>
          <Sign name="order" size={26} />
          <small>{t("order")}</small>
        </Act>
      )}
    </div>
  );
}

/** Back to the camera or a photo while nothing is tapped; then Clear, or the key that takes back the last die. */
function LeftKey({ empty, still }: { readonly empty: boolean; readonly still: boolean }) {
  const camera = view.value?.tray.camera;
  if (!empty) {
    return (
      <Act class="clear" onTap={() => (tapped.value = still ? tapped.value.slice(0, -1) : [])}>
        {t(still ? "by_hand.back_one" : "by_hand.clear")}
      </Act>
    );
  }
  if (byHand.value && (camera === "ok" || camera === "starting")) {
    return (
      <Act class="clear" onTap={() => (byHand.value = false)}>
        <Sign name="camera" size={24} />
        <small>{t("by_hand.camera")}</small>
      </Act>
    );
  }
  return <PhotoButton small />;
}
