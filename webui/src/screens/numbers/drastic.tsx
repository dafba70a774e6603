/** The question before a number is set by hand that takes somebody out of the game, or leads to its end. */
import { useEffect, useRef } from "preact/hooks";
import { Sign } from "../../art";
import { dialAnyway, type Held, letBe } from "../../store/numbers/dial";
import { say, t } from "../../store/words";
import { Act, NumberSign } from "../../ui/parts/kit";

export interface DrasticProps {
  readonly held: Held;
  readonly value: number;
  readonly onSet?: () => void;
}

/** Nothing is sent until it is answered; the number stays what it was by the first answer. */
export function Drastic({ held, value, onSet = dialAnyway }: DrasticProps) {
  const { what } = held;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("button")?.focus({ preventScroll: true }), []);
  return (
    <div
      class="drastic dashed-gold col gap-10 rounded"
      ref={box}
      role="alertdialog"
      aria-labelledby="drastic-head"
      aria-describedby="drastic-what"
    >
      <h2 id="drastic-head" class="sheet-head">
        {t("drastic.head", { what, value: held.value })}
      </h2>
      <div id="drastic-what">
        {held.outcomes.map((one) => (
          <p key={say(one)}>
            <Sign name="warning" size={20} class="gold" /> <b>{say(one)}</b>
          </p>
        ))}
        <p class="muted">{t("drastic.undo")}</p>
      </div>
      <div class="two">
        <Act onTap={letBe}>
          {t("drastic.keep")} <NumberSign what={what} size={22} /> <b class="num">{value}</b>
        </Act>
        <Act onTap={onSet}>
          {t("drastic.set")} <NumberSign what={what} size={22} /> <b class="num">{held.value}</b>
        </Act>
      </div>
    </div>
  );
}
