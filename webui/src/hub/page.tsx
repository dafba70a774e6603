/** All tables of the house on one page: who needs help, boards, standings, results. */
import {
  began,
  connected,
  dropped,
  full,
  type Heard,
  helpOf,
  isPlaying,
  listening,
  quietMinutes,
  results,
  standings,
  tables,
  tooMany,
} from "../store/hub/tables";
import { day, t, wordsReady } from "../store/words";
import type { ResultLine, StandingLine } from "../wire";
import { TableBoard } from "./board";
import { nameOf } from "./names";

export function HubPage() {
  if (!wordsReady() || !began.value) return null;
  const all = tables.value;
  return (
    <>
      <header class="hub-head">
        <h1>{t("hub.title")}</h1>
        <p class="hub-counts">
          {t("hub.counts", { count: all.length })} ·{" "}
          {t("hub.playing", { count: all.filter(({ line }) => isPlaying(line)).length })}
        </p>
      </header>
      <main class="hub">
        <Trouble />
        <Help all={all} />
        <section aria-labelledby="hub-tables">
          <h2 id="hub-tables">{t("hub.tables")}</h2>
          {all.length === 0 ? (
            <p class="hub-none">{t("hub.none")}</p>
          ) : (
            <ul class="hub-boards">
              {all.map((one) => (
                <TableBoard key={one.line.name} one={one} />
              ))}
            </ul>
          )}
        </section>
        <Standings lines={standings.value} />
        <Results lines={results.value} />
      </main>
    </>
  );
}

/** What keeps the page itself from being up to date. */
function Trouble() {
  const key = !listening.value ? "hub.lost" : !connected.value ? "hub.no_broker" : null;
  return (
    <div role="status">
      {key !== null && <p class="hub-trouble">{t(key)}</p>}
      {full.value && <p class="hub-trouble">{t("hub.full")}</p>}
      {tooMany.value && (
        <p class="hub-trouble">{t("hub.too_many", { count: tables.value.length })}</p>
      )}
    </div>
  );
}

function Help({ all }: { readonly all: readonly Heard[] }) {
  const asking = all.filter((one) => helpOf(one).length > 0);
  return (
    <section aria-labelledby="hub-help">
      <h2 id="hub-help">{t("hub.help")}</h2>
      {asking.length === 0 ? (
        <p class="hub-none">{t("hub.nobody")}</p>
      ) : (
        <ul class="hub-help">
          {asking.map((one) => (
            <li key={one.line.name}>
              <b>{one.line.card.title}</b>{" "}
              {helpOf(one)
                .map((key) => t(`hub.help.${key}`, { count: quietMinutes(one) }))
                .join(" · ")}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Standings({ lines }: { readonly lines: readonly StandingLine[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="hub-standings">
      <h2 id="hub-standings">{t("hub.standings")}</h2>
      <table class="hub-standings">
        <thead>
          <tr>
            <th scope="col">{t("hub.player")}</th>
            <th scope="col">{t("hub.won")}</th>
            <th scope="col">{t("hub.games")}</th>
            <th scope="col">{t("number.stars")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((one) => (
            <tr key={one.player}>
              <th scope="row">{one.player}</th>
              <td>{one.won}</td>
              <td>{one.games}</td>
              <td>{one.stars}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Results({ lines }: { readonly lines: readonly ResultLine[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="hub-results">
      <h2 id="hub-results">{t("hub.results")}</h2>
      <ul class="hub-results">
        {lines.map((one) => (
          <li key={`${one.table}/${one.log}`}>
            <b>{one.title}</b> {one.ended === "" ? "" : day(one.ended)} ·{" "}
            {one.seats.map((seat) => `${seat.rank}. ${nameOf(seat)}`).join(" · ")}
          </li>
        ))}
      </ul>
      {dropped.value && <p>{t("hub.dropped")}</p>}
      <p>
        <a href="/api/hub/results.csv" download="results.csv">
          {t("hub.csv")}
        </a>
      </p>
    </section>
  );
}
