/** Destruction: tap what is destroyed. It ends by itself when nothing else can be paid for. */
import { Sign, signOf } from "../../art";
import { game, seatOf, view } from "../../store/table";
import { acting, answer, putOff, showTile, undo } from "../../store/turn";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame";
import { Act, Deltas, Heading, NumberSign } from "../../ui/kit";
import { InPlaceOf, Offers } from "../../ui/strips";
import { Night } from "../../ui/table";
import type * as wire from "../../wire";

export function DestroyScreen({ question }: { readonly question: wire.Question }) {
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
          <p class="flex gap-6 relative" aria-hidden="true">
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
          answer={option.key}
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
function areasOf(question: wire.Question): readonly wire.AreaView[] {
  const ids = new Set(question.options.map((option) => option.tile).filter((id) => id !== null));
  const own = seatOf(acting.value)?.area;
  const all = (game.value?.areas ?? []).filter(
    (area) => [...area.stacks, ...area.units].some((one) => ids.has(one.id)) || area.id === own,
  );
  return [...all].sort((a, b) => Number(b.id === own) - Number(a.id === own));
}

type AreaTilesProps = Readonly<{ area: wire.AreaView; question: wire.Question; named: boolean }>;

function AreaTiles({ area, question, named }: AreaTilesProps) {
  const option = (id: number, unit: boolean) =>
    question.options.find(
      (one) => one.tile === id && (unit === one.key.includes("unit") || !sameId(area, id)),
    );
  return (
    <>
      <Heading
        text={named ? t("destroy.buildings_in", { place: area.id }) : t("destroy.buildings")}
        note={t("destroy.reward")}
      />
      <div class="tiles three">
        {area.stacks
          .filter(({ left }) => left > 0)
          .map(({ id, tile, ...stack }) => (
            <TileCard
              key={id}
              id={tile}
              {...stack}
              option={option(id, false)}
              question={question}
            />
          ))}
      </div>
      {area.units.length > 0 && (
        <>
          <Heading
            text={t("destroy.units", { place: area.id })}
            note={t("units", { count: area.units.length })}
          />
          <div class="tiles three">
            {area.units.map(({ id, kind, new: fresh, ...unit }) => (
              <TileCard
                key={id}
                id={kind}
                {...unit}
                fresh={fresh}
                option={option(id, true)}
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
function sameId(area: wire.AreaView, id: number): boolean {
  return area.stacks.some((one) => one.id === id) && area.units.some((one) => one.id === id);
}

interface TileCardProps {
  readonly id: string | null;
  readonly durability: number | null;
  readonly reward: wire.TokenCount | null;
  readonly fresh?: boolean;
  readonly option: wire.Option | undefined;
  readonly question: wire.Question;
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
      <span class="row gap-3 w-full text-24">
        {durability !== null && (
          <>
            <Sign name="destruction" size={18} /> <b class="num">{durability}</b>
          </>
        )}
        {reward !== null && (
          <span class="to-end inline-row gap-3">
            <b class="num">+{reward.count}</b>{" "}
            <NumberSign what={reward.kind as wire.Number} size={18} />
          </span>
        )}
      </span>
      <Sign name={id === null ? "question" : signOf(id)} size={44} />
      <span class="tile-name leading-115 break-words bold text-15">
        {id === null ? t("tile.unknown") : t(`tile.${id}`)}
      </span>
      {can ? (
        <span class="text-18">
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
      data-answer={option.key}
      onClick={() => answer(question, acting.value ?? 0, option)}
    >
      {inside}
    </button>
  ) : (
    <div class={`tile-card ${fresh ? "fresh" : ""}`}>{inside}</div>
  );
}

/** The top of a stack, to be named: under a building that fell, or as the box was set up. */
export function TileScreen({ question }: { readonly question: wire.Question }) {
  const { fallen, stack, stacks, nameable, skippable } = question;
  const place = question.place ?? seatOf(acting.value)?.area ?? "";
  return (
    <Screen
      name="reveal-tile"
      status={t("status.at", { turn: game.value?.turn ?? 0, place })}
      head={
        <>
          <Headline text={t(fallen === null ? "head.top" : "head.tile")} most={56} />
          {fallen === null ? (
            <>
              <p>
                <b>{t("reveal.stack", { place, count: stack, all: stacks })}</b>
              </p>
              <p class="muted">{t("reveal.top.how")}</p>
              <div class="under row gap-12 leading-120" aria-hidden="true">
                {Array.from({ length: stacks }, (_, index) =>
                  index + 1 === stack ? (
                    <New key={index} />
                  ) : (
                    <span key={index} class="under-unit middle rounded-8 on-panel">
                      {index + 1 < stack && <Sign name="tick" size={28} class="muted" />}
                    </span>
                  ),
                )}
              </div>
            </>
          ) : (
            <>
              <p>{t("reveal.fell", { tile: fallen.tile, unit: fallen.unit })}</p>
              <div class="under row gap-12 leading-120" aria-hidden="true">
                <New />
                <Sign name="arrow_right" size={28} class="muted" />
                <span class="under-unit middle rounded-8 on-panel">
                  <Sign name={signOf(fallen.unit)} size={40} />
                </span>
                <span>
                  <b>{t(`tile.${fallen.unit}`)}</b>
                  <br />
                  <small class="muted">{t("destroy.new")}</small>
                </span>
              </div>
            </>
          )}
        </>
      }
    >
      <div class="tiles three">
        {nameable.map(({ name, left }) => (
          <button
            key={name}
            type="button"
            class="tile-card pick"
            data-answer={name}
            onClick={() => showTile(name)}
          >
            <Sign name={signOf(name)} size={40} />
            <span class="tile-name leading-115 break-words bold text-15">{t(`tile.${name}`)}</span>
            <small class="muted">{t("reveal.left", { count: left })}</small>
          </button>
        ))}
        <button type="button" class="tile-card pick none" onClick={() => showTile(null)}>
          <span class="empty-spot rigid rounded" aria-hidden="true" />
          <span class="tile-name leading-115 break-words bold text-15">{t("reveal.nothing")}</span>
        </button>
        {skippable && (
          <button type="button" class="tile-card pick later" onClick={putOff}>
            <Sign name="clock" size={36} />
            <span class="tile-name leading-115 break-words bold text-15">{t("reveal.later")}</span>
          </button>
        )}
      </div>
      <InPlaceOf />
    </Screen>
  );
}

function New() {
  return <span class="under-new middle rounded-8 display-face">?</span>;
}
