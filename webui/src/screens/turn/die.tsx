/** Correct a die: likeliest faces first, one tap sets it and closes. */
import { Sign } from "../../art";
import { closeSheet } from "../../store/phone/route";
import { api } from "../../store/server/api";
import { game, view } from "../../store/table/table";
import { fixDie } from "../../store/turn/turn";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Close, IdSign } from "../../ui/parts/kit";
import type { Face } from "../../wire";
import { likeliest } from "./roll";

const PROMISING = 3;

export function DieSheet({ proposal: id, index }: { proposal: string; index: number }) {
  const proposal = view.value?.tray.proposal;
  const die = proposal?.id === id ? proposal.dice[index] : undefined;
  if (proposal === undefined || proposal === null || die === undefined) return <Gone />;
  const set = (face: Face | null) => {
    fixDie(index, face);
    closeSheet();
  };
  const faces = game.value?.faces ?? [];
  const others = likeliest(null, 0, die.alternatives)
    .map((one) => one.face)
    .filter((face) => face !== die.face);
  const promising = [
    ...others.slice(0, 1),
    ...(die.face === null ? [] : [die.face]),
    ...others.slice(1),
  ].slice(0, PROMISING);
  const rest = faces.filter((face) => !promising.includes(face));
  const chance = (face: Face): string => {
    if (face === die.face) return t("doubt.as_read");
    const found = die.alternatives.find((one) => one.face === face);
    return found === undefined
      ? ""
      : t("percent", { percent: Math.round(found.probability * 100) });
  };
  return (
    <SheetFrame
      name="die"
      label={t("die.head")}
      tone={die.sure ? "go" : "doubt"}
      picture={
        <span
          class={`die-crop rigid overflow-hidden rounded-8 on-raised ${die.sure ? "" : "unsure"}`}
        >
          {die.crop !== "" && <img src={die.crop} alt="" />}
        </span>
      }
      about={
        <p class="muted">
          {t("die.which", { index: index + 1, count: proposal.dice.length })}{" "}
          {die.face === null
            ? t("die.no_face")
            : t("die.read_as", { face: die.face, percent: Math.round(die.confidence * 100) })}
        </p>
      }
    >
      <p class="label">{t("die.likely")}</p>
      <div class="two">
        {promising.map((face, at) => (
          <Act
            key={face}
            class={at === 0 ? "choice begin wide chosen" : "choice begin"}
            onTap={() => set(face)}
          >
            <IdSign id={face} size={at === 0 ? 44 : 32} />
            <span>
              <b class={at === 0 ? "poster-words" : ""}>{t(`face.${face}`)}</b>
              <small class="muted">{chance(face)}</small>
            </span>
          </Act>
        ))}
      </div>
      {rest.length > 0 && <p class="label">{t("die.others")}</p>}
      <div class="three">
        {rest.map((face) => (
          <Act key={face} class="key" onTap={() => set(face)}>
            <IdSign id={face} size={36} />
            <span>{t(`face.${face}`)}</span>
          </Act>
        ))}
      </div>
      <div class="two">
        <Act text={t("die.not")} onTap={() => set(null)} />
        <Act
          text={t("die.again")}
          onTap={() => {
            void api.readAgain();
            closeSheet();
          }}
        />
      </div>
      <Act class="plain" onTap={closeSheet}>
        <Sign name="cross" size={20} />{" "}
        {die.face === null ? t("die.leave") : t("die.leave_as", { face: die.face })}
      </Act>
    </SheetFrame>
  );
}

function Gone() {
  return (
    <SheetFrame name="die" label={t("die.gone")}>
      <Close />
    </SheetFrame>
  );
}
