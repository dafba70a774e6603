/** Two players with one phone: whose seat it is asked for as well. */

import { sharedSeat, shareWith } from "../../store/access/shared";
import { closeSheet } from "../../store/phone/route";
import { game, you } from "../../store/table/table";
import { t } from "../../store/words";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";

export function ShareSheet() {
  const free = (game.value?.seats ?? []).filter(
    (one) => one.alive && one.seat !== you.value.seat && one.phones === 0,
  );
  const choose = (seat: number | null) => {
    shareWith(seat);
    closeSheet();
  };
  return (
    <SheetFrame name="share" label={t("share.head")} tone="info">
      <p>{t(free.length === 0 ? "share.none" : "share.what")}</p>
      {free.map((one) => (
        <button
          key={one.seat}
          type="button"
          class={one.seat === sharedSeat.value ? "seat-row mine" : "seat-row free"}
          aria-pressed={one.seat === sharedSeat.value}
          onClick={() => choose(one.seat)}
        >
          <MonsterTile monster={one.monster} size={44} />
          <span class="seat-words">
            <b>{one.player}</b>
            <span class="muted">{t(`monster.${one.monster}`)}</span>
          </span>
        </button>
      ))}
      <Act text={t("share.nobody")} class="share-end" onTap={() => choose(null)} />
    </SheetFrame>
  );
}
