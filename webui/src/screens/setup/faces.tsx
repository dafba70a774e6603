/** Face by face: what to show, which views count, how many there are; it goes on by itself. */
import { DieArt, Sign } from "../../art";
import { signOf } from "../../art/signs/sign";
import { step } from "../../store/table/setup";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Counter, IdSign, Spoken } from "../../ui/parts/kit";
import type { SetupSeen, SetupView } from "../../wire";
import { DieMark, LivePicture } from "./parts";

export function FacesScreen({ now, seen }: { readonly now: SetupView; readonly seen: SetupSeen }) {
  const { face, views } = seen;
  const current = views.find((one) => one.face === face);
  if (face === null || current === undefined) return null;
  const done = views.filter((one) => one.good >= one.need).length;
  const headline = t("setup.show", { face });
  const turn = seen.is_waiting
    ? current.good === 0
      ? "setup.turn"
      : "setup.quarter"
    : "setup.rest";
  return (
    <Screen
      name="show-face"
      status={t("setup.step", { step: 2 })}
      tabs={false}
      head={
        <>
          <div class={`face-poster face-${face}`}>
            <div>
              <Headline text={headline} lines={3} most={48} room={206} />
              <p>{t("setup.how")}</p>
            </div>
            <DieArt face={signOf(face)} size={128} class="face-die" />
          </div>
          <Spoken text={headline} />
        </>
      }
      dock={
        <div class="two">
          <Act
            disabled={views.every((one) => one.good === 0)}
            onTap={() => void step({ act: "undo" })}
          >
            <Sign name="undo" size={22} /> {t("setup.undo")}
          </Act>
          <Act onTap={() => void step({ act: "skip" })}>
            {t(current.good >= now.least ? "setup.enough" : "setup.later")}
          </Act>
        </div>
      }
    >
      <LivePicture size={seen.size} tone="good">
        {seen.dice.map((die, index) => (
          <DieMark key={index} die={die} />
        ))}
      </LivePicture>
      <div class="face-count">
        <Counter value={current.good} class="count-number display-face" />
        <p>
          <b>{t("setup.count", { count: current.need, face })}</b>
          <small class="muted">{t(turn)}</small>
        </p>
      </div>
      <p class="bars flex gap-4" aria-hidden="true">
        {Array.from({ length: current.need }, (_, index) => (
          <i key={index} class={index < current.good ? "full" : ""} />
        ))}
      </p>
      <div class="face-tiles">
        {views.map((one) => (
          <button
            key={one.face}
            type="button"
            class={`face-tile ${one.face === face ? "chosen" : ""} ${one.good >= one.need ? "done" : ""}`}
            aria-label={t("setup.tile", { face: one.face, count: one.good })}
            aria-current={one.face === face ? "step" : undefined}
            onClick={() => void step({ act: "show", face: one.face })}
          >
            <IdSign id={one.face} size={28} meaning={one.face === face || one.good >= one.need} />
            {one.good >= one.need && (
              <span class="mark-badge middle absolute rounded-4 on-go">
                <Sign name="tick" size={12} />
              </span>
            )}
          </button>
        ))}
      </div>
      <p class="row-between muted small">
        <span>
          {t("setup.done", { count: done, faces: views.length, seconds: Math.round(seen.seconds) })}
        </span>
        <span>{t("setup.by_itself")}</span>
      </p>
      <Act class="plain" onTap={() => void step({ act: "place" })}>
        <Sign name="chevron_left" size={20} /> {t("setup.back_to_place")}
      </Act>
    </Screen>
  );
}
