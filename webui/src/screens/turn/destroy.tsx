/** Destruction: tap what is destroyed. It ends by itself when nothing else can be paid for. */
import { Sign, signOf } from "../../art";
import { game, seatOf, view } from "../../store/table/table";
import { answer, putOff, showTile, undo } from "../../store/turn/acts";
import { acting } from "../../store/turn/turn";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { InPlaceOf, Offers } from "../../ui/frame/strips";
import { Act, Deltas, IdSign, NumberSign } from "../../ui/parts/kit";
import { Night } from "../../ui/parts/picture";
import type {
  AreaView,
  Option,
  Question,
  StackView,
  TokenCount,
  UnitView,
  Number as What,
} from "../../wire";

export function DestroyScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  const areas = areasOf(question);
  const rest = question.options.filter((option) => option.tile === null);
  const undoable = view.value?.undo;
  return (
    <Screen
      name="destroy"
      status={t("status.at", { turn: game.value?.turn ?? 0, place: seat?.area ?? "" })}
      head={
        <>
          {seat !== null && <Night monster={seat.monster} />}
          <Headline text={say(question.prompt)} room={230} most={54} />
          <p class="smash-left" aria-hidden="true">
            {Array.from(
              { length: Math.min(8, Number(question.prompt.args.count ?? 0)) },
              (_, index) => (
                <Sign key={index} name="destruction" size={30} />
              ),
            )}
          </p>
        </>
      }
      dock={
        undoable && (
          <Act class="wide-act" onTap={() => undo(undoable.seq)}>
            <Sign name="undo" size={24} /> {t("undo.named", { act: say(undoable.words) })}
          </Act>
        )
      }
    >
      {areas.map((area) => (
        <AreaTiles key={area.id} area={area} question={question} named={areas.length > 1} />
      ))}
      {rest.map((option) => (
        <Act
          key={option.key}
          onTap={() => answer(question, acting.value ?? 0, option)}
          disabled={!option.enabled}
        >
          {say(option.label)}
        </Act>
      ))}
      <p class="muted small">{t("destroy.how")}</p>
      <Offers />
      <InPlaceOf />
    </Screen>
  );
}

/** The boroughs with options of the question; the asked Monster's own comes first. */
function areasOf(question: Question): readonly AreaView[] {
  const ids = new Set(question.options.map((option) => option.tile).filter((id) => id !== null));
  const own = seatOf(acting.value)?.area;
  const all = (game.value?.areas ?? []).filter(
    (area) => [...area.stacks, ...area.units].some((one) => ids.has(one.id)) || area.id === own,
  );
  return [...all].sort((a, b) => Number(b.id === own) - Number(a.id === own));
}

function AreaTiles({
  area,
  question,
  named,
}: {
  readonly area: AreaView;
  readonly question: Question;
  readonly named: boolean;
}) {
  const option = (id: number, unit: boolean) =>
    question.options.find(
      (one) => one.tile === id && (unit === one.key.includes("unit") || !sameId(area, id)),
    );
  return (
    <>
      <p class="row-between">
        <b>{named ? t("destroy.buildings_in", { place: area.id }) : t("destroy.buildings")}</b>
        <span class="muted small">{t("destroy.reward")}</span>
      </p>
      <div class="tiles three">
        {area.stacks.map((stack) => (
          <StackCard
            key={stack.id}
            stack={stack}
            option={option(stack.id, false)}
            question={question}
          />
        ))}
      </div>
      {area.units.length > 0 && (
        <>
          <p class="row-between">
            <b>{t("destroy.units", { place: area.id })}</b>
            <span class="muted small">{t("units", { count: area.units.length })}</span>
          </p>
          <div class="tiles three">
            {area.units.map((unit) => (
              <UnitCard
                key={unit.id}
                unit={unit}
                option={option(unit.id, true)}
                question={question}
              />
            ))}
          </div>
        </>
      )}
    </>
  );
}

/** Separate keys for stacks and Units, which may have the same number. */
function sameId(area: AreaView, id: number): boolean {
  return area.stacks.some((one) => one.id === id) && area.units.some((one) => one.id === id);
}

interface TileCardProps {
  readonly id: string | null;
  readonly durability: number | null;
  readonly reward: TokenCount | null;
  readonly fresh?: boolean;
  readonly left?: number;
  readonly option: Option | undefined;
  readonly question: Question;
}

function StackCard({
  stack,
  option,
  question,
}: {
  readonly stack: StackView;
  readonly option: Option | undefined;
  readonly question: Question;
}) {
  if (stack.left === 0) return null;
  return (
    <TileCard
      id={stack.tile}
      durability={stack.durability}
      reward={stack.reward}
      left={stack.left}
      option={option}
      question={question}
    />
  );
}

function UnitCard({
  unit,
  option,
  question,
}: {
  readonly unit: UnitView;
  readonly option: Option | undefined;
  readonly question: Question;
}) {
  return (
    <TileCard
      id={unit.kind}
      durability={unit.durability}
      reward={unit.reward}
      fresh={unit.new}
      option={option}
      question={question}
    />
  );
}

function TileCard({ id, durability, reward, fresh = false, option, question }: TileCardProps) {
  const can = option?.enabled === true;
  const why = option?.reason
    ? say(option.reason)
    : fresh
      ? t("destroy.new")
      : option === undefined
        ? t("destroy.not_now")
        : "";
  const inside = (
    <>
      <span class="tile-cost">
        {durability !== null && (
          <>
            <Sign name="destruction" size={18} /> <b class="num">{durability}</b>
          </>
        )}
        {reward !== null && (
          <span class="tile-reward">
            <b class="num">+{reward.count}</b> <NumberSign what={reward.kind as What} size={18} />
          </span>
        )}
      </span>
      <Sign name={id === null ? "question" : signOf(id.replace(/_\d+$/, ""))} size={44} />
      <span class="tile-name">{id === null ? t("tile.unknown") : t(`tile.${id}`)}</span>
      {can ? (
        <span class="tile-after">
          <Deltas changes={option.consequence} size={14} />
        </span>
      ) : (
        <small class="muted">{why}</small>
      )}
    </>
  );
  return can ? (
    <button
      type="button"
      class="tile-card can"
      onClick={() => answer(question, acting.value ?? 0, option)}
    >
      {inside}
    </button>
  ) : (
    <div class={`tile-card ${fresh ? "fresh" : ""}`}>{inside}</div>
  );
}

/** A revealed building, to be named. */
export function TileScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(acting.value);
  return (
    <Screen
      name="reveal-tile"
      status={t("status.at", {
        turn: game.value?.turn ?? 0,
        place: question.place ?? seat?.area ?? "",
      })}
      head={
        <>
          <Headline text={t("head.tile")} lines={2} most={56} />
          <p>{say(question.prompt)}</p>
          <div class="under">
            <span class="under-new" aria-hidden="true">
              ?
            </span>
          </div>
        </>
      }
    >
      <TileChoices question={question} />
      <InPlaceOf />
    </Screen>
  );
}

function TileChoices({ question }: { readonly question: Question }) {
  return (
    <div class="tiles three">
      {question.nameable.map((tile) => (
        <button
          key={tile.name}
          type="button"
          class="tile-card pick"
          onClick={() => showTile(tile.name)}
        >
          <Sign name={signOf(tile.name.replace(/_\d+$/, ""))} size={40} />
          <span class="tile-name">{t(`tile.${tile.name}`)}</span>
          <small class="muted">{t("reveal.left", { count: tile.left })}</small>
        </button>
      ))}
      <button type="button" class="tile-card pick none" onClick={() => showTile(null)}>
        <span class="empty-spot" aria-hidden="true" />
        <span class="tile-name">{t("reveal.nothing")}</span>
      </button>
      {question.skippable && (
        <button type="button" class="tile-card pick later" onClick={putOff}>
          <IdSign id="clock" size={36} />
          <span class="tile-name">{t("reveal.later")}</span>
        </button>
      )}
    </div>
  );
}
