/** Tasks with the components for what the app has counted. Ticking them off is optional. */
import { Sign } from "../../art";
import { closeSheet } from "../../store/phone/route";
import { game, seatOf } from "../../store/table/table";
import { tick, ticked } from "../../store/turn/reminders";
import { say, t } from "../../store/words";
import { Headline, Screen, turnText } from "../../ui/frame/screen";
import { Act, IdSign } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { Hand } from "../../wire";

export function HandsScreen() {
  const hands = game.value?.hands ?? [];
  const done = hands.filter((one) => ticked.value.has(one.id));
  const open = hands.filter((one) => !ticked.value.has(one.id));
  return (
    <Screen
      name="hands"
      status={turnText()}
      tabs={false}
      head={
        <>
          <span class="hand-disc">
            <Sign name="hand" size={80} />
          </span>
          <Headline text={t("head.hands")} room={230} most={54} />
          <p class="beside-shadow">{t("hands.how")}</p>
        </>
      }
      dock={
        <Act class="wide-act" onTap={closeSheet}>
          {t("close")}
        </Act>
      }
    >
      <p class="row-between">
        <b>{t("hands.done", { count: done.length, all: hands.length })}</b>
        <span class="muted small">{t("hands.optional")}</span>
      </p>
      <progress class="hands-bar" max={Math.max(1, hands.length)} value={done.length} />
      {[...open, ...done].map((hand) => (
        <HandRow key={hand.id} hand={hand} />
      ))}
    </Screen>
  );
}

function HandRow({ hand }: { readonly hand: Hand }) {
  const done = ticked.value.has(hand.id);
  const seat = seatOf(hand.seat);
  return (
    <button
      type="button"
      class={`hand-row ${done ? "done" : ""}`}
      role="checkbox"
      aria-checked={done}
      onClick={() => tick(hand.id, !done)}
    >
      {seat === null || done ? (
        <span class="hand-sign">
          <IdSign id={hand.sign} size={26} meaning={!done} />
        </span>
      ) : (
        <MonsterTile monster={seat.monster} size={40} />
      )}
      <span class="hand-words">{say(hand.words)}</span>
      <span class="box">{done && <Sign name="tick" size={20} />}</span>
    </button>
  );
}
