/** Sheets of this phone alone: the size of all text, which a tap applies at once; a second player on it. */
import { useRef } from "preact/hooks";
import { sharedSeat, shareWith } from "../../store/access/shared";
import { prefs, setPrefs, TEXT_SIZES } from "../../store/phone/prefs";
import { closeSheet } from "../../store/phone/route";
import { game, you } from "../../store/table/table";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Primary } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
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

export function ShareSheet() {
  const free = (game.value?.seats ?? []).filter(
    (one) => one.alive && one.seat !== you.value.seat && one.phones === 0,
  );
  const choose = (seat: number | null) => {
    shareWith(seat);
    closeSheet();
  };
  return (
    <SheetFrame name="share" label={t("share.head")} tone="info">
      <p>{t(free.length === 0 ? "share.none" : "share.what")}</p>
      {free.map((one) => (
        <button
          key={one.seat}
          type="button"
          class={one.seat === sharedSeat.value ? "seat-row mine" : "seat-row free"}
          aria-pressed={one.seat === sharedSeat.value}
          onClick={() => choose(one.seat)}
        >
          <MonsterTile monster={one.monster} size={44} />
          <span class="seat-words">
            <b>{one.player}</b>
            <span class="muted">{t(`monster.${one.monster}`)}</span>
          </span>
        </button>
      ))}
      <Act text={t("share.nobody")} class="share-end" onTap={() => choose(null)} />
    </SheetFrame>
  );
}
