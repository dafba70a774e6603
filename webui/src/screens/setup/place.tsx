/** The camera's place: one verdict a line, the worst as a headline, and the corners of the tray. */
import { useState } from "preact/hooks";
import { Sign, type SignName } from "../../art";
import { step } from "../../store/table/setup";
import { knows, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Primary, Spoken } from "../../ui/parts/kit";
import type { Check, SetupSeen, SetupView } from "../../wire";
import { type Corners, CornersEditor, Outline } from "./corners";
import { Leave, LivePicture } from "./parts";

const SIGNS: Readonly<Record<Check["key"], SignName>> = {
  light: "flame",
  glare: "sun",
  size: "dice",
  tilt: "arrow_down",
  sharp: "search",
  tray: "table",
};
const ORDER: Readonly<Record<Check["verdict"], number>> = { bad: 0, warn: 1, good: 2 };

/** The corners that are offered where the camera found no tray. */
const WIDE: Corners = [
  [0.1, 0.1],
  [0.9, 0.1],
  [0.9, 0.9],
  [0.1, 0.9],
];

export function PlaceScreen({ now, seen }: { readonly now: SetupView; readonly seen: SetupSeen }) {
  const [drawing, setDrawing] = useState<Corners | null>(null);
  const { worst } = now;
  const headline = worst === null ? t("setup.all_good") : t(actOf(worst));
  const glare = seen.checks.find(({ key, verdict }) => key === "glare" && verdict !== "good");
  const checks = [...seen.checks].sort((one, other) => ORDER[one.verdict] - ORDER[other.verdict]);
  return (
    <Screen
      name="camera-place"
      status={t("setup.step", { step: 1 })}
      tabs={false}
      head={
        <>
          <Headline text={headline} lines={1} most={54} />
          <Spoken text={headline} />
          <LivePicture size={seen.size} tone={worst?.verdict ?? "good"}>
            {drawing === null ? (
              seen.corners !== null && <Outline corners={seen.corners} />
            ) : (
              <CornersEditor corners={drawing} onChange={setDrawing} />
            )}
            {glare?.quadrant != null && drawing === null && (
              <span class={`glare-mark ${glare.quadrant}`}>
                <b>
                  <Sign name="sun" size={16} /> {t(`setup.quadrant.${glare.quadrant}`)}
                </b>
              </span>
            )}
          </LivePicture>
        </>
      }
      dock={
        drawing === null ? (
          <Primary
            text={t("setup.next")}
            note={worst === null ? undefined : t("setup.as_it_is")}
            onTap={() => void step({ act: "show" })}
          />
        ) : (
          <Primary
            text={t("setup.corners.use")}
            onTap={() => {
              void step({ act: "corners", corners: drawing });
              setDrawing(null);
            }}
          />
        )
      }
    >
      {drawing === null ? (
        <>
          <ul class="checks plain-list">
            {checks.map((check) => (
              // A row whose verdict changes also moves, and Chromium keeps its old colours then.
              <CheckRow key={`${check.key} ${check.verdict}`} check={check} />
            ))}
          </ul>
          <div class="two">
            <Act text={t("setup.corners.set")} onTap={() => setDrawing(seen.corners ?? WIDE)} />
            {seen.is_drawn ? (
              <Act text={t("setup.corners.found")} onTap={() => void step({ act: "corners" })} />
            ) : (
              <Leave />
            )}
          </div>
          <p class="muted small">{t("setup.live")}</p>
        </>
      ) : (
        <>
          <p>{t("setup.corners.how")}</p>
          <Act text={t("back")} onTap={() => setDrawing(null)} />
        </>
      )}
    </Screen>
  );
}

function actOf({ key, reason }: Check): string {
  const act = `setup.act.${key}.${reason}`;
  return knows(act) ? act : "setup.act.size.no_dice";
}

function CheckRow({ check }: { readonly check: Check }) {
  const { key, reason, verdict } = check;
  const args = {
    value: Math.round(check.value),
    where: check.quadrant === null ? "" : t(`setup.quadrant.${check.quadrant}`),
  };
  return (
    <li
      class={`check dotted-below row gap-14 tall-52 tone-${verdict}`}
      data-check={key}
      data-verdict={verdict}
      data-unit={check.unit}
    >
      <Sign name={SIGNS[key]} size={28} />
      <span class="check-words grow">
        <b>{t(`setup.check.${key}.${reason}`, args)}</b>
        <small>{t(`setup.hint.${key}.${reason}`)}</small>
      </span>
      <span class="check-verdict inline-row gap-6 bold">
        <Sign name={verdict === "good" ? "tick" : "warning"} size={22} />
        {t(`setup.verdict.${verdict}`)}
      </span>
    </li>
  );
}
