/** Tasks with the components for what the app has counted. Ticking them off is optional. */
import { Sign } from "../../art";
import { seatOf, you } from "../../store/table/table";
import { quietKinds, wakeReminders } from "../../store/turn/habits";
import { openTasks, tasks, tick, ticked } from "../../store/turn/reminders";
import { clausesOf, say, t } from "../../store/words";
import { Headline, Screen, turnText } from "../../ui/frame/screen";
import { Act, Close, Heading, IdSign } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { Hand } from "../../wire";

export function HandsScreen() {
  const hands = tasks();
  const open = openTasks();
  const done = hands.filter((one) => ticked.value.has(one.id));
  return (
    <Screen
      name="hands"
      status={turnText()}
      tabs={false}
      head={
        <>
          <span class="hand-disc middle absolute on-stars">
            <Sign name="hand" size={80} />
          </span>
          <Headline text={t("head.hands")} room={230} most={54} />
          <p class="beside-shadow">{t("hands.how")}</p>
        </>
      }
      dock={<Close class="wide-act" />}
    >
      {hands.length === 0 ? (
        <p>{t("hands.none")}</p>
      ) : (
        <>
          <Heading
            text={t("hands.done", { count: done.length, all: hands.length })}
            note={t("hands.optional")}
          />
          <progress
            class="hands-bar w-full overflow-hidden rounded-4 no-border on-raised"
            max={hands.length}
            value={done.length}
            aria-label={t("hands.done", { count: done.length, all: hands.length })}
          />
        </>
      )}
      {[...open, ...done].map((hand) => (
        <HandRow key={hand.id} hand={hand} />
      ))}
      <div class="row-between">
        <small class="muted">{t("hands.quiet")}</small>
        {quietKinds() > 0 && <Act text={t("hands.wake")} onTap={wakeReminders} />}
      </div>
    </Screen>
  );
}

function HandRow({ hand }: { readonly hand: Hand }) {
  const done = ticked.value.has(hand.id);
  const seat = seatOf(hand.seat);
  return (
    <button
      type="button"
      class={`hand-row boxed row gap-12 text-left color-text bold pad-8-12 ${done ? "done" : ""}`}
      role="checkbox"
      aria-checked={done}
      onClick={() => tick(hand.id, !done)}
    >
      {seat === null || done || seat.seat === you.value.seat ? (
        <span class="hand-sign middle rigid on-raised">
          <IdSign id={hand.sign} size={26} meaning={!done} />
        </span>
      ) : (
        <MonsterTile monster={seat.monster} size={40} />
      )}
      <span class="hand-words grow">
        <span class="hand-what">{say(hand.words)}</span>
        <NoteOf hand={hand} />
      </span>
      <span class="box middle rigid rounded-4">{done && <Sign name="tick" size={20} />}</span>
    </button>
  );
}

/** What the dial showed, or what the Monster has now; and why. */
function NoteOf({ hand }: { readonly hand: Hand }) {
  const parts = [...(hand.note === null ? [] : [say(hand.note)]), clausesOf(hand.why)];
  const text = parts.filter((part) => part !== "").join(" · ");
  return text === "" ? null : <small class="muted">{text}</small>;
}
