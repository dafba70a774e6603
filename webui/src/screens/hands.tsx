/** Hands on the table: what the app has counted and hands must do. Ticking is optional. */
import { Sign } from "../art";
import { closeSheet } from "../store/route";
import { game, seatOf } from "../store/table";
import { Act, IdSign } from "../ui/kit";
import { MonsterTile } from "../ui/picture";
import { Headline, Screen, turnText } from "../ui/screen";
import { seen, tick } from "../ui/strips";
import type { Hand } from "../wire";
import { say, t } from "../words";

export function HandsScreen() {
  const hands = game.value?.hands ?? [];
  const ticked = hands.filter((one) => seen.value.has(one.id));
  const open = hands.filter((one) => !seen.value.has(one.id));
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
        <b>{t("hands.done", { count: ticked.length, all: hands.length })}</b>
        <span class="muted small">{t("hands.optional")}</span>
      </p>
      <progress class="hands-bar" max={Math.max(1, hands.length)} value={ticked.length} />
      {[...open, ...ticked].map((hand) => (
        <HandRow key={hand.id} hand={hand} />
      ))}
    </Screen>
  );
}

function HandRow({ hand }: { readonly hand: Hand }) {
  const ticked = seen.value.has(hand.id);
  const seat = seatOf(hand.seat);
  return (
    <button
      type="button"
      class={`hand-row ${ticked ? "done" : ""}`}
      role="checkbox"
      aria-checked={ticked}
      onClick={() => tick(hand.id, !ticked)}
    >
      {seat === null || ticked ? (
        <span class="hand-sign">
          <IdSign id={hand.sign} size={26} meaning={!ticked} />
        </span>
      ) : (
        <MonsterTile monster={seat.monster} size={40} />
      )}
      <span class="hand-words">{say(hand.words)}</span>
      <span class="box">{ticked && <Sign name="tick" size={20} />}</span>
    </button>
  );
}
