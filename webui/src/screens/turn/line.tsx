/** The screen without a connection: what is outdated, what was not sent, and that it retries. */
import { useEffect, useState } from "preact/hooks";
import { Sign } from "../../art";
import { showStaleNumbers } from "../../store/phone/front";
import { discard, flush, pendingCommands } from "../../store/server/outbox";
import { refresh } from "../../store/server/stream";
import { lastMessageAt, seatOf } from "../../store/table/table";
import { shownSeat } from "../../store/turn/turn";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Primary } from "../../ui/parts/kit";
import { Poster } from "../../ui/parts/picture";

/** An age in words: seconds, then minutes, then hours. */
function age(since: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  if (seconds < 120) return t("age.seconds", { count: seconds });
  if (seconds < 7200) return t("age.minutes", { count: Math.round(seconds / 60) });
  return t("age.hours", { count: Math.round(seconds / 3600) });
}

function useClock(): void {
  const [, turn] = useState(0);
  useEffect(() => {
    const clock = window.setInterval(() => turn((n) => n + 1), 1_000);
    return () => window.clearInterval(clock);
  }, []);
}

export function NoLine() {
  useClock();
  const seat = seatOf(shownSeat.value);
  return (
    <Screen
      name="no-line"
      poster={seat !== null}
      tabs={false}
      head={
        seat === null ? (
          <Headline text={t("head.no_line")} />
        ) : (
          <Poster seat={seat} headline={t("head.old")} state="stale" />
        )
      }
      dock={
        <>
          <Primary
            text={t("line.try")}
            onTap={() => {
              void refresh();
              void flush();
            }}
          />
          <Act text={t("line.look")} onTap={showStaleNumbers} />
        </>
      }
    >
      <div class="no-line row" role="alert">
        <Sign name="link_off" size={48} class="gold" />
        <h2 class="sheet-head">{t("head.no_line")}</h2>
      </div>
      <p>
        {lastMessageAt.value === 0
          ? t("line.never")
          : t("line.age", { age: age(lastMessageAt.value) })}
      </p>
      {pendingCommands.value.map((pending) => (
        <div key={pending.command.command_id} class="panel not-sent">
          <Sign name="clock" size={24} class="gold" />
          <span>
            <b>{t("line.not_sent")}</b> {say(pending.label)}
          </span>
          <Act text={t("line.discard")} onTap={() => discard(pending.command.command_id)} />
        </div>
      ))}
    </Screen>
  );
}
