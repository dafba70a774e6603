/** The size of all text on this phone: a tap applies it at once. */
import { useRef } from "preact/hooks";
import { prefs, setPrefs, TEXT_SIZES } from "../../store/phone/prefs";
import { closeSheet } from "../../store/phone/route";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Primary } from "../../ui/parts/kit";
import "./text-size.css";

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
};

export function TextSizeSheet() {
  const group = useRef<HTMLDivElement>(null);
  const choose = (index: number) => {
    const at = (index + TEXT_SIZES.length) % TEXT_SIZES.length;
    setPrefs({ text: TEXT_SIZES[at] ?? 100 });
    group.current?.querySelectorAll<HTMLElement>("[role=radio]")[at]?.focus();
  };
  return (
    <SheetFrame name="text-size" label={t("text_size.head")} tone="info">
      <p>{t("text_size.what")}</p>
      <div
        class="text-sizes grid gap-8"
        role="radiogroup"
        aria-label={t("text_size.head")}
        ref={group}
      >
        {TEXT_SIZES.map((size, index) => {
          const chosen = prefs.value.text === size;
          return (
            <button
              key={size}
              type="button"
              role="radio"
              aria-checked={chosen}
              tabIndex={chosen ? 0 : -1}
              data-first={chosen ? "" : undefined}
              class={`text-size edged text-left no-fill color-text tall-52 ${chosen ? "chosen" : ""}`}
              onClick={() => setPrefs({ text: size })}
              onKeyDown={(event) => {
                const step = STEPS[event.key];
                if (step === undefined) return;
                event.preventDefault();
                choose(index + step);
              }}
            >
              {t("text_size.percent", { size })}
            </button>
          );
        })}
      </div>
      <Primary text={t("text_size.done")} onTap={closeSheet} />
    </SheetFrame>
  );
}
