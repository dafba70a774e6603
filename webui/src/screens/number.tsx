/** One number of one Monster: minus and plus write at once. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Sign } from "../art";
import { correct } from "../store/acts";
import { parcels } from "../store/outbox";
import { closeSheet } from "../store/route";
import { useLog } from "../store/log";
import { seatOf, view, you } from "../store/table";
import { Act, NumberSign } from "../ui/kit";
import { most } from "../ui/numbers";
import { SheetFrame } from "../ui/sheet";
import { say, t } from "../words";
import type { Number as What } from "../wire";

/** What the thumbs have asked for and the table has not yet said. */
const wanted = signal<number | null>(null);

export function NumberSheet({ seat: index, what }: { readonly seat: number; readonly what: What }) {
  const seat = seatOf(index);
  const waiting = parcels.value.length > 0;
  useEffect(() => {
    if (!waiting) wanted.value = null;
  }, [waiting, view.value?.rev]);
  if (seat === null) return null;
  const value = wanted.value ?? seat[what];
  const limit = most(seat, what);
  const { rows: told, whole } = useLog();
  const rows = told.filter((row) => !row.undone && row.changes.some((change) => change.seat === index && change.what === what)).slice(-5);
  const watcher = you.value.role === "spectator";
  const set = (next: number) => {
    wanted.value = next;
    correct({ seat: index, what, value: next });
  };
  return (
    <SheetFrame name="number" label={t("number.head", { what, value })} tone="info">
      <div class="number-head">
        <NumberSign what={what} size={56} />
        <b class="num huge">{value}</b>
        <div>
          <h2 class="sheet-head">{t("number.why", { what, value })}</h2>
          <p class="muted">{t("number.of_whom", { monster: index })}</p>
        </div>
      </div>
      <div class="why-rows">
        {!whole && <p class="muted">{t("log.older")}</p>}
        {whole && rows.length === 0 && <p class="muted">{t("number.no_change")}</p>}
        {rows.map((row) => {
          const change = row.changes.find((one) => one.seat === index && one.what === what);
          const by = change === undefined ? 0 : change.after - change.before;
          return (
            <p key={row.seq} class="why-row">
              <span class="muted">{row.turn > 0 ? row.turn : ""}</span>
              <span>{say(row.words)}</span>
              <b class="num">{by > 0 ? `+${by}` : `−${-by}`}</b>
              <b class="num muted">{change?.after}</b>
            </p>
          );
        })}
      </div>
      {!watcher && (
        <div class="number-keys">
          <Act label={t("number.less", { what })} disabled={value <= 0} onTap={() => set(value - 1)}>
            <Sign name="minus" size={30} />
          </Act>
          <span class="number-now">
            {t("number.dial")} <NumberSign what={what} size={24} /> <b class="num">{value}</b>
          </span>
          <Act label={t("number.more", { what })} disabled={limit !== null && value >= limit} onTap={() => set(value + 1)}>
            <Sign name="plus" size={30} />
          </Act>
        </div>
      )}
      <Act onTap={closeSheet}>{t("close")}</Act>
    </SheetFrame>
  );
}
