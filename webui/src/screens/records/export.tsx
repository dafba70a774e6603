/** Everything that can be kept of a game: a play for BG Stats, its scores, its log. */
import { Sign } from "../../art";
import { fileOf, play, playQr } from "../../store/records/exports";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Close } from "../../ui/parts/kit";
import "./records.css";

export interface ExportProps {
  readonly id: string;
  readonly ended: boolean;
}

export function ExportScreen({ id, ended }: ExportProps) {
  const links = play.value;
  return (
    <Screen
      name="export"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("export.head")} lines={1} most={54} />
          {links === null ? (
            <p>{t(ended ? "games.asked" : "export.only_ended")}</p>
          ) : (
            <>
              <img class="qr play-qr" src={playQr(id)} alt={t("export.qr")} />
              <p class="centred muted">{t("export.qr_how")}</p>
            </>
          )}
        </>
      }
      dock={<Close class="wide-act" />}
    >
      {links !== null && (
        <>
          <a class="primary" href={links.link}>
            <span class="primary-words">{t("export.bgstats")}</span>
            <small>{t("export.bgstats_how")}</small>
          </a>
          <a class="act" href={links.app}>
            <Sign name="phone" size={22} /> {t("export.app")}
          </a>
        </>
      )}
      <a class="act" href={fileOf(id, "scores.csv")} download={`scores-${id}.csv`}>
        <Sign name="arrow_down" size={22} /> {t("export.scores")}
      </a>
      {ended && (
        <a class="act" href={fileOf(id, "log.jsonl")} download={`log-${id}.jsonl`}>
          <Sign name="arrow_down" size={22} /> {t("export.log")}
        </a>
      )}
    </Screen>
  );
}
