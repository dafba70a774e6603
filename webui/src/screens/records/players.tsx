/** Statistics by player: how many evenings and games, records, and a row for each player. */
import { Sign } from "../../art";
import { openSheet } from "../../store/phone/route";
import { date, figure } from "../../store/records/figures";
import { you } from "../../store/table/table";
import { say, t } from "../../store/words";
import { Headline } from "../../ui/frame/screen";
import { IdSign } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { StatisticsView } from "../../wire";
import { BoxChip, Disc, Stars, WonOf } from "./parts";

/** Keep a number and its word on one line. */
function together(text: string): string {
  return text.replace(/ /g, "\u00a0");
}

export function PlayersHead({ now }: { readonly now: StatisticsView }) {
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
        lines={2}
        most={54}
      />
      <div class="feats grid gap-8">
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
            {t(`game.${game}`)} {figure(count)}
          </BoxChip>
        ))}
        {now.since !== null && (
          <span class="muted since">{t("statistics.since", { day: date(now.since) })}</span>
        )}
      </p>
    </>
  );
}

export function PlayersBody({ now }: { readonly now: StatisticsView }) {
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
            class="record-row dotted-below row gap-12 w-full text-left no-border no-fill color-text leading-120"
            onClick={() => openSheet({ kind: "record", name: line.name })}
          >
            <MonsterTile monster={line.monster} size={44} />
            <span class="record-words col gap-2 grow break-words">
              <b>{line.name}</b>
              <span class="muted">{say(note)}</span>
            </span>
            <WonOf share={line.won} />
            <Stars mean={figure(line.stars)} />
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
