/** Parts of several steps of the set-up: the live picture, what is marked in it, and leaving. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Sign } from "../../art";
import { closeSheet } from "../../store/phone/route";
import { nextPicture, pictureNumber, step } from "../../store/table/setup";
import { t } from "../../store/words";
import { Act } from "../../ui/parts/kit";
import type { Check, DieView } from "../../wire";

export interface LivePictureProps {
  readonly size: readonly [number, number];
  readonly tone: Check["verdict"];
  readonly children?: ComponentChildren;
}

/** What the camera sees, renewed a few times a second; `children` are marked in it. */
export function LivePicture({ size, tone, children }: LivePictureProps) {
  useEffect(() => {
    if (pictureNumber.value === 0) nextPicture(true);
  }, []);
  const [width, height] = size;
  return (
    <div
      class={`live-picture w-full relative overflow-hidden rounded on-panel picture tone-${tone}`}
      style={{ aspectRatio: `${width} / ${height}` }}
    >
      <img
        src={`/api/setup.jpg?n=${pictureNumber.value}`}
        alt={t("setup.picture")}
        onLoad={() => nextPicture(true)}
        onError={() => nextPicture(false)}
      />
      {children}
    </div>
  );
}

/** A mark round a die: a tick where its view is good, else why it is not. */
export function DieMark({ die }: { readonly die: DieView }) {
  return (
    <AreaMark area={die.area} good={die.problem === null}>
      {die.problem === null ? (
        <span class="mark-badge middle absolute rounded-4 on-go">
          <Sign name="tick" size={14} />
        </span>
      ) : (
        <span class="mark-words absolute rounded-4 on-stars bold">
          {t(`setup.view.${die.problem}`)}
        </span>
      )}
    </AreaMark>
  );
}

export function AreaMark({
  area,
  good,
  children,
}: {
  readonly area: DieView["area"];
  readonly good: boolean;
  readonly children?: ComponentChildren;
}) {
  const [x, y, width, height] = area.map((share) => `${100 * share}%`);
  return (
    <span
      class={`mark dashed-gold absolute rounded-8 ${good ? "good" : ""}`}
      style={{ left: x, top: y, width, height }}
    >
      {children}
    </span>
  );
}

/** End the set-up, and close its page. */
export function Leave({ text = t("setup.leave") }: { readonly text?: string }) {
  return (
    <Act
      text={text}
      class="wide-act"
      onTap={() => {
        void step({ act: "end" });
        closeSheet();
      }}
    />
  );
}
