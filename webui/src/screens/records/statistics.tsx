/** Statistics: what all finished games come to, by player, by Monster and by die. */
import { chooseSegment, SEGMENTS, segment, statistics } from "../../store/records/statistics";
import { game } from "../../store/table/table";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Close, Spoken } from "../../ui/parts/kit";
import type { StatisticsView } from "../../wire";
import { DiceBody, DiceHead } from "./dice";
import { MonstersBody, MonstersHead } from "./monsters";
import { Disc } from "./parts";
import { PlayersBody, PlayersHead } from "./players";
import "./records.css";
import { Segment } from "../../ui/parts/choices";

export function StatisticsScreen() {
  const now = statistics.value;
  const tabs = game.value !== null;
  return (
    <Screen
      name="statistics"
      status={
        segment.value === "dice" && now !== null && now.games > 0
          ? t("statistics.of_dice")
          : t("statistics.open")
      }
      tabs={tabs}
      news={false}
      head={now === null || now.games === 0 ? <Empty now={now} /> : <Head now={now} />}
      dock={
        <>
          {now !== null && now.games > 0 && <Segments />}
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

function Head({ now }: { readonly now: StatisticsView }) {
  if (segment.value === "dice") return <DiceHead now={now} />;
  return segment.value === "monsters" ? <MonstersHead now={now} /> : <PlayersHead now={now} />;
}

function Body({ now }: { readonly now: StatisticsView }) {
  if (segment.value === "dice") return <DiceBody now={now} />;
  return segment.value === "monsters" ? <MonstersBody now={now} /> : <PlayersBody now={now} />;
}

function Empty({ now }: { readonly now: StatisticsView | null }) {
  if (now === null || now.counting > 0)
    return <Headline text={t(now === null ? "games.asked" : "statistics.open")} most={54} />;
  return (
    <>
      <Disc />
      <Headline text={t("statistics.none")} room={250} lines={3} most={54} />
      <p class="beside-disc">{t("statistics.none_how")}</p>
    </>
  );
}

function Segments() {
  return (
    <Segment
      label={t("statistics.segments")}
      options={SEGMENTS}
      chosen={segment.value}
      words={(one) => t(`statistics.${one}`)}
      ticked
      onTap={chooseSegment}
    />
  );
}
