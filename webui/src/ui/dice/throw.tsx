/** Shared parts of the roll screens: preview, rerolled dice, keys, the submit button. */
import { useEffect } from "preact/hooks";
import { DieArt, Sign } from "../../art";
import { openSheet } from "../../store/phone/route";
import { game, view } from "../../store/table/table";
import { applyAndEnd, applyDice, sendThrow } from "../../store/turn/acts";
import { burning } from "../../store/turn/fuse";
import { fetchPreview, keyOf, previewOf, proposalPreview } from "../../store/turn/preview";
import { activeProposal, type Throw, throwOptions, toggleRethrown } from "../../store/turn/throw";
import { acting, chosenOrder, thrown, watchCamera } from "../../store/turn/turn";
import { t } from "../../store/words";
import type { Face, PreviewAnswer, Question } from "../../wire";
import { FuseButton } from "../frame/fuse";
import { EffectChips, Outcomes } from "../parts/effects";
import { Act, IdSign, NumberSign, Primary } from "../parts/kit";

/** The preview of Apply: the proposal's own while nothing is corrected, then the service's. */
export function useForecast(question: Question, one: Throw): PreviewAnswer | null {
  const rev = view.value?.rev ?? 0;
  const own = chosenOrder.value === null ? proposalPreview(question, activeProposal.value) : null;
  const asked = { faces: one.faces, rethrown: one.rethrown, order: chosenOrder.value ?? [] };
  const some = one.faces.length > 0 || one.rethrown.length > 0;
  const ask = own === null && some && (activeProposal.value === null || one.missing === 0);
  useEffect(() => {
    if (ask) void fetchPreview(asked, rev);
  }, [ask, keyOf(asked, rev)]);
  return own ?? (ask ? previewOf(asked, rev) : null);
}

/** The dice entered before: a tap marks rerolled ones, each with its price. */
export function AgainDice({ question, one }: { readonly question: Question; readonly one: Throw }) {
  const wide = question.showing.length > 6 ? "many" : "";
  return (
    <div class={`again-dice grid gap-8 ${wide}`} role="group" aria-label={t("again.dice")}>
      {question.showing.map((face, index) => (
        <AgainDie key={index} question={question} one={one} face={face} index={index} />
      ))}
    </div>
  );
}

interface AgainDieProps {
  readonly question: Question;
  readonly one: Throw;
  readonly face: Face;
  readonly index: number;
}

function AgainDie({ question, one, face, index }: AgainDieProps) {
  const again = one.rethrown.includes(index);
  const price = question.prices[index] ?? 0;
  const shows = again ? newFace(one, index) : face;
  const inside = (
    <>
      <span class={`again-face w-full relative ${shows === null ? "gone" : ""}`}>
        <DieArt face={shows ?? face} size={52} />
        {price > 0 && (
          <span class="again-price inline-row absolute rounded-4 on-go">
            <b class="num">{price}</b>
            <Sign name="energy" size={14} />
          </span>
        )}
      </span>
    </>
  );
  if (!question.rethrow.includes(index)) {
    return (
      <span
        class="again-die bare col items-center gap-3 min-0 relative color-text fixed"
        role="img"
        aria-label={t("again.fixed", { index: index + 1, face })}
      >
        {inside}
        {question.rethrow.length > 0 && <small>{t("again.stays")}</small>}
      </span>
    );
  }
  const key = again ? "again.keep" : price > 0 ? "again.throw_for" : "again.throw";
  return (
    <button
      type="button"
      class={`again-die bare col items-center gap-3 min-0 relative color-text ${again ? "chosen" : ""}`}
      data-answer={index}
      aria-pressed={again}
      disabled={one.gone.includes(index)}
      onClick={() => toggleRethrown(index)}
    >
      <span class="sr-only">{t(key, { index: index + 1, face, price })}</span> {inside}{" "}
      {again && <small>{t("again.thrown")}</small>}
    </button>
  );
}

/** The new face of a rerolled die, by camera or by hand; null: not known yet. */
function newFace(one: Throw, index: number): Face | null {
  return (activeProposal.value === null ? thrown.value[index] : one.faces[index]) ?? null;
}

/** Six keys, in the same places in both games. */
export function FaceKeys({
  faces,
  full,
  onTap,
}: {
  readonly faces: readonly Face[];
  readonly full: boolean;
  readonly onTap: (face: Face) => void;
}) {
  return (
    <div class={full ? "keys grid gap-8 full" : "keys grid gap-8"}>
      {(game.value?.faces ?? []).map((face) => (
        <FaceKey
          key={face}
          face={face}
          count={faces.filter((one) => one === face).length}
          full={full}
          onTap={() => onTap(face)}
        />
      ))}
    </div>
  );
}

function FaceKey({
  face,
  count,
  full,
  onTap,
}: {
  readonly face: Face;
  readonly count: number;
  readonly full: boolean;
  readonly onTap: () => void;
}) {
  const number = face === "one" || face === "two" || face === "three";
  return (
    <button type="button" class="key" data-answer={face} disabled={full} onClick={onTap}>
      <IdSign id={face} size={number ? 56 : 44} />
      <span class={number ? "sr-only" : ""}>{t(`face.${face}`)}</span>{" "}
      {count > 0 && <b class="key-count absolute text-center rounded-4 color-ink num">{count}</b>}
    </button>
  );
}

export interface DockProps {
  readonly question: Question;
  readonly one: Throw;
  readonly answer: PreviewAnswer | null;
  /** Why the throw cannot be submitted yet; null where it can. */
  readonly blocked: string | null;
  /** The button's text, where it is not "Apply". */
  readonly text?: string;
}

function proposalId(): string | null {
  return activeProposal.value?.id ?? null;
}

export function orderOf(answer: PreviewAnswer | null): readonly Face[] {
  return chosenOrder.value ?? answer?.order ?? [];
}

/** Apply; where a card requires another throw, submit this one as not final. */
export function ThrowButton({ question, one, answer, blocked, text = t("apply") }: DockProps) {
  const ways = throwOptions(question, one);
  const fuse = burning.value;
  if (fuse !== null && activeProposal.value !== null) return <FuseButton fuse={fuse} />;
  if (blocked !== null) return <Primary text={blocked} />;
  if (answer !== null && answer.lacking > 0)
    return <Primary text={t("again.lacking", { count: answer.lacking })} />;
  if (!ways.apply && ways.again)
    return <Primary text={t("again.on")} onTap={() => sendThrow(one, proposalId())} />;
  if (!ways.apply) return <Primary text={t("again.choose")} />;
  const order = chosenOrder.value ?? answer?.order ?? null;
  const apply = () => void applyDice(acting.value ?? 0, one, order, proposalId());
  return (
    <Primary text={text} note={answer?.merges ? t("apply.merges") : undefined} onTap={apply} />
  );
}

/** Apply and end the turn in one tap, where nothing is asked in between. */
export function EndAct({ question, one, answer, blocked }: DockProps) {
  if (blocked !== null || answer === null || answer.lacking > 0 || answer.ends.length === 0)
    return null;
  if (!throwOptions(question, one).apply) return null;
  const apply = () =>
    applyAndEnd(acting.value ?? 0, one, orderOf(answer), proposalId(), answer.ends);
  return (
    <Act class="square end-act" label={`${t("apply.end.short")}: ${t("apply.end")}`} onTap={apply}>
      <Sign name="tick" size={24} />
      <small>{t("apply.end.short")}</small>
    </Act>
  );
}

/** Submit this throw, to be followed by a reroll; `square`: beside the primary button. */
export function TellAct({
  question,
  one,
  answer,
  blocked,
  square = false,
}: DockProps & { readonly square?: boolean }) {
  const ways = throwOptions(question, one);
  if (blocked !== null || (answer !== null && answer.lacking > 0) || !ways.apply || !ways.again)
    return null;
  return (
    <Act class={square ? "tell square" : "tell"} onTap={() => sendThrow(one, proposalId())}>
      <Sign name="dice" size={24} /> {square ? <small>{t("again")}</small> : t("again")}
    </Act>
  );
}

export function OrderAct({ disabled = false }: { readonly disabled?: boolean }) {
  return (
    <Act class="square" onTap={() => openSheet({ kind: "order" })} disabled={disabled}>
      <Sign name="order" size={26} />
      <small>{t("order")}</small>
    </Act>
  );
}

/** The way to the order where a square has no room. */
export function OrderLink() {
  return (
    <button type="button" class="link order-link" onClick={() => openSheet({ kind: "order" })}>
      {t("order.change")}
    </button>
  );
}

export function CameraAct() {
  return (
    <Act class="clear" onTap={watchCamera}>
      <Sign name="camera" size={24} />
      <small>{t("by_hand.camera")}</small>
    </Act>
  );
}

/** The throw's own effect, as a chip: its price, or its whole effect where it is not the turn's roll. */
export function ThrowChips({
  question,
  answer,
}: {
  readonly question: Question;
  readonly answer: PreviewAnswer | null;
}) {
  const changes = answer?.changes ?? [];
  if (changes.length === 0) return null;
  return (
    <p class="chips flex wrap gap-6">
      {changes.map((change) => (
        <span
          key={`${change.seat}${change.what}`}
          class="effect-chip inline-row wrap gap-6 rounded-4 on-raised semibold text-15 price"
        >
          {question.main && <span>{t("again.price")}</span>}
          <NumberSign what={change.what} size={18} />
          <b>{change.before}</b>
          <Sign name="arrow_right" size={12} class="arrow" />
          <b>{change.after}</b>
        </span>
      ))}
    </p>
  );
}

interface ForecastProps {
  readonly question: Question;
  readonly answer: PreviewAnswer | null;
  /** Whether all dice are known. */
  readonly whole: boolean;
}

/** A short preview under the headline of a roll entered by hand. */
export function Forecast({ question, answer, whole }: ForecastProps) {
  const rows = answer?.rows ?? [];
  return (
    <>
      {rows.length > 0 && (
        <p class="muted small">{t(whole ? "by_hand.will_do" : "by_hand.so_far")}</p>
      )}
      <Outcomes outcomes={answer?.outcomes ?? []} />
      <ThrowChips question={question} answer={answer} />
      <EffectChips rows={rows} entering={answer?.entering ?? []} />
    </>
  );
}
