/** What did we forget: the log played again by the rules; each finding with the one button that mends it. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Sign } from "../../art";
import * as audit from "../../store/back/forgotten";
import { openSheet } from "../../store/phone/route";
import { line, seatOf, you } from "../../store/table/table";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Arrow, ClauseLink, IdSign, NumberSign, Spoken } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { Finding, ForgottenView } from "../../wire";
import "./forgotten.css";

export function ForgottenScreen(): JSX.Element {
  const key = audit.forgottenKey();
  useEffect(() => {
    if (line.value === "live") void audit.fetchForgotten(key);
  }, [key, line.value]);
  const found = audit.forgotten();
  const watcher = you.value.role === "spectator";
  return (
    <Screen
      name="forgotten"
      news={false}
      head={
        <>
          <Headline text={t("forgotten.head")} lines={2} most={58} room={300} />
          <Sign name="question" size={88} class="gold forgotten-mark" />
          {found === null ? <p>{t("forgotten.asked")}</p> : <Summary found={found} />}
        </>
      }
      dock={
        <div class="dock-row">
          <Act
            class="wide-act"
            disabled={watcher || found === null || !found.findings.some(isDifference)}
            onTap={audit.leaveRest}
          >
            {t("forgotten.leave")}
          </Act>
          <Act text={t("forgotten.dials")} class="wide-act" onTap={audit.checkDials} />
        </div>
      }
    >
      {found !== null && <Findings found={found} watcher={watcher} />}
    </Screen>
  );
}

/** A nameless building is no difference from the rules: it only has to be named. */
function isDifference(one: Finding): boolean {
  return one.mend !== "name";
}

/** How many turns have a field in the ribbon, the newest. */
const FIELDS = 24;

function Summary({ found }: { readonly found: ForgottenView }) {
  const { findings, since, turns, cannot } = found;
  const differences = findings.filter(isDifference);
  const differ = new Set(differences.map((one) => one.turn));
  const first = Math.max(since, 1);
  const count = Math.max(0, turns - first + 1);
  const shown = Array.from({ length: Math.min(count, FIELDS) }, (_, n) => turns - n).reverse();
  const verdict =
    differences.length === 0
      ? t("audit.agrees", { count })
      : t("audit.differs", { count: differences.length });
  if (cannot !== null) return <p>{say(cannot)}</p>;
  return (
    <>
      <p>
        {t(since > 0 ? "forgotten.since" : "forgotten.played", { turn: since })} <b>{verdict}</b>
      </p>
      <Spoken text={verdict} />
      <div class="forgotten-ribbon flex gap-4" aria-hidden="true">
        {shown.map((turn) => (
          <span
            key={turn}
            class={`forgotten-turn grow text-center ${differ.has(turn) ? "differs" : ""}`}
          >
            <Sign name={differ.has(turn) ? "question" : "tick"} size={14} />
            <small>{differ.has(turn) || turn === shown[0] || turn === turns ? turn : ""}</small>
          </span>
        ))}
      </div>
      <p class="muted">{t("forgotten.agree", { count: count - differ.size, turns: count })}</p>
    </>
  );
}

interface FindingsProps {
  readonly found: ForgottenView;
  readonly watcher: boolean;
}

function Findings({ found, watcher }: FindingsProps) {
  return (
    <>
      {found.findings.map((one) => (
        <Card key={one.id} one={one} found={found} watcher={watcher} />
      ))}
      {found.left > 0 && (
        <div class="forgotten-left row justify-between gap-10">
          <span class="muted">{t("forgotten.left", { count: found.left })}</span>
          {!watcher && <Act text={t("forgotten.ask")} onTap={audit.askAgain} />}
        </div>
      )}
      {found.by_hand.length > 0 && (
        <section class="forgotten-by-hand" aria-label={t("forgotten.by_hand")}>
          <h2>{t("forgotten.by_hand")}</h2>
          {found.by_hand.slice(-BY_HAND).map((one) => (
            <p key={one.id} class="muted">
              <IdSign id={one.sign} size={18} /> {say(one.words)}
            </p>
          ))}
        </section>
      )}
    </>
  );
}

/** How many numbers set by hand are shown, the newest. */
const BY_HAND = 6;

interface CardProps extends FindingsProps {
  readonly one: Finding;
}

function Card({ one, found, watcher }: CardProps) {
  const seat = seatOf(one.seat);
  return (
    <article class="forgotten-card boxed row gap-10">
      {seat === null ? (
        <IdSign id={one.sign} size={40} />
      ) : (
        <MonsterTile monster={seat.monster} size={44} out={!seat.alive} />
      )}
      <p>
        <b>{say(one.words)}</b> {one.cause !== null && say(one.cause)}{" "}
        {one.clause !== null && <ClauseLink id={one.clause} />}
      </p>
      <Mend one={one} found={found} watcher={watcher} />
    </article>
  );
}

function Mend({ one, found, watcher }: CardProps) {
  if (watcher && one.mend !== "none") return <Result one={one} />;
  switch (one.mend) {
    case "give":
    case "do":
      return (
        <Act class="forgotten-mend gap-2 rigid go" onTap={() => audit.giveBack(found, one)}>
          <span>{t(`forgotten.${one.mend}`)}</span>
          <Result one={one} />
        </Act>
      );
    case "name":
      return (
        <Act class="forgotten-mend gap-2 rigid go" onTap={() => openSheet({ kind: "tops" })}>
          {t("forgotten.name")}
        </Act>
      );
    default:
      return null;
  }
}

/** What mending changes, in numbers or as a place. */
function Result({ one }: { readonly one: Finding }) {
  return (
    <span class="forgotten-result">
      {one.place !== null && <small>{t(`place.${one.place}`)}</small>}
      {one.changes.map((change) => (
        <span key={`${change.seat}${change.what}`}>
          <NumberSign what={change.what} size={20} />
          <Arrow before={change.before} after={change.after} />
        </span>
      ))}
    </span>
  );
}
