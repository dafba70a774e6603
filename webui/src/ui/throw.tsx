/** What roll screens share: the preview, rerolled dice, demo dice, keys, the submit button. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { DieArt, Sign } from "../art";
import { fetchPreview, keyOf, previewOf, proposalPreview } from "../store/looks";
import * as proposals from "../store/proposal";
import { openSheet } from "../store/route";
import { game, names, view, you } from "../store/table";
import * as tray from "../store/tray";
import {
  acting,
  applyDice,
  chosenOrder,
  countByHand,
  sendDice,
  sendThrow,
  thrown,
  watchCamera,
} from "../store/turn";
import { knows, say, t } from "../store/words";
import type { Change, Face, PreviewAnswer, PreviewRow, Proposal, Question, Words } from "../wire";
import { FuseButton } from "./frame";
import { Act, Arrow, IdSign, NumberSign, Primary } from "./kit";
import { trayKey } from "./tray-state";

type EffectRowsProps = Readonly<{
  rows: readonly PreviewRow[];
  doubtful: ReadonlySet<Face>;
  entering: readonly Change[];
}>;

/** Rows in the order of resolution; `doubtful` faces carry a mark. */
export function EffectRows({ rows, doubtful, entering }: EffectRowsProps) {
  return (
    <ul class={`effects plain-list ${rows.length > 4 ? "many" : ""}`}>
      {rows.map((row, index) => (
        <EffectRow key={index} row={row} doubt={doubtful.has(row.face)} />
      ))}
      {entering.length > 0 && (
        <Effect
          group={<Sign name="arrow_right" size={30} />}
          words={t("preview.entering")}
          changes={entering}
        />
      )}
    </ul>
  );
}

const OUTCOME_SIGNS: Readonly<Record<string, string>> = {
  "outcome.wins": "crown",
  "outcome.reaches": "victory_star",
};

/** Who is eliminated and who wins, highlighted. */
export function Outcomes({ outcomes }: { readonly outcomes: readonly Words[] }) {
  if (outcomes.length === 0) return null;
  return (
    <div class="outcomes col gap-6" role="alert">
      {outcomes.map((one) => {
        const sign = OUTCOME_SIGNS[one.key];
        return (
          <p
            key={say(one)}
            class={`outcome row gap-8 rounded color-ink bold ${sign === undefined ? "" : "good"}`}
          >
            <IdSign id={sign ?? "skull"} size={24} meaning={false} /> {say(one)}
          </p>
        );
      })}
    </div>
  );
}

/** The effect of a group, as a sentence. */
export function rowText(row: PreviewRow): string {
  return t(row.key, row.args);
}

function EffectRow({ row, doubt }: { readonly row: PreviewRow; readonly doubt: boolean }) {
  const note = knows(`${row.key}.note`) ? t(`${row.key}.note`, row.args) : null;
  const mark = (doubt || row.provisional) && (
    <span
      class={`${doubt ? "chip-doubt on-stars" : "chip-open muted"} inline-row rounded-4 display-face`}
      role="img"
      aria-label={t(doubt ? "effect.doubt" : "effect.provisional")}
    >
      {doubt ? "?" : "…"}
    </span>
  );
  const group = (
    <>
      <IdSign id={row.face} size={30} />
      <b class="num">{row.count}</b>
    </>
  );
  return (
    <Effect group={group} words={rowText(row)} note={note} mark={mark} changes={row.changes} />
  );
}

interface EffectProps {
  readonly group: ComponentChildren;
  readonly words: string;
  readonly note?: string | null;
  readonly mark?: ComponentChildren;
  readonly changes: readonly Change[];
}

function Effect({ group, words, note = null, mark, changes }: EffectProps) {
  const named = changes.length > 1 || changes[0]?.seat !== game.value?.active;
  return (
    <li class="effect dotted-below row gap-8">
      <span class="effect-group inline-row gap-6">{group}</span>
      <span class="effect-words grow leading-115">
        <b>{words}</b>
        {note !== null && <small class="muted block">{note}</small>}
      </span>
      <span class="effect-changes inline-row gap-8 rigid text-28">
        {mark}
        <span class="col items-end gap-4">
          {changes.map((change, index) => (
            <span key={index} class="delta">
              {named && <small class="muted">{whose(change, names.player)}</small>}
              <NumberSign what={change.what} size={20} />
              <Arrow before={change.before} after={change.after} />
            </span>
          ))}
        </span>
      </span>
    </li>
  );
}

function whose({ seat }: Change, name: (seat: number) => string): string {
  return seat === you.value.seat ? t("you") : name(seat);
}

type EffectChipsProps = Readonly<{ rows: readonly PreviewRow[]; entering: readonly Change[] }>;

/** The preview as chips, for little room. */
export function EffectChips({ rows, entering }: EffectChipsProps) {
  return (
    <div class="chips flex wrap gap-6">
      {rows.map((row, index) => (
        <Chip key={index}>
          <IdSign id={row.face} size={18} />
          {row.changes.length === 0 && <span>{rowText(row)}</span>}
          <ChangeChips changes={row.changes} />
        </Chip>
      ))}
      {entering.length > 0 && (
        <Chip>
          <span>{t("preview.entering")}</span>
          <ChangeChips changes={entering} />
        </Chip>
      )}
    </div>
  );
}

function Chip({ class: extra = "", children }: { class?: string; children: ComponentChildren }) {
  return (
    <span class={`effect-chip inline-row wrap gap-6 rounded-4 on-raised semibold text-15 ${extra}`}>
      {children}
    </span>
  );
}

function Small({ change: { what, before, after } }: { readonly change: Change }) {
  return (
    <>
      <NumberSign what={what} size={18} />
      <b>{before}</b>
      <Sign name="arrow_right" size={12} class="muted" />
      <b>{after}</b>
    </>
  );
}

export function ChangeChips({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <>
      {changes.map((change, at) => (
        <span key={at} class="delta">
          {whose(change, names.monster)}
          <Small change={change} />
        </span>
      ))}
    </>
  );
}

/** The preview of Apply: the proposal's own while nothing is corrected, then the service's. */
export function useForecast(question: Question, one: tray.Throw): PreviewAnswer | null {
  const rev = view.value?.rev ?? 0;
  const own =
    chosenOrder.value === null ? proposalPreview(question, tray.activeProposal.value) : null;
  const asked = { faces: one.faces, rethrown: one.rethrown, order: chosenOrder.value ?? [] };
  const some = one.faces.length > 0 || one.rethrown.length > 0;
  const ask = own === null && some && (tray.activeProposal.value === null || one.missing === 0);
  useEffect(() => {
    if (ask) void fetchPreview(asked, rev);
  }, [ask, keyOf(asked, rev)]);
  return own ?? (ask ? previewOf(asked, rev) : null);
}

/** The dice entered before: a tap marks rerolled ones, each with its price. */
export function AgainDice({ question, one }: { question: Question; one: tray.Throw }) {
  const wide = question.showing.length > 6 ? "many" : "";
  return (
    <div class={`again-dice grid gap-8 ${wide}`} role="group" aria-label={t("again.dice")}>
      {question.showing.map((face, index) => (
        <AgainDie key={index} question={question} one={one} face={face} index={index} />
      ))}
    </div>
  );
}

type AgainDieProps = Readonly<{ question: Question; one: tray.Throw; face: Face; index: number }>;

function AgainDie({ question, one, face, index }: AgainDieProps) {
  const again = one.rethrown.includes(index);
  const price = question.prices[index] ?? 0;
  const shows = again ? newFace(one, index) : face;
  const inside = (
    <span class={`again-face w-full relative ${shows === null ? "gone" : ""}`}>
      <DieArt face={shows ?? face} size={52} />
      {price > 0 && (
        <span class="again-price inline-row absolute rounded-4 on-go">
          <b class="num">{price}</b>
          <Sign name="energy" size={14} />
        </span>
      )}
    </span>
  );
  if (!question.rethrow.includes(index)) {
    return (
      <span
        class="again-die bare col items-center gap-3 min-0 relative color-text fixed"
        role="img"
        aria-label={t("again.fixed", { index: index + 1, face })}
      >
        {inside}
        {question.rethrow.length > 0 && <small class="muted">{t("again.stays")}</small>}
      </span>
    );
  }
  const key = again ? "again.keep" : price > 0 ? "again.throw_for" : "again.throw";
  return (
    <DieButton
      index={index}
      chosen={again}
      said={t(key, { index: index + 1, face, price })}
      note={t("again.thrown")}
      disabled={one.gone.includes(index)}
      onTap={() => proposals.toggleRethrown(index)}
    >
      {inside}
    </DieButton>
  );
}

interface DieButtonProps {
  readonly index: number;
  readonly chosen: boolean;
  readonly said: string;
  /** Shown below the die if it is chosen. */
  readonly note: string;
  readonly disabled?: boolean;
  readonly onTap: () => void;
  readonly children: ComponentChildren;
}

function DieButton({ index, chosen, said, note, disabled, onTap, children }: DieButtonProps) {
  return (
    <button
      type="button"
      class={`again-die bare col items-center gap-3 min-0 relative color-text ${chosen ? "chosen" : ""}`}
      data-answer={index}
      aria-pressed={chosen}
      disabled={disabled}
      onClick={onTap}
    >
      <span class="sr-only">{said}</span> {children} {chosen && <small class="bold">{note}</small>}
    </button>
  );
}

/** The new face of a rerolled die, by camera or by hand; null: not known yet. */
function newFace(one: tray.Throw, index: number): Face | null {
  return (tray.activeProposal.value === null ? thrown.value[index] : one.faces[index]) ?? null;
}

type FaceKeysProps = Readonly<{
  faces: readonly Face[];
  full: boolean;
  onTap: (face: Face) => void;
}>;

/** Six keys, in the same places in both games. */
export function FaceKeys({ faces, full, onTap }: FaceKeysProps) {
  return (
    <div class={full ? "keys grid cols-3 gap-8 full" : "keys grid cols-3 gap-8"}>
      {(game.value?.faces ?? []).map((face) => {
        const number = face === "one" || face === "two" || face === "three";
        const count = faces.filter((one) => one === face).length;
        return (
          <button
            key={face}
            type="button"
            class="key col middle gap-6 min-0 bold"
            data-answer={face}
            disabled={full}
            onClick={() => onTap(face)}
          >
            <IdSign id={face} size={number ? 56 : 44} />
            <span class={number ? "sr-only" : ""}>{t(`face.${face}`)}</span>{" "}
            {count > 0 && (
              <b class="key-count absolute text-center rounded-4 color-ink num">{count}</b>
            )}
          </button>
        );
      })}
    </div>
  );
}

export interface DockProps {
  readonly question: Question;
  readonly one: tray.Throw;
  readonly answer: PreviewAnswer | null;
  /** Why the throw cannot be submitted yet; null if it can. */
  readonly blocked: string | null;
  /** The button's text, if it is not "Apply". */
  readonly text?: string;
}

function proposalId(): string | null {
  return tray.activeProposal.value?.id ?? null;
}

export function orderOf(answer: PreviewAnswer | null): readonly Face[] {
  return chosenOrder.value ?? answer?.order ?? [];
}

/** Apply; if a card requires another throw, submit this one as not final. */
export function ThrowButton({ question, one, answer, blocked, text = t("apply") }: DockProps) {
  const ways = proposals.throwOptions(question, one);
  const fuse = tray.burning.value;
  if (fuse !== null && tray.activeProposal.value !== null) return <FuseButton fuse={fuse} />;
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

/** Apply and end the turn in one tap, if nothing is asked in between. */
export function EndAct({ question, one, answer, blocked }: DockProps) {
  if (blocked !== null || answer === null || answer.lacking > 0 || answer.ends.length === 0)
    return null;
  if (!proposals.throwOptions(question, one).apply) return null;
  const apply = () => sendDice(acting.value ?? 0, one, orderOf(answer), proposalId(), answer.ends);
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
  const ways = proposals.throwOptions(question, one);
  if (blocked !== null || (answer !== null && answer.lacking > 0) || !ways.apply || !ways.again)
    return null;
  return (
    <Act
      class={square ? "tell edge-go square" : "tell edge-go"}
      onTap={() => sendThrow(one, proposalId())}
    >
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

export function CameraAct() {
  return (
    <Act class="clear" onTap={watchCamera}>
      <Sign name="camera" size={24} />
      <small class="text-13">{t("by_hand.camera")}</small>
    </Act>
  );
}

type ThrowChipsProps = Readonly<{ question: Question; answer: PreviewAnswer | null }>;

/** The throw's own effect, as a chip: its price, or its whole effect if it is not the turn's roll. */
export function ThrowChips({ question, answer }: ThrowChipsProps) {
  const changes = answer?.changes ?? [];
  if (changes.length === 0) return null;
  return (
    <p class="chips flex wrap gap-6">
      {changes.map((change) => (
        <Chip key={`${change.seat}${change.what}`} class="price">
          {question.main && <span>{t("again.price")}</span>}
          <Small change={change} />
        </Chip>
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

/** Whether new dice lie in the tray, which are learned from rolls by hand. */
export const learns = () => view.value !== null && trayKey(view.value.tray) === "tray.learning";

/** In the place of the primary button while dice are awaited: it throws demo dice, and enters new ones by hand. */
export function AwaitedDice({ count }: { readonly count: number }) {
  if (proposals.mayThrow.value)
    return <Primary text={t("demo.throw")} onTap={() => void proposals.throwDice()} />;
  if (learns()) return <Primary text={t("roll.by_hand")} onTap={countByHand} />;
  const opens = tray.isDemo.value && view.value?.tray.camera === "starting";
  return <Primary text={opens ? t("tray.camera_starting") : t("roll.waiting", { count })} />;
}

/** The dice of a proposal in a row: a tap keeps one, so that it stays in the next throw. */
export function KeepDice({ proposal }: { readonly proposal: Proposal }) {
  const wide = proposal.dice.length > 6 ? "many" : "";
  return (
    <>
      <p class="label">{t("demo.which")}</p>
      <div class={`again-dice grid gap-8 ${wide}`} role="group" aria-label={t("demo.which")}>
        {proposal.dice.map((die, index) => {
          const face = tray.faceOf(die, index);
          const stays = proposals.isKept(die);
          return face === null ? null : (
            <DieButton
              key={index}
              index={index}
              chosen={stays}
              said={t("demo.keep", { index: index + 1, face })}
              note={t("again.stays")}
              onTap={() => proposals.toggleKept(die)}
            >
              <span class="again-face w-full relative">
                <DieArt face={face} size={52} />
              </span>
            </DieButton>
          );
        })}
      </div>
    </>
  );
}

/** The throw of the dice that are not kept. */
export function ThrowOthers({ proposal }: { readonly proposal: Proposal }) {
  const others = proposal.dice.filter((die) => !proposals.isKept(die)).length;
  const words =
    others === proposal.dice.length ? t("demo.throw") : t("demo.others", { count: others });
  return (
    <Act
      class="tell edge-go throw-others"
      disabled={others === 0 || !proposals.mayThrow.value}
      onTap={() => void proposals.throwDice()}
    >
      <Sign name="dice" size={24} /> {proposals.isRolling.value ? t("tray.rolling") : words}
    </Act>
  );
}
