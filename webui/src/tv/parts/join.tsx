/** How the next phone joins: the QR code and its six characters, the Wi-Fi's code beside it. */
import { t } from "../../store/words";
import type { Join } from "../../wire";
import { Fitted } from "./fitted";

/** The QR code's picture; its address changes with the code and the address. */
export function Qr({ join, size }: { readonly join: Join; readonly size: number }) {
  return (
    <img
      class="qr"
      src={`/api/tv/qr.svg?code=${join.code}&address=${encodeURIComponent(join.address)}`}
      alt={t("qr.alt", { address: join.address })}
      width={size}
      height={size}
    />
  );
}

/** The QR code of the table's Wi-Fi, where the host shows it to all; a phone without that network scans it first. */
export function WifiCode({ join }: { readonly join: Join | null }) {
  if (!showsWifi(join)) return null;
  return (
    <section class="wifi-code">
      <Fitted class="wifi-head num" text={t("qr.wifi_code")} most={72} least={40} />
      <img class="qr" src="/api/tv/wifi.svg" alt={t("qr.wifi_alt")} width={416} height={416} />
      <Fitted class="wifi-how" text={t("qr.wifi_scan")} most={32} least={28} />
    </section>
  );
}

export function showsWifi(join: Join | null): boolean {
  return join?.open === true && join.wifi === "all";
}

/** The code in two halves, which people read out. */
export function codeOf(join: Join): string {
  return `${join.code.slice(0, 3)} ${join.code.slice(3)}`;
}

/** The small way in beside a game; nothing while the table is closed. */
export function JoinCorner({ join }: { readonly join: Join | null }) {
  if (join === null || !join.open) return null;
  return (
    <div class="join-corner">
      <Qr join={join} size={176} />
      <p class="num join-code">{codeOf(join)}</p>
      <p class="join-how">{t("head.scan")}</p>
    </div>
  );
}

/** The address without its scheme, which every browser adds; of several tables, the name first. */
export function shortAddress(join: Join): string {
  const address = join.address.replace(/^https?:\/\//, "");
  return join.table === "" ? address : `${join.table} · ${address}`;
}
