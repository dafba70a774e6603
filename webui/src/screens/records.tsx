/** Statistics: what all finished games come to, by player, by Monster and by die; one player's record. */
import "../styles/looks.css";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { DieArt, MonsterTile, Sign, signOf } from "../art";
import * as records from "../store/records";
import { openSheet } from "../store/route";
import { game, you } from "../store/table";
import { knows, say, t } from "../store/words";
import { Segment } from "../ui/choices";
import { Headline, Screen } from "../ui/frame";
import { Act, Close, IdSign, NumberSign, Spoken } from "../ui/kit";
import { Gone } from "../ui/strips";
import { Shadow } from "../ui/table";
import type * as wire from "../wire";

/** Ends of the bars, as shares, so that all ranges fit between them. */
export type Scale = Readonly<{ from: number; to: number }>;

const ROOM = 0.01;

/** A scale on which all these shares fit. */
export function scaleOf(shares: readonly wire.Share[], fair: readonly number[]): Scale {
  const from = Math.min(...shares.map((one) => one.low), ...fair);
  const to = Math.max(...shares.map((one) => one.high), ...fair);
  return { from: Math.max(0, from - ROOM), to: Math.min(1, to + ROOM) };
}

function place(share: number, { from, to }: Scale): number {
  return to > from ? (100 * (share - from)) / (to - from) : 50;
}

/** What was seen as a hollow dot, the range it may truly be as a bar, the fair share as a dashed line. */
export function Range({ share, fair, scale }: { share: wire.Share; fair: number; scale: Scale }) {
  const low = place(share.low, scale);
  const seen = share.count === 0 ? 0 : share.right / share.count;
  return (
    <span class="range block relative" aria-hidden="true">
      <i class="range-fair" style={{ left: `${place(fair, scale)}%` }} />
      <i
        class="range-bar"
        style={{ left: `${low}%`, width: `${place(share.high, scale) - low}%` }}
      />
      <i class="range-dot" style={{ left: `${place(seen, scale)}%` }} />
    </span>
  );
}

/** Of fewer games a range says no more than "nobody knows". */
const FEWEST = 10;

function isKnown(share: wire.Share): boolean {
  return share.count >= FEWEST;
}

/** The ends of a range in hundredths. */
export function ends(share: wire.Share): string {
  return t("statistics.range", {
    low: records.hundredths(share.low),
    high: records.hundredths(share.high),
  });
}

/** How many of so many. */
export function WonOf({ share }: { readonly share: wire.Share }) {
  return (
    <span class="won-of inline-flex gap-5">
      <b class="num">{share.right}</b>{" "}
      <small class="text-14 semibold">{t("statistics.of", { count: share.count })}</small>
    </span>
  );
}

export function Stars({ mean }: { readonly mean: string }) {
  return (
    <span class="a-game inline-row gap-3">
      <NumberSign what="stars" size={18} /> <b class="num text-28 leading-100">{mean}</b>
    </span>
  );
}

/** A drawn key of the bars. */
export function RangeKey({ text }: { readonly text: string }) {
  return (
    <p class="range-key row gap-12 text-15 leading-120">
      <span class="range block relative" aria-hidden="true">
        <i class="range-bar" />
        <i class="range-dot" />
      </span>
      <span class="muted">{text}</span>
    </p>
  );
}

/** The crown beside the headline. */
export function Disc() {
  return (
    <span class="record-disc middle absolute color-ink" aria-hidden="true">
      <Sign name="crown" size={62} />
    </span>
  );
}

type BoxChipProps = Readonly<{ children: ComponentChildren; sign?: ComponentChildren }>;

/** A box with its count, for reading. */
export function BoxChip({ children, sign }: BoxChipProps) {
  return (
    <span class="record-chip inline-row gap-6 on-raised">
      {sign}
      <b>{children}</b>
    </span>
  );
}

function together(text: string): string {
  return text.replace(/ /g, "\u00a0");
}

export function PlayersHead({ now }: { readonly now: wire.StatisticsView }) {
  const games = together(t("statistics.games", { count: now.games }));
  return (
    <>
      <Disc />
      <Headline
        text={
          now.evenings === 0
            ? games
            : `${together(t("statistics.evenings", { count: now.evenings }))}, ${games}`
        }
        room={300}
        most={54}
      />
      <div class="feats three">
        {now.feats.map((feat) => (
          <div key={feat.what.key} class="feat boxed col min-0 break-words text-15 leading-115">
            <span class="feat-value row gap-4">
              <IdSign id={feat.sign} size={22} /> <b class="num">{feat.value}</b>
            </span>
            <b>{say(feat.what)}</b>
            {feat.note !== null && <span class="muted">{say(feat.note)}</span>}
          </div>
        ))}
      </div>
      <p class="row wrap gap-6 text-14">
        {Object.entries(now.by_game).map(([game, count]) => (
          <BoxChip key={game}>
            {t(`game.${game}`)} {records.figure(count)}
          </BoxChip>
        ))}
        {now.since !== null && (
          <span class="muted to-end">
            {t("statistics.since", { day: records.date(now.since) })}
          </span>
        )}
      </p>
    </>
  );
}

export function PlayersBody({ now }: { readonly now: wire.StatisticsView }) {
  return (
    <>
      <p class="record-labels grid gap-12 semibold">
        <span>{t("statistics.player")}</span>
        <span>{t("statistics.won")}</span>
        <span>{t("statistics.a_game")}</span>
      </p>
      <div class="col gap-8">
        {now.players.map(({ line, note }) => (
          <button
            key={line.name}
            type="button"
            class="record-row dotted-below row tall-52 gap-12 w-full text-left no-border no-fill color-text leading-120"
            onClick={() => openSheet({ kind: "record", name: line.name })}
          >
            <MonsterTile monster={line.monster} size={44} />
            <span class="record-words col gap-2 grow break-words">
              <b>{line.name}</b>
              <span class="muted text-15">{say(note)}</span>
            </span>
            <WonOf share={line.won} />
            <Stars mean={records.figure(line.stars)} />
          </button>
        ))}
      </div>
      {you.value.role !== "spectator" && now.counting === 0 && (
        <a class="act" href="/api/scores.csv" download="scores.csv">
          <Sign name="arrow_down" size={22} /> {t("statistics.all_scores")}
        </a>
      )}
    </>
  );
}

export function MonstersHead({ now }: { readonly now: wire.StatisticsView }) {
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
        most={54}
      />
      {first !== undefined && (
        <p class="beside-shadow">
          {t("statistics.monster_won", { count: first.won.right, of: first.won.count })}
        </p>
      )}
      <p class="muted">{t("statistics.monsters_how")}</p>
      {now.monsters.some((one) => isKnown(one.won)) && (
        <RangeKey text={t("statistics.won_range")} />
      )}
    </>
  );
}

export function MonstersBody({ now }: { readonly now: wire.StatisticsView }) {
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
            class="record-row dotted-below row tall-52 gap-12 w-full text-left no-border no-fill color-text leading-120"
          >
            <MonsterTile monster={one.monster} size={44} />
            <span class="record-words col gap-2 grow break-words">
              <b>{t(`monster.${one.monster}`)}</b>
              {isKnown(one.won) && <Range share={one.won} fair={one.expected} scale={scale} />}
            </span>
            <span class="col items-end">
              <WonOf share={one.won} />
              {isKnown(one.won) && <small class="muted">{ends(one.won)} %</small>}
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

function Places({ place: { game, turns, won } }: { readonly place: wire.PlaceLine }) {
  if (Object.keys(turns).length === 0) return null;
  return (
    <section class="record-part col gap-6" aria-label={t("statistics.places", { game })}>
      <h2 class="text-17">{t("statistics.places", { game })}</h2>
      {won.count > 0 && (
        <p class="muted">{t("statistics.city_won", { won: won.right, count: won.count })}</p>
      )}
      <div class="record-lines col">
        {Object.entries(turns).map(([place, share]) => (
          <p key={place} class="record-line dotted-below row gap-10">
            <span class="grow">{t(`place.${place}`)}</span>
            <b class="num text-24">{records.percent(share.right / share.count, 0)}</b>
          </p>
        ))}
      </div>
    </section>
  );
}

function Cards({ game, cards }: { game: string; cards: readonly wire.CardLine[] }) {
  if (cards.length === 0) return null;
  return (
    <section class="record-part col gap-6" aria-label={t("statistics.cards", { game })}>
      <h2 class="text-17">{t("statistics.cards", { game })}</h2>
      <p class="muted">{t("statistics.cards_how")}</p>
      <div class="record-lines col">
        {cards.map((one) => (
          <p key={one.card} class="record-line dotted-below row gap-10">
            <span class="grow">{records.cardIn(game, one.card)}</span>
            <small class="muted">
              {t("statistics.bought", { count: one.won.count, won: one.won.right })}
            </small>
            <b class="num text-24">{records.figure(one.won.count)}</b>
          </p>
        ))}
      </div>
    </section>
  );
}

/** The box whose dice are shown: the chosen one, else that of the most dice. */
function shown({ dice }: wire.StatisticsView): wire.DiceStatistics | undefined {
  const most = [...dice].sort((one, other) => other.count - one.count)[0];
  return dice.find((one) => one.game === records.diceBox.value) ?? most;
}

export function DiceHead({ now }: { readonly now: wire.StatisticsView }) {
  const dice = shown(now);
  if (dice === undefined) return <Headline text={t("statistics.none")} most={54} />;
  const { head, often, would_show, count, needed, game, fair, faces } = dice;
  return (
    <>
      <span class="dice-pair flex absolute" aria-hidden="true">
        <DieArt face={signOf(Object.keys(faces)[4] ?? "")} size={64} />
        <DieArt face="energy" colour="green" size={60} />
      </span>
      <Headline text={say(head)} room={238} most={64} />
      <p class="dice-said">
        {t("statistics.dice.read", { count, dice: records.figure(count), game })}{" "}
        {often === null ? t("statistics.dice.needed", { count: needed }) : <b>{say(often)}</b>}
        {would_show !== null && <> {say(would_show)}</>}
      </p>
      <p class="row wrap gap-6 text-14">
        <BoxChip sign={<IdSign id={Object.keys(faces)[3] ?? ""} size={18} meaning={false} />}>
          {t(`game.${game}`)}
        </BoxChip>
        <span class="muted to-end">
          {t("statistics.dice.fair", { share: records.percent(fair) })}
        </span>
      </p>
    </>
  );
}

export function DiceBody({ now }: { readonly now: wire.StatisticsView }) {
  const dice = shown(now);
  if (dice === undefined) return null;
  const enough = dice.often !== null;
  const other = now.dice[(now.dice.indexOf(dice) + 1) % now.dice.length];
  return (
    <>
      {!enough && (
        <progress
          class="hands-bar w-full overflow-hidden rounded-4 no-border on-raised"
          max={dice.needed}
          value={dice.count}
          aria-label={t("statistics.dice.needed", { count: dice.needed })}
        />
      )}
      {enough && <Bars dice={dice} />}
      <p class="muted small">{t("statistics.dice.only")}</p>
      {other !== undefined && other !== dice && (
        <Act text={t(`game.${other.game}`)} onTap={() => records.chooseDice(other.game)} />
      )}
    </>
  );
}

function Bars({ dice: { faces, fair } }: { readonly dice: wire.DiceStatistics }) {
  const scale = scaleOf(Object.values(faces), [fair]);
  return (
    <div class="dice-bars boxed pad-8-12 col gap-12">
      {Object.entries(faces).map(([face, share]) => (
        <div key={face} class="fair-row grid items-center gap-10">
          <IdSign id={face} size={24} />
          <span class="sr-only">{t(`face.${face}`)}</span>
          <Range share={share} fair={fair} scale={scale} />
          <b class="num">{records.hundredths(share.right / share.count, 1)}</b>
          <small class="muted text-13 leading-115">{ends(share)}</small>
        </div>
      ))}
      <RangeKey text={t("statistics.dice.key")} />
    </div>
  );
}

function back(): void {
  openSheet({ kind: "statistics" });
}

export function RecordScreen({ name }: { readonly name: string }) {
  const found = records.statistics.value?.players.find((one) => one.line.name === name);
  const [merging, setMerging] = useState(false);
  if (found === undefined) return <Gone />;
  return (
    <Screen
      name="record"
      status={t("statistics.open")}
      tabs={game.value !== null}
      news={false}
      head={<PlayerHead found={found} />}
      dock={
        <Act class="wide-act" onTap={merging ? () => setMerging(false) : back}>
          <Sign name="chevron_left" size={22} /> {t("back")}
        </Act>
      }
    >
      {merging ? (
        <Merging found={found} onDone={() => setMerging(false)} />
      ) : (
        <>
          <PlayerFigures found={found} />
          {you.value.role === "host" && <Names found={found} onMerge={() => setMerging(true)} />}
        </>
      )}
    </Screen>
  );
}

function PlayerHead({ found: { line, note } }: { readonly found: wire.PlayerStatistics }) {
  return (
    <>
      <Shadow monster={line.monster} />
      <Headline text={line.name} room={238} most={60} />
      <p class="beside-shadow">{say(note)}</p>
      <div class="record-totals flex">
        <div class="col">
          <WonOf share={line.won} />
          <span class="muted">{t("statistics.games_won")}</span>
          {isKnown(line.won) && <small class="muted">{ends(line.won)} %</small>}
        </div>
        <div class="col">
          <Stars mean={records.figure(line.stars, 1)} />
          <span class="muted">{t("statistics.a_game")}</span>
        </div>
      </div>
    </>
  );
}

function PlayerFigures({ found: { line } }: { readonly found: wire.PlayerStatistics }) {
  const { rating, monster } = line;
  const counts: (readonly [words: string, count: number])[] = [
    ...Object.entries(line.reasons)
      .filter(([reason]) => knows(`statistics.by.${reason}`))
      .map(([reason, count]) => [t(`statistics.by.${reason}`), count] as const),
    [t("statistics.dealt"), line.dealt],
    [t("statistics.taken"), line.taken],
    [t("statistics.longest"), line.longest],
  ];
  if (monster !== "") counts.push([t("statistics.plays", { monster }), line.with_monster]);
  return (
    <div class="record-lines col">
      <div class="record-line dotted-below row gap-10">
        <span class="col grow">
          <b>{t("statistics.strength")}</b>
          <small class="muted">
            {t(rating === null ? "statistics.strength_none" : "statistics.strength_how")}
          </small>
        </span>
        {rating !== null && (
          <span class="col items-end">
            <b class="num text-32 leading-100">{records.figure(rating.skill, 1)}</b>
            <small class="muted">
              {t("statistics.range", {
                low: records.figure(rating.low),
                high: records.figure(rating.high),
              })}
            </small>
          </span>
        )}
      </div>
      {counts.map(([words, count]) => (
        <p key={words} class="record-line dotted-below row gap-10">
          <span class="grow">{words}</span> <b class="num text-24">{records.figure(count)}</b>
        </p>
      ))}
    </div>
  );
}

function Names({ found, onMerge }: { found: wire.PlayerStatistics; onMerge: () => void }) {
  return (
    <>
      {found.aliases.map((alias) => (
        <div key={alias} class="alias-row row gap-10">
          <span class="grow break-words">{t("statistics.also", { name: alias })}</span>
          <Act text={t("statistics.apart")} onTap={() => void records.changeNames(alias, null)} />
        </div>
      ))}
      <Act sign="people" size={22} text={t("statistics.same")} onTap={onMerge} />
    </>
  );
}

type MergingProps = Readonly<{ found: wire.PlayerStatistics; onDone: () => void }>;

function Merging({ found: { line }, onDone }: MergingProps) {
  const others =
    records.statistics.value?.players.filter((one) => one.line.name !== line.name) ?? [];
  const merge = async (into: string) => {
    if (!(await records.changeNames(line.name, into))) return;
    onDone();
    openSheet({ kind: "record", name: into });
  };
  return (
    <>
      <p>{t("statistics.same_how", { name: line.name })}</p>
      {others.map((one) => (
        <Act text={one.line.name} key={one.line.name} onTap={() => void merge(one.line.name)} />
      ))}
    </>
  );
}

export function StatisticsScreen() {
  const now = records.statistics.value;
  const [Head, Body] = PARTS[records.segment.value];
  const tabs = game.value !== null;
  return (
    <Screen
      name="statistics"
      status={
        records.segment.value === "dice" && now !== null && now.games > 0
          ? t("statistics.of_dice")
          : t("statistics.open")
      }
      tabs={tabs}
      news={false}
      head={now === null || now.games === 0 ? <Empty now={now} /> : <Head now={now} />}
      dock={
        <>
          {now !== null && now.games > 0 && (
            <Segment
              label={t("statistics.segments")}
              options={records.SEGMENTS}
              chosen={records.segment.value}
              words={(one) => t(`statistics.${one}`)}
              ticked
              onTap={records.chooseSegment}
            />
          )}
          {!tabs && <Close class="wide-act" />}
        </>
      }
    >
      {now !== null && now.counting > 0 && (
        <p class="muted">{t("statistics.counting", { count: now.counting })}</p>
      )}
      <Spoken text={now?.counting ? t("statistics.counting", { count: now.counting }) : ""} />
      {now !== null && now.games > 0 && <Body now={now} />}
    </Screen>
  );
}

/** The head and the body of each segment. */
const PARTS = {
  players: [PlayersHead, PlayersBody],
  monsters: [MonstersHead, MonstersBody],
  dice: [DiceHead, DiceBody],
} as const;

function Empty({ now }: { readonly now: wire.StatisticsView | null }) {
  if (now === null || now.counting > 0)
    return <Headline text={t(now === null ? "games.asked" : "statistics.open")} most={54} />;
  return (
    <>
      <Disc />
      <Headline text={t("statistics.none")} room={250} lines={3} most={54} />
      <p class="beside-shadow">{t("statistics.none_how")}</p>
    </>
  );
}
