/** One player over all games: strength, what it did, and the names that are the same person's. */
import { useState } from "preact/hooks";
import { Sign } from "../../art";
import { openSheet } from "../../store/phone/route";
import { figure } from "../../store/records/figures";
import { changeNames, statistics } from "../../store/records/statistics";
import { game, you } from "../../store/table/table";
import { knows, say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act } from "../../ui/parts/kit";
import { Shadow } from "../../ui/parts/picture";
import type { PlayerStatistics } from "../../wire";
import { ends, Stars, WonOf } from "./parts";
import "./records.css";

function back(): void {
  openSheet({ kind: "statistics" });
}

export function RecordScreen({ name }: { readonly name: string }) {
  const found = statistics.value?.players.find((one) => one.line.name === name);
  const [merging, setMerging] = useState(false);
  if (found === undefined) return null;
  return (
    <Screen
      name="record"
      status={t("statistics.open")}
      tabs={game.value !== null}
      news={false}
      head={<Head found={found} />}
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
          <Figures found={found} />
          {you.value.role === "host" && <Names found={found} onMerge={() => setMerging(true)} />}
        </>
      )}
    </Screen>
  );
}

function Head({ found: { line, note } }: { readonly found: PlayerStatistics }) {
  return (
    <>
      <Shadow monster={line.monster} />
      <Headline text={line.name} room={238} lines={2} most={60} />
      <p class="beside-shadow">{say(note)}</p>
      <div class="record-totals">
        <div>
          <WonOf share={line.won} />
          <span class="muted">{t("statistics.games_won")}</span>
          <small class="muted">{ends(line.won)} %</small>
        </div>
        <div>
          <Stars mean={figure(line.stars, 1)} />
          <span class="muted">{t("statistics.a_game")}</span>
        </div>
      </div>
    </>
  );
}

function Figures({ found: { line } }: { readonly found: PlayerStatistics }) {
  const { rating } = line;
  return (
    <div class="record-lines col">
      <div class="record-line">
        <span>
          <b>{t("statistics.strength")}</b>
          <small class="muted">
            {t(rating === null ? "statistics.strength_none" : "statistics.strength_how")}
          </small>
        </span>
        {rating !== null && (
          <span class="strength col">
            <b class="num">{figure(rating.skill, 1)}</b>
            <small class="muted">
              {t("statistics.range", { low: figure(rating.low), high: figure(rating.high) })}
            </small>
          </span>
        )}
      </div>
      {Object.entries(line.reasons)
        .filter(([reason]) => knows(`statistics.by.${reason}`))
        .map(([reason, count]) => (
          <p key={reason} class="record-line">
            <span>{t(`statistics.by.${reason}`)}</span> <b class="num">{figure(count)}</b>
          </p>
        ))}
      <p class="record-line">
        <span>{t("statistics.dealt")}</span> <b class="num">{figure(line.dealt)}</b>
      </p>
      <p class="record-line">
        <span>{t("statistics.taken")}</span> <b class="num">{figure(line.taken)}</b>
      </p>
      <p class="record-line">
        <span>{t("statistics.longest")}</span> <b class="num">{figure(line.longest)}</b>
      </p>
      {line.monster !== "" && (
        <p class="record-line">
          <span>{t("statistics.plays", { monster: line.monster })}</span>
          <b class="num">{figure(line.with_monster)}</b>
        </p>
      )}
    </div>
  );
}

function Names({ found, onMerge }: { found: PlayerStatistics; onMerge: () => void }) {
  return (
    <>
      {found.aliases.map((alias) => (
        <div key={alias} class="alias-row row gap-10">
          <span>{t("statistics.also", { name: alias })}</span>
          <Act text={t("statistics.apart")} onTap={() => void changeNames(alias, null)} />
        </div>
      ))}
      <Act sign="people" size={22} text={t("statistics.same")} onTap={onMerge} />
    </>
  );
}

function Merging({ found: { line }, onDone }: { found: PlayerStatistics; onDone: () => void }) {
  const others = statistics.value?.players.filter((one) => one.line.name !== line.name) ?? [];
  const merge = async (into: string) => {
    if (!(await changeNames(line.name, into))) return;
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
