/** The preview of Apply, group by group. */
import { Sign } from "../../art";
import { game, names, you } from "../../store/table/table";
import { knows, say, t } from "../../store/words";
import type { Change, Face, PreviewRow, Words } from "../../wire";
import { Arrow, IdSign, NumberSign } from "./kit";

/** Rows in the order of resolution; `doubtful` faces carry a mark. */
export function EffectRows({
  rows,
  doubtful,
  entering,
}: {
  readonly rows: readonly PreviewRow[];
  readonly doubtful: ReadonlySet<Face>;
  readonly entering: readonly Change[];
}) {
  return (
    <ul class={`effects plain-list ${rows.length > 4 ? "many" : ""}`}>
      {rows.map((row, index) => (
        <EffectRow key={index} row={row} doubt={doubtful.has(row.face)} />
      ))}
      {entering.length > 0 && (
        <li class="effect dotted-below row gap-8">
          <span class="effect-group inline-row gap-6">
            <Sign name="arrow_right" size={30} />
          </span>
          <span class="effect-words grow leading-115">
            <b>{t("preview.entering")}</b>
          </span>
          <span class="effect-changes inline-row gap-8 rigid">
            <span>
              {entering.map((change, index) => (
                <ChangeLine
                  key={index}
                  change={change}
                  named={entering.length > 1 || change.seat !== game.value?.active}
                />
              ))}
            </span>
          </span>
        </li>
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
            class={`outcome row gap-8 rounded-6 color-ink bold ${sign === undefined ? "" : "good"}`}
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
  return (
    <li class="effect dotted-below row gap-8">
      <span class="effect-group inline-row gap-6">
        <IdSign id={row.face} size={30} />
        <b class="num">{row.count}</b>
      </span>
      <span class="effect-words grow leading-115">
        <b>{rowText(row)}</b>
        {knows(`${row.key}.note`) && <small class="muted">{t(`${row.key}.note`, row.args)}</small>}
      </span>
      <span class="effect-changes inline-row gap-8 rigid">
        {(doubt || row.provisional) && (
          <span
            class={
              doubt
                ? "chip-doubt inline-row rounded-4 display-face"
                : "chip-open inline-row rounded-4 display-face"
            }
            role="img"
            aria-label={t(doubt ? "effect.doubt" : "effect.provisional")}
          >
            ?
          </span>
        )}
        <span>
          {row.changes.map((change, index) => (
            <ChangeLine
              key={index}
              change={change}
              named={row.changes.length > 1 || change.seat !== game.value?.active}
            />
          ))}
        </span>
      </span>
    </li>
  );
}

function ChangeLine({ change, named }: { readonly change: Change; readonly named: boolean }) {
  return (
    <span class="delta">
      {named && (
        <small class="muted">
          {change.seat === you.value.seat ? t("you") : names.player(change.seat)}
        </small>
      )}
      <NumberSign what={change.what} size={20} />
      <Arrow before={change.before} after={change.after} />
    </span>
  );
}

/** The preview as chips, where there is little room. */
export function EffectChips({
  rows,
  entering,
}: {
  readonly rows: readonly PreviewRow[];
  readonly entering: readonly Change[];
}) {
  return (
    <div class="chips flex wrap gap-6">
      {rows.map((row, index) => (
        <span
          key={index}
          class="effect-chip inline-row wrap gap-6 rounded-4 on-raised semibold text-15"
        >
          <IdSign id={row.face} size={18} />
          {row.changes.length === 0 && <span>{rowText(row)}</span>}
          <ChangeChips changes={row.changes} />
        </span>
      ))}
      {entering.length > 0 && (
        <span class="effect-chip inline-row wrap gap-6 rounded-4 on-raised semibold text-15">
          <span>{t("preview.entering")}</span>
          <ChangeChips changes={entering} />
        </span>
      )}
    </div>
  );
}

export function ChangeChips({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <>
      {changes.map((change, at) => (
        <span key={at} class="delta">
          {change.seat === you.value.seat ? t("you") : names.monster(change.seat)}
          <NumberSign what={change.what} size={18} />
          <b>{change.before}</b>
          <Sign name="arrow_right" size={12} class="arrow" />
          <b>{change.after}</b>
        </span>
      ))}
    </>
  );
}
