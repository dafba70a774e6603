/** Answers set ahead, for when the seat is hit in the city: two numbers and a place. */
import { Sign } from "../../art";
import { closeSheet, openSheet } from "../../store/phone/route";
import { game, seatOf, you } from "../../store/table/table";
import { setAhead } from "../../store/turn/acts";
import { type AheadDraft, aheadDraft, draftAhead } from "../../store/turn/typed";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, NumberSign } from "../../ui/parts/kit";
import type { Ahead, SeatView } from "../../wire";

/** The entry on the seat's own page, in the city or where something is set. */
export function AheadStrip({ seat }: { readonly seat: SeatView }) {
  const inside =
    game.value?.places.some((place) => place.inside && place.id === seat.place) ?? false;
  if (you.value.seat !== seat.seat || !seat.alive || (!inside && seat.ahead === null)) return null;
  return (
    <Act
      class="wide-act ahead-act begin"
      onTap={() => openSheet({ kind: "ahead", seat: seat.seat })}
    >
      <Sign name="clock" size={24} />
      <span class="choice-words grow">
        <b>{t("ahead.when")}</b>
        <small class="muted">{summary(seat.ahead)}</small>
      </span>
    </Act>
  );
}

function summary(ahead: Ahead | null): string {
  const parts: string[] = [];
  if (typeof ahead?.flee_below === "number")
    parts.push(t("ahead.flee", { value: ahead.flee_below }));
  if (typeof ahead?.stay_above === "number")
    parts.push(t("ahead.stay", { value: ahead.stay_above }));
  return parts.length === 0 ? t("ahead.asked") : parts.join(" · ");
}

export function AheadSheet({ seat: index }: { readonly seat: number }) {
  const seat = seatOf(index);
  if (seat === null) return null;
  const ways = (game.value?.places ?? []).filter((place) => !place.inside).map((place) => place.id);
  const initial: AheadDraft = {
    seat: index,
    flee: seat.ahead?.flee_below ?? null,
    stay: seat.ahead?.stay_above ?? null,
    to: seat.ahead?.to?.[0] ?? ways[0] ?? "",
  };
  const { flee, stay, to } = aheadDraft.value?.seat === index ? aheadDraft.value : initial;
  const change = (part: Partial<AheadDraft>) => draftAhead({ ...initial, flee, stay, to, ...part });
  const most = seat.health_max;
  const fleeBelow = (value: number | null) => {
    change({
      flee: value,
      stay: value !== null && stay !== null ? Math.max(stay, value - 1) : stay,
    });
  };
  const stayAbove = (value: number | null) => {
    change({
      stay: value,
      flee: value !== null && flee !== null ? Math.min(flee, value + 1) : flee,
    });
  };
  const leave = () => {
    draftAhead(null);
    closeSheet();
  };
  const say = (ahead: Ahead | null) => {
    setAhead(index, ahead);
    leave();
  };
  const none = flee === null && stay === null;
  return (
    <SheetFrame name="ahead" label={t("ahead.when")} tone="info">
      <p class="muted">{t("ahead.how")}</p>
      <Row
        key="flee"
        words={t("ahead.flee.row")}
        value={flee}
        least={1}
        most={most}
        set={fleeBelow}
        from={1}
      />
      {ways.length > 1 && flee !== null && (
        <div class="ahead-to grid gap-10" role="group" aria-label={t("flee.to")}>
          {ways.map((place) => (
            <Act
              key={place}
              pressed={place === to}
              class={place === to ? "chosen" : ""}
              onTap={() => change({ to: place })}
            >
              {t(`place.${place}`)}
            </Act>
          ))}
        </div>
      )}
      <Row
        key="stay"
        words={t("ahead.stay.row")}
        value={stay}
        least={0}
        most={most - 1}
        set={stayAbove}
        from={most - 1}
      />
      <div class="number-end flex gap-10">
        <Act text={t("ahead.ask_me")} onTap={() => (seat.ahead === null ? leave() : say(null))} />
        <Act
          disabled={none}
          onTap={() =>
            say({
              flee_below: flee,
              stay_above: stay,
              to: [to, ...ways.filter((place) => place !== to)],
            })
          }
        >
          {t("ahead.set")}
        </Act>
      </div>
    </SheetFrame>
  );
}

interface RowProps {
  readonly words: string;
  readonly value: number | null;
  readonly least: number;
  readonly most: number;
  /** The value set by the first tap. */
  readonly from: number;
  readonly set: (value: number | null) => void;
}

/** Past either end is "never". */
function Row({ words, value, least, most, from, set }: RowProps) {
  const step = (by: number) => {
    const next = value === null ? from : value + by;
    set(next < least || next > most ? null : next);
  };
  return (
    <div class="number-keys flex gap-10" role="group" aria-label={words}>
      <Act label={t("ahead.less", { rule: words })} onTap={() => step(-1)}>
        <Sign name="minus" size={30} />
      </Act>
      <span class="number-now edged middle gap-8 grow bold ahead-now">
        <span>{words}</span>
        {value === null ? (
          <b>{t("ahead.never")}</b>
        ) : (
          <>
            <NumberSign what="health" size={24} /> <b class="num">{value}</b>
          </>
        )}
      </span>
      <Act label={t("ahead.more", { rule: words })} onTap={() => step(1)}>
        <Sign name="plus" size={30} />
      </Act>
    </div>
  );
}
