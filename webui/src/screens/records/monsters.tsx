/** Statistics by Monster, by place and by card. */
import { figure, percent } from "../../store/records/figures";
import { cardIn } from "../../store/records/statistics";
import { t } from "../../store/words";
import { Headline } from "../../ui/frame/screen";
import { MonsterTile } from "../../ui/parts/picture";
import type { CardLine, PlaceLine, StatisticsView } from "../../wire";
import { Disc, ends, Range, RangeKey, scaleOf, WonOf } from "./parts";

export function MonstersHead({ now }: { readonly now: StatisticsView }) {
  const first = now.monsters[0];
  return (
    <>
      <Disc />
      <Headline
        text={
          first === undefined
            ? t("statistics.monsters")
            : t("statistics.leads", { monster: first.monster })
        }
        room={252}
        lines={2}
        most={54}
      />
      {first !== undefined && (
        <p class="beside-disc">
          {t("statistics.monster_won", { count: first.won.right, of: first.won.count })}
        </p>
      )}
      <p class="muted">{t("statistics.monsters_how")}</p>
      <RangeKey text={t("statistics.won_range")} />
    </>
  );
}

export function MonstersBody({ now }: { readonly now: StatisticsView }) {
  const scale = scaleOf(
    now.monsters.map((one) => one.won),
    now.monsters.map((one) => one.expected),
  );
  return (
    <>
      <div class="col gap-8">
        {now.monsters.map((one) => (
          <div
            key={one.monster}
            class="record-row dotted-below row gap-12 w-full text-left no-border no-fill color-text leading-120"
          >
            <MonsterTile monster={one.monster} size={44} />
            <span class="record-words col gap-2 grow break-words">
              <b>{t(`monster.${one.monster}`)}</b>
              <Range share={one.won} fair={one.expected} scale={scale} />
            </span>
            <span class="won-range col">
              <WonOf share={one.won} />
              <small class="muted">{ends(one.won)} %</small>
            </span>
          </div>
        ))}
      </div>
      {now.places.map((one) => (
        <Places key={one.game} place={one} />
      ))}
      {Object.keys(now.by_game).map((game) => (
        <Cards key={game} game={game} cards={now.cards.filter((card) => card.game === game)} />
      ))}
    </>
  );
}

function Places({ place: { game, turns, won } }: { readonly place: PlaceLine }) {
  if (Object.keys(turns).length === 0) return null;
  return (
    <section class="record-part col gap-6" aria-label={t("statistics.places", { game })}>
      <h2>{t("statistics.places", { game })}</h2>
      {won.count > 0 && (
        <p class="muted">{t("statistics.city_won", { won: won.right, count: won.count })}</p>
      )}
      <div class="record-lines col">
        {Object.entries(turns).map(([place, share]) => (
          <p key={place} class="record-line">
            <span>{t(`place.${place}`)}</span>
            <b class="num">{percent(share.right / share.count, 0)}</b>
          </p>
        ))}
      </div>
    </section>
  );
}

function Cards({ game, cards }: { readonly game: string; readonly cards: readonly CardLine[] }) {
  if (cards.length === 0) return null;
  return (
    <section class="record-part col gap-6" aria-label={t("statistics.cards", { game })}>
      <h2>{t("statistics.cards", { game })}</h2>
      <p class="muted">{t("statistics.cards_how")}</p>
      <div class="record-lines col">
        {cards.map((one) => (
          <p key={one.card} class="record-line">
            <span>{cardIn(game, one.card)}</span>
            <small class="muted">
              {t("statistics.bought", { count: one.won.count, won: one.won.right })}
            </small>
            <b class="num">{figure(one.won.count)}</b>
          </p>
        ))}
      </div>
    </section>
  );
}
