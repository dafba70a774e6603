/** What the new prints are worth, a test roll, and keeping them as a box under a name. */
import { useState } from "preact/hooks";
import { Sign } from "../../art";
import { setup, step } from "../../store/table/setup";
import { names, you } from "../../store/table/table";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, IdSign, Note, Primary, Spoken } from "../../ui/parts/kit";
import type { SetupSeen, SetupView, TestRoll } from "../../wire";
import { AreaMark, Leave, LivePicture } from "./parts";

const LONGEST_NAME = 40;

export function ResultScreen({ now, seen }: { readonly now: SetupView; readonly seen: SetupSeen }) {
  const [name, setName] = useState(() => usualName(now));
  const { result } = seen;
  if (result === null) return null;
  const sum = (of: "views" | "before" | "after") =>
    result.faces.reduce((total, one) => total + one[of], 0);
  const [views, before, after] = [sum("views"), sum("before"), sum("after")];
  const worse = after < before;
  const percent = (share: number) => Math.round(1000 * share) / 10;
  const [pair] = result.alike;
  return (
    <Screen
      name="dice-result"
      status={t("setup.step", { step: 3 })}
      tabs={false}
      head={
        <>
          <Headline text={t(worse ? "setup.worse" : "setup.known")} lines={2} most={60} />
          <p>{t("setup.held_out")}</p>
          <p class="held-out flex wrap gap-14">
            <span>
              <small class="muted">{t("setup.before")}</small>
              <b class="num">{before}</b>
            </span>
            <Sign name="arrow_right" size={28} class="arrow" />
            <span class={worse ? "after worse" : "after"}>
              <small class="muted">{t("setup.after")}</small>
              <b class="num">{after}</b>
            </span>
            <span class="muted">{t("setup.of", { count: views })}</span>
          </p>
          <p class="muted small">
            {t("setup.few", { count: views, low: percent(result.low), high: percent(result.high) })}
          </p>
        </>
      }
      dock={
        <Primary
          text={t("setup.use", { name: name.trim() })}
          note={t(worse ? "setup.use_worse" : "setup.kept_here")}
          onTap={
            now.complete && name.trim() !== ""
              ? () => void step({ act: "use", name: name.trim() })
              : undefined
          }
        />
      }
    >
      <ul class="checks plain-list">
        {result.faces.map((one) => (
          <li key={one.face} class="held-row dotted-below row gap-14 tall-52">
            <IdSign id={one.face} size={28} />
            <b>{t(`face.${one.face}`)}</b>
            <span class="bars flex gap-4 small" aria-hidden="true">
              {Array.from({ length: one.views }, (_, index) => (
                <i key={index} class={index < one.after ? "full" : "doubt"} />
              ))}
            </span>
            <span class={one.after === one.views ? "muted" : "doubtful"}>
              {t("setup.right", { count: one.after, views: one.views })}
            </span>
          </li>
        ))}
      </ul>
      {pair !== undefined && (
        <Note sign={pair[0]} tone="doubt">
          <p>{t("setup.alike", { face: pair[0], other_face: t(`face.${pair[1]}`) })}</p>
          <Act
            text={t("setup.show_more")}
            onTap={() => void step({ act: "show", face: pair[0] })}
          />
        </Note>
      )}
      <label class="field">
        <span class="label">{t("setup.name")}</span>
        <input
          type="text"
          value={name}
          maxLength={LONGEST_NAME}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <div class="two">
        <Act onTap={() => void step({ act: "test" })}>
          <Sign name="dice" size={22} /> {t("setup.test")}
        </Act>
        <Leave text={t("setup.keep_old")} />
      </div>
    </Screen>
  );
}

/** The name of the box in use, which is then replaced; else one with the host's name. */
function usualName({ boxes, game }: SetupView): string {
  const chosen = boxes.find((box) => box.chosen && box.game === game);
  const { seat } = you.value;
  if (chosen !== undefined) return chosen.name;
  return seat === null ? t("setup.our_box") : t("setup.their_box", { name: names.player(seat) });
}

export function TestScreen({ seen }: { readonly seen: SetupSeen }) {
  const { roll } = seen;
  const verdict = verdictOf(roll);
  return (
    <Screen
      name="test-roll"
      status={t("setup.step", { step: 3 })}
      tabs={false}
      head={
        <>
          <Headline text={t(verdict)} lines={2} most={54} />
          <Spoken text={roll === null ? "" : t(verdict)} />
          <p class="muted">{t(roll === null ? "setup.test_how" : "setup.test_again")}</p>
          <LivePicture size={seen.size} tone={roll === null || roll.sure ? "good" : "warn"}>
            {roll?.dice.map((die, index) => (
              <AreaMark key={index} area={die.area} good={die.problem === null}>
                <span class="mark-words absolute rounded-4 on-stars bold">
                  {die.face === null ? "?" : t(`face.${die.face}`)}
                  {die.problem !== null && die.face !== null && " ?"}
                </span>
              </AreaMark>
            ))}
          </LivePicture>
        </>
      }
      dock={<Primary text={t("setup.to_result")} onTap={() => void step({ act: "show" })} />}
    >
      {roll?.problems.map((problem) => (
        <Note key={problem} sign="warning" tone="doubt">
          <p>{t(`tray.problem.${problem}`)}</p>
        </Note>
      ))}
      {setup.value?.worst != null && (
        <Act text={t("setup.back_to_place")} onTap={() => void step({ act: "place" })} />
      )}
    </Screen>
  );
}

function verdictOf(roll: TestRoll | null): string {
  if (roll === null) return "setup.test_roll";
  return roll.sure ? "setup.test_sure" : "setup.test_unsure";
}
