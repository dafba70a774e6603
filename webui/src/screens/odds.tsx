/** Odds and coach, on this phone alone; and everything in the report of a misread roll. */
import "../styles/later.css";
import { useEffect } from "preact/hooks";
import { Sign } from "../art";
import * as advice from "../store/looks";
import { fixed } from "../store/records";
import { closeSheet } from "../store/route";
import { forget, type Misread, misread, type Picture, saveMisread } from "../store/setup";
import { game } from "../store/table";
import { throwOf } from "../store/tray";
import { say, t } from "../store/words";
import { Headline, Screen } from "../ui/frame";
import { Act, Primary, Spoken } from "../ui/kit";
import { Faces } from "../ui/table";
import { EffectRows, useForecast } from "../ui/throw";
import type { CoachAnswer, Face, KeepsAnswer, KeepView, Question } from "../wire";

const NO_DOUBT: ReadonlySet<Face> = new Set();

export function OddsScreen() {
  const request = advice.dice.value;
  const question = game.value?.question ?? null;
  const roll = question?.kind === "roll";
  useEffect(() => {
    void advice.fetchKeeps(request, roll);
  }, [request, roll]);
  const found = roll ? advice.keeps.value : null;
  const refused = advice.refusedOdds.value;
  return (
    <Screen
      name="odds"
      tabs={false}
      news={false}
      head={
        <>
          <Headline
            text={
              found !== null && found.keeps.length > 0
                ? t("odds.rolls", { count: found.rolls })
                : t("odds.open")
            }
            lines={2}
            most={54}
          />
          {roll && question !== null && <StopHere question={question} />}
          {!roll && question !== null && <p>{say(question.prompt)}</p>}
          <p class="sky row gap-8">
            <Sign name="lock" size={20} /> <b>{t("odds.only")}</b>
          </p>
          {roll && (
            <p class="muted">
              {t(found === null || found.keeps.length > 0 ? "odds.fair" : "odds.none")}
            </p>
          )}
        </>
      }
      dock={
        <div class="dock-row">
          <Act text={t("back")} class="wide-act" onTap={closeSheet} />
          <Act
            class="wide-act odds-ask"
            disabled={advice.coaching.value}
            onTap={() => void advice.askCoach()}
          >
            <Sign name="question" size={24} /> {t("coach.ask")}
          </Act>
        </div>
      }
    >
      {found !== null && found.keeps.length > 0 && <Keeps found={found} />}
      {advice.coaching.value && <p class="muted">{t("coach.asking")}</p>}
      {refused !== null && <p class="gold">{say(refused)}</p>}
      <Spoken text={refused === null ? "" : say(refused)} />
      {advice.coach.value !== null && <Coach found={advice.coach.value} />}
    </Screen>
  );
}

function StopHere({ question }: { readonly question: Question }) {
  const answer = useForecast(question, throwOf(question));
  if (answer === null || answer.rows.length === 0) return null;
  return (
    <>
      <p class="label">{t("odds.stop")}</p>
      <EffectRows rows={answer.rows} doubtful={NO_DOUBT} entering={answer.entering} />
    </>
  );
}

/** Each way to keep dice with its exact figures, in the columns that the game fixes. */
function Keeps({ found }: { readonly found: KeepsAnswer }) {
  return (
    <table class="odds-keeps w-full text-right">
      <thead>
        <tr>
          <th scope="col">{t("odds.keep")}</th>
          {found.columns.map((column) => (
            <th key={column.face} scope="col">
              {say(column.words)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {found.keeps.map((keep) => (
          <Row key={keep.dice.join()} keep={keep} found={found} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ keep, found }: { readonly keep: KeepView; readonly found: KeepsAnswer }) {
  return (
    <tr>
      <th scope="row">
        {advice.canMark.value ? (
          <button
            type="button"
            class="odds-mark w-full text-left no-border no-fill color-text"
            aria-label={`${keep.faces.map((face) => t(`face.${face}`)).join(", ")}: ${t("odds.mark")}`}
            onClick={() => advice.keepDice(keep.dice)}
          >
            <Dice faces={keep.faces} />
          </button>
        ) : (
          <Dice faces={keep.faces} />
        )}
      </th>
      {found.columns.map((column, index) => (
        <td key={column.face}>
          <b class="num">{figure(keep.values[index] ?? 0, column.mean)}</b>
          {!column.mean && <small>%</small>}
        </td>
      ))}
    </tr>
  );
}

function figure(value: number, mean: boolean): string {
  return mean ? fixed(value, 1) : String(Math.round(100 * value));
}

function Dice({ faces }: { readonly faces: readonly Face[] }) {
  if (faces.length === 0) return <span>{t("coach.all_again")}</span>;
  return <Faces faces={faces} size={28} />;
}

function Coach({ found }: { readonly found: CoachAnswer }) {
  if (advice.hardlyMatters(found))
    return (
      <section class="odds-coach col gap-8">
        <h2 class="text-17">{t("coach.hardly")}</h2>
        <p>{t("coach.hardly_how", { percent: Math.round(100 * (found.lines[0]?.chance ?? 0)) })}</p>
      </section>
    );
  return (
    <section class="odds-coach col gap-8">
      <h2 class="text-17">{t("coach.head")}</h2>
      <p>{say(found.compares)}</p>
      {found.lines.length > 0 && (
        <ol class="plain-list">
          {found.lines.map((line, index) => (
            <li key={index} class="dotted-below row justify-between gap-12 tall-52">
              <span class="col gap-4 min-0 break-words">
                <span>{say(line.words)}</span>
                {line.faces.length > 0 && <Dice faces={line.faces} />}
              </span>
              <span class="odds-chance rigid">
                <b class="num">{Math.round(100 * line.chance)}</b>
                <small>%</small>
              </span>
            </li>
          ))}
        </ol>
      )}
      {found.left_out > 0 && <p class="muted">{t("coach.left", { count: found.left_out })}</p>}
      {found.lines.length > 0 && (
        <p class="muted">{t("coach.now", { percent: Math.round(100 * found.now) })}</p>
      )}
      <p class="muted small">{say(found.measured)}</p>
    </section>
  );
}

export function MisreadScreen() {
  useEffect(() => forget, []);
  const shown = misread.value;
  const one = shown.kind === "here" ? shown.misread : null;
  return (
    <Screen
      name="misread"
      status={t("misread.status")}
      tabs={false}
      head={
        <>
          <Headline text={t("misread.head")} most={44} />
          {shown.kind === "failed" && <p class="gold">{say(shown.words)}</p>}
          {shown.kind === "loading" && <p>{t("misread.loading")}</p>}
          {one !== null && <p>{t("misread.look")}</p>}
          {one !== null && <p class="muted small">{t("misread.never")}</p>}
        </>
      }
      dock={
        <div class="dock-row">
          {one !== null && (
            <Primary
              text={t("misread.save")}
              note={t("misread.size", { megabytes: megabytes(one.bytes) })}
              onTap={() => void saveMisread(one)}
            />
          )}
          <Act class={one === null ? "wide-act" : "square"} onTap={closeSheet}>
            <Sign name="cross" size={24} />
            <small>{t("close")}</small>
          </Act>
        </div>
      }
    >
      {one !== null && <Contents one={one} />}
    </Screen>
  );
}

function megabytes(bytes: number): string {
  return (Math.ceil(bytes / 100_000) / 10).toString();
}

function Contents({ one }: { readonly one: Misread }) {
  return (
    <div class="misread-parts col gap-8">
      <p class="label">{t("misread.frames", { count: one.frames.length })}</p>
      {one.frames.map((picture) => (
        <img
          key={picture.name}
          class="misread-frame w-full"
          src={picture.source}
          alt={picture.name}
        />
      ))}
      <Small label={t("misread.prints", { count: one.prints.length })} pictures={one.prints} />
      <p class="label">{t("misread.text")}</p>
      <pre class="misread-text">{one.text}</pre>
    </div>
  );
}

function Small({ label, pictures }: { label: string; pictures: readonly Picture[] }) {
  if (pictures.length === 0) return null;
  return (
    <>
      <p class="label">{label}</p>
      <div class="flex wrap gap-6">
        {pictures.map((picture) => (
          <img key={picture.name} src={picture.source} alt={picture.name} width={64} height={64} />
        ))}
      </div>
    </>
  );
}
