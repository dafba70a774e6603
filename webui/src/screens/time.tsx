/** Looking back: the time machine, and what was forgotten by the rules. */
import "../styles/looks.css";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { MonsterTile, Sign } from "../art";
import * as time from "../store/looks";
import { go } from "../store/route";
import { line, names, seatOf, view, you } from "../store/table";
import { explained, say, t } from "../store/words";
import { Headline, Screen } from "../ui/frame";
import {
  Act,
  Arrow,
  ClauseLink,
  Close,
  Deltas,
  IdSign,
  NumberSign,
  Primary,
  Spoken,
} from "../ui/kit";
import { clock } from "../ui/table";
import type * as wire from "../wire";

export function TimeScreen(): JSX.Element {
  const all = time.timeView.value;
  const then = time.moment.value;
  const ready = all !== null && then !== null;
  return (
    <Screen
      name="time"
      status={t("time.status")}
      news={false}
      then
      head={ready ? <Then all={all} then={then} /> : <Headline text={t("time.asked")} most={44} />}
      dock={
        <>
          {ready && <Keys />}
          <div class="dock-row">
            {all !== null && all.branches.length > 0 && <SeeBranch all={all} />}
            {time.chosenRow.value === lastRow(all) && time.branchShown.value === null ? (
              <Close class="wide-act" />
            ) : (
              <Act text={t("time.back")} class="wide-act" onTap={time.backToNow} />
            )}
          </div>
          {ready && <PlayOn all={all} then={then} />}
        </>
      }
    >
      {ready && <Course all={all} then={then} />}
    </Screen>
  );
}

function lastRow(all: wire.TimeView | null): number {
  const steps = all?.line.steps ?? [];
  return steps[steps.length - 1] ?? 0;
}

function titleOf(turn: number): string {
  return turn === 0 ? t("time.start") : t("status.turn", { turn });
}

/** Everybody's numbers then; those of now beside the ones that differ. */
function Then({ all, then }: { readonly all: wire.TimeView; readonly then: wire.TimeMoment }) {
  const turns = time.path.value.turns;
  const last = turns[turns.length - 1]?.turn ?? 0;
  const kinds = then.seats[0]?.numbers ?? [];
  return (
    <>
      <div class="time-head flex wrap">
        <Headline text={titleOf(then.turn)} room={230} lines={1} most={60} />
        <span class="muted">
          {then.turn === 0
            ? clock(then.at)
            : t("time.of", { turns: last, seat: then.seat, time: clock(then.at) })}
        </span>
      </div>
      <table class="time-table w-full">
        <thead>
          <tr>
            <th scope="col" class="muted text-15">
              {t("time.beside")}
            </th>
            {kinds.map(({ what }) => (
              <th key={what} scope="col">
                <NumberSign what={what} size={22} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {then.seats.map((seat) => (
            <SeatRow
              key={seat.seat}
              seat={seat}
              now={all.seats.find((one) => one.seat === seat.seat) ?? seat}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

function SeatRow({ seat, now }: { readonly seat: wire.SeatView; readonly now: wire.SeatView }) {
  return (
    <tr class={seat.alive ? "" : "out"}>
      <th scope="row">
        <span class="time-seat row gap-8 break-words leading-115">
          <MonsterTile monster={seat.monster} size={36} out={!seat.alive} />
          <span>
            <b>{names.player(seat.seat)}</b>
            <small class="muted row wrap gap-4">
              {seat.place !== null && t(`place.${seat.place}`)}
              {seat.goals.map((goal) => (
                <IdSign key={goal} id={goal} size={18} />
              ))}
            </small>
          </span>
        </span>
      </th>
      {seat.numbers.map(({ what, value }) => {
        const present = now.numbers.find((one) => one.what === what)?.value ?? value;
        return (
          <td key={what}>
            <b class="num">{value}</b>
            {present !== value && (
              <small class="muted">
                <span class="sr-only">{t("time.now_is")}</span> {present}
              </small>
            )}
          </td>
        );
      })}
    </tr>
  );
}

function Course({ all, then }: { readonly all: wire.TimeView; readonly then: wire.TimeMoment }) {
  const { turns } = time.path.value;
  const index = time.turnAt.value;
  const branch = time.branchShown.value;
  const most = turns.length - 1;
  const share = most === 0 ? 0 : index / most;
  return (
    <div class="panel gap-2">
      <Happened then={then} whole={turns.some((one) => one.row === then.row)} />
      <div class="time-flag-room relative" aria-hidden="true">
        <span
          class="time-flag absolute text-center on-go num"
          style={{ left: `calc(13px + (100% - 26px) * ${share})` }}
        >
          {turns[index]?.turn ?? 0}
        </span>
      </div>
      <input
        type="range"
        class={`time-range w-full no-fill ${branch === null ? "" : "on-branch"}`}
        style={{ "--at": `${100 * share}%` }}
        min={0}
        max={most}
        step={1}
        value={index}
        aria-label={t("time.slider")}
        aria-valuetext={valueText(then)}
        onInput={(event) => time.lookAtTurn(event.currentTarget.valueAsNumber)}
      />
      {turns.length <= TILES && <Tiles all={all} index={index} />}
      {branch === null ? (
        <p class="flex justify-between text-14 muted" aria-hidden="true">
          <span>{titleOf(turns[0]?.turn ?? 0)}</span>
          <span>{t("time.now")}</span>
        </p>
      ) : (
        <BranchLine branch={branch} />
      )}
    </div>
  );
}

/** For more turns than this there is no room for a tile each. */
const TILES = 20;

function Tiles({ all, index }: { readonly all: wire.TimeView; readonly index: number }) {
  return (
    <div class="time-tiles flex justify-between" aria-hidden="true">
      {time.path.value.turns.map((one, at) => (
        <span key={one.row} class={at > index ? "later" : ""}>
          {one.turn > 0 && <MonsterTile monster={all.seats[one.seat]?.monster ?? ""} size={15} />}
        </span>
      ))}
    </div>
  );
}

/** “Turn 13, Ana, Queens”, for readers and the slider. */
function valueText(then: wire.TimeMoment): string {
  const turn = time.turnOf(time.turnAt.value);
  if (turn === null || turn.turn === 0) return t("time.start");
  const place = then.seats.find((one) => one.seat === turn.seat)?.place ?? null;
  const parts = [t("status.turn", { turn: turn.turn }), names.player(turn.seat)];
  return [...parts, ...(place === null ? [] : [t(`place.${place}`)])].join(", ");
}

/** What came of the turn at its end; within it, what was done last. */
function Happened({ then, whole }: { readonly then: wire.TimeMoment; readonly whole: boolean }) {
  const news = whole ? then.happened : [];
  return (
    <div class="time-news">
      {news.length === 0 ? (
        <p>
          <b>{explained({ words: then.act, why: then.why })}</b>
        </p>
      ) : (
        news.map((one) => (
          <p key={say(one.words)}>
            <IdSign id={one.sign} size={20} /> {explained(one)}{" "}
            <Deltas changes={one.changes} size={16} plain={ofOneSeat(one.changes)} />
          </p>
        ))
      )}
    </div>
  );
}

/** Whether the sentence beside them has the only name that they need. */
function ofOneSeat(changes: readonly wire.Change[]): boolean {
  return changes.every((one) => one.seat === changes[0]?.seat);
}

function BranchLine({ branch }: { readonly branch: wire.BranchView }) {
  const count = branch.line.steps.length;
  return (
    <p class="time-branch col leading-120" role="status">
      <b class="gold">{t("time.branch", { act: explained(branch) })}</b>
      <small class="muted">
        {branch.by === ""
          ? t("time.left", { time: clock(branch.at), count })
          : t("time.left_by", { time: clock(branch.at), name: branch.by, count })}
      </small>
    </p>
  );
}

const KEYS = [
  { kind: "turn", by: -1, key: "time.turn_back" },
  { kind: "step", by: -1, key: "time.step_back" },
  { kind: "step", by: 1, key: "time.step_on" },
  { kind: "turn", by: 1, key: "time.turn_on" },
] as const;

/** A turn or a step back and on: dragging is never the only way. */
function Keys() {
  return (
    <div class="time-keys grid cols-4 gap-8">
      {KEYS.map(({ kind, by, key }) => {
        const row = time.rowAway(kind, by);
        return (
          <Act
            key={key}
            label={t(key)}
            disabled={row === null}
            onTap={() => row !== null && time.lookAt(row)}
          >
            {by < 0 && <Sign name="chevron_left" size={18} />}
            <span>{t(`time.${kind}`)}</span>
            {by > 0 && <Sign name="chevron_right" size={18} />}
          </Act>
        );
      })}
    </div>
  );
}

/** The newest branch; on a branch the next one, and after the oldest the line that counts. */
function SeeBranch({ all: { branches } }: { readonly all: wire.TimeView }) {
  const shown = time.branchShown.value;
  const at = shown === null ? -1 : branches.indexOf(shown);
  const next = branches[at + 1] ?? branches[0] ?? null;
  if (at >= 0 && branches.length === 1) return null;
  return (
    <Act class="wide-act" onTap={() => time.seeBranch(next)}>
      <Sign name="undo" size={20} class="gold" />
      <span>
        {t(at < 0 ? "time.see_branch" : "time.next_branch")}
        {branches.length > 1 && (
          <small>{t("time.branch_of", { at: at < 0 ? 1 : at + 1, count: branches.length })}</small>
        )}
      </span>
    </Act>
  );
}

/** Play on from the moment that is shown; what is left for it is kept. */
function PlayOn({ all, then }: { readonly all: wire.TimeView; readonly then: wire.TimeMoment }) {
  if (view.value?.rev !== all.rev || view.value.table !== all.table)
    return (
      <Primary
        text={t("time.again")}
        note={t("time.gone_on")}
        onTap={() => void time.fetchTime()}
      />
    );
  const reason = why(then);
  return (
    <Primary
      text={t("time.play_on")}
      note={reason ?? keptText(then)}
      onTap={reason === null ? time.playOn : undefined}
    />
  );
}

/** Why nobody plays on from here on this phone; null if it may. */
function why(then: wire.TimeMoment): string | null {
  if (then.row !== time.chosenRow.value) return t("time.asked");
  if (then.way.length === 0) return t("time.here");
  return you.value.role === "spectator" ? t("error.only_watching") : null;
}

function keptText({ leaves, turns }: wire.TimeMoment): string {
  if (turns === null || leaves === 0) return t("time.nothing_left");
  const [from, to] = turns;
  return from === to
    ? t("time.keeps_turn", { turn: from, count: leaves })
    : t("time.keeps_turns", { from, to });
}

export function ForgottenScreen(): JSX.Element {
  const key = time.forgottenKey();
  useEffect(() => {
    if (line.value === "live") void time.fetchForgotten(key);
  }, [key, line.value]);
  const found = time.forgotten();
  const watcher = you.value.role === "spectator";
  return (
    <Screen
      name="forgotten"
      news={false}
      head={
        <>
          <Headline text={t("forgotten.head")} most={58} room={300} />
          <Sign name="question" size={88} class="muted forgotten-mark" />
          {found === null ? <p>{t("forgotten.asked")}</p> : <Summary found={found} />}
        </>
      }
      dock={
        <div class="dock-row">
          <Act
            class="wide-act"
            disabled={watcher || found === null || found.findings.length === 0}
            onTap={() => time.handleFindings({ act: "leave" })}
          >
            {t("forgotten.leave")}
          </Act>
          <Act text={t("forgotten.dials")} class="wide-act" onTap={() => go("table")} />
        </div>
      }
    >
      {found !== null && <Findings found={found} watcher={watcher} />}
    </Screen>
  );
}

const FIELDS = 24;

function Summary({ found }: { readonly found: wire.ForgottenView }) {
  const { findings: differences, since, turns, cannot } = found;
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
            <Sign name={differ.has(turn) ? "warning" : "tick"} size={14} />
            <small>{differ.has(turn) || turn === shown[0] || turn === turns ? turn : ""}</small>
          </span>
        ))}
      </div>
      <p class="muted">{t("forgotten.agree", { count: count - differ.size, turns: count })}</p>
    </>
  );
}

type FindingsProps = Readonly<{ found: wire.ForgottenView; watcher: boolean }>;

function Findings({ found, watcher }: FindingsProps) {
  return (
    <>
      {found.findings.map((one) => (
        <Card key={one.id} one={one} found={found} watcher={watcher} />
      ))}
      {found.left > 0 && (
        <div class="forgotten-left row justify-between gap-10">
          <span class="muted">{t("forgotten.left", { count: found.left })}</span>
          {!watcher && (
            <Act text={t("forgotten.ask")} onTap={() => time.handleFindings({ act: "ask" })} />
          )}
        </div>
      )}
      {found.by_hand.length > 0 && (
        <section class="forgotten-by-hand" aria-label={t("forgotten.by_hand")}>
          <h2 class="text-17">{t("forgotten.by_hand")}</h2>
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

const BY_HAND = 6;

interface CardProps extends FindingsProps {
  readonly one: wire.Finding;
}

function Card({ one, found, watcher }: CardProps) {
  const seat = seatOf(one.seat);
  return (
    <article class="forgotten-card boxed pad-8-12 row gap-10">
      {seat === null ? (
        <IdSign id={one.sign} size={40} />
      ) : (
        <MonsterTile monster={seat.monster} size={44} out={!seat.alive} />
      )}
      <p class="grow break-words leading-125">
        <b>{say(one.words)}</b> {one.cause !== null && say(one.cause)}{" "}
        {one.clause !== null && <ClauseLink id={one.clause} />}
      </p>
      <Mend one={one} found={found} watcher={watcher} />
    </article>
  );
}

function Mend({ one, found, watcher }: CardProps) {
  if (one.mend === "none") return null;
  if (watcher) return <Result one={one} />;
  return (
    <Act class="forgotten-mend gap-2 rigid go edge-go" onTap={() => time.giveBack(found, one)}>
      <span>{t(`forgotten.${one.mend}`)}</span>
      <Result one={one} />
    </Act>
  );
}

/** What mending changes, in numbers or as a place. */
function Result({ one }: { readonly one: wire.Finding }) {
  return (
    <span class="forgotten-result middle wrap gap-4 text-24">
      {one.place !== null && <small>{t(`place.${one.place}`)}</small>}
      {one.changes.map((change) => (
        <span key={`${change.seat}${change.what}`} class="middle wrap gap-4">
          <NumberSign what={change.what} size={20} />
          <Arrow before={change.before} after={change.after} />
        </span>
      ))}
    </span>
  );
}
