/** Whether the dice are fair, as far as can be said. */
import { DieArt, signOf } from "../../art";
import { figure, hundredths, percent } from "../../store/records/figures";
import { asTable, chooseDice, diceBox, showTable } from "../../store/records/statistics";
import { say, t } from "../../store/words";
import { Headline } from "../../ui/frame/screen";
import { Act, IdSign } from "../../ui/parts/kit";
import type { DiceStatistics, StatisticsView } from "../../wire";
import { BoxChip, ends, Range, RangeKey, scaleOf } from "./parts";

/** The box whose dice are shown: the chosen one, else that of the most dice. */
function shown({ dice }: StatisticsView): DiceStatistics | undefined {
  const most = [...dice].sort((one, other) => other.count - one.count)[0];
  return dice.find((one) => one.game === diceBox.value) ?? most;
}

export function DiceHead({ now }: { readonly now: StatisticsView }) {
  const dice = shown(now);
  if (dice === undefined) return <Headline text={t("statistics.none")} most={54} />;
  const { head, often, would_show, count, needed, game, fair, faces } = dice;
  return (
    <>
      <span class="dice-pair flex absolute" aria-hidden="true">
        <DieArt face={signOf(Object.keys(faces)[4] ?? "")} size={64} />
        <DieArt face="energy" colour="green" size={60} />
      </span>
      <Headline text={say(head)} room={238} lines={2} most={64} />
      <p class="dice-said">
        {t("statistics.dice.read", { count, dice: figure(count), game })}{" "}
        {often === null ? t("statistics.dice.needed", { count: needed }) : <b>{say(often)}</b>}
        {would_show !== null && <> {say(would_show)}</>}
      </p>
      <p class="row wrap gap-6 text-14">
        <BoxChip sign={<IdSign id={Object.keys(faces)[3] ?? ""} size={18} meaning={false} />}>
          {t(`game.${game}`)}
        </BoxChip>
        <span class="muted since">{t("statistics.dice.fair", { share: percent(fair) })}</span>
      </p>
    </>
  );
}

export function DiceBody({ now }: { readonly now: StatisticsView }) {
  const dice = shown(now);
  if (dice === undefined) return null;
  const enough = dice.often !== null;
  const other = now.dice[(now.dice.indexOf(dice) + 1) % now.dice.length];
  return (
    <>
      {!enough && (
        <progress
          class="hands-bar w-full overflow-hidden rounded-4 no-border on-raised"
          max={dice.needed}
          value={dice.count}
          aria-label={t("statistics.dice.needed", { count: dice.needed })}
        />
      )}
      {enough && (asTable.value ? <Figures dice={dice} /> : <Bars dice={dice} />)}
      <p class="muted small">{t("statistics.dice.only")}</p>
      <div class="two">
        {enough && (
          <Act pressed={asTable.value} onTap={() => showTable(!asTable.value)}>
            {t(asTable.value ? "statistics.as_bars" : "statistics.as_table")}
          </Act>
        )}
        {other !== undefined && other !== dice && (
          <Act text={t(`game.${other.game}`)} onTap={() => chooseDice(other.game)} />
        )}
      </div>
    </>
  );
}

function Bars({ dice: { faces, fair } }: { readonly dice: DiceStatistics }) {
  const scale = scaleOf(Object.values(faces), [fair]);
  return (
    <div class="dice-bars boxed col gap-12">
      {Object.entries(faces).map(([face, share]) => (
        <div key={face} class="fair-row grid items-center gap-10">
          <IdSign id={face} size={24} />
          <span class="sr-only">{t(`face.${face}`)}</span>
          <Range share={share} fair={fair} scale={scale} />
          <b class="num">{hundredths(share.right / share.count, 1)}</b>
          <small class="muted">{ends(share)}</small>
        </div>
      ))}
      <RangeKey text={t("statistics.dice.key")} />
    </div>
  );
}

function Figures({ dice: { faces } }: { readonly dice: DiceStatistics }) {
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">{t("statistics.table.face")}</th>
          <th scope="col">{t("statistics.table.times")}</th>
          <th scope="col">%</th>
          <th scope="col">{t("statistics.table.range")}</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(faces).map(([face, share]) => (
          <tr key={face}>
            <th scope="row">
              <span>
                <IdSign id={face} size={20} /> {t(`face.${face}`)}
              </span>
            </th>
            <td>{share.right}</td>
            <td>{hundredths(share.right / share.count, 1)}</td>
            <td>{ends(share)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
