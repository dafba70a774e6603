/** Demo dice: the button that throws them, and which of them stay. */
import { DieArt, Sign } from "../../art";
import { view } from "../../store/table/table";
import { faceOf } from "../../store/turn/throw";
import { isDemo, isKept, isRolling, mayThrow, throwDice, toggleKept } from "../../store/turn/tray";
import { t } from "../../store/words";
import type { Proposal } from "../../wire";
import { Act, Primary } from "../parts/kit";

/** In the place of the primary button while dice are awaited: demo dice are thrown by it. */
export function AwaitedDice({ count }: { readonly count: number }) {
  if (mayThrow.value) return <Primary text={t("demo.throw")} onTap={() => void throwDice()} />;
  const opens = isDemo.value && view.value?.tray.camera === "starting";
  return <Primary text={opens ? t("tray.camera_starting") : t("roll.waiting", { count })} />;
}

/** The dice of a proposal in a row: a tap keeps one, so that it stays in the next throw. */
export function KeepDice({ proposal }: { readonly proposal: Proposal }) {
  const wide = proposal.dice.length > 6 ? "many" : "";
  return (
    <>
      <p class="label">{t("demo.which")}</p>
      <div class={`again-dice grid gap-8 ${wide}`} role="group" aria-label={t("demo.which")}>
        {proposal.dice.map((die, index) => {
          const face = faceOf(die, index);
          const stays = isKept(die);
          return face === null ? null : (
            <button
              key={index}
              type="button"
              class={`again-die bare col items-center gap-3 min-0 relative color-text ${stays ? "chosen" : ""}`}
              data-answer={index}
              aria-pressed={stays}
              onClick={() => toggleKept(die)}
            >
              <span class="sr-only">{t("demo.keep", { index: index + 1, face })}</span>{" "}
              <span class="again-face w-full relative">
                <DieArt face={face} size={52} />
              </span>
              {stays && <small>{t("again.stays")}</small>}
            </button>
          );
        })}
      </div>
    </>
  );
}

/** The throw of the dice that are not kept. */
export function ThrowOthers({ proposal }: { readonly proposal: Proposal }) {
  const others = proposal.dice.filter((die) => !isKept(die)).length;
  const words =
    others === proposal.dice.length ? t("demo.throw") : t("demo.others", { count: others });
  return (
    <Act
      class="tell throw-others"
      disabled={others === 0 || !mayThrow.value}
      onTap={() => void throwDice()}
    >
      <Sign name="dice" size={24} /> {isRolling.value ? t("tray.rolling") : words}
    </Act>
  );
}
