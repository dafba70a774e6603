/** The addresses by which phones reach the table: one on the QR code, the others below it. */
import { chooseAddress } from "../../store/table/people";
import { t } from "../../store/words";
import type { Join } from "../../wire";
import { Act } from "./kit";

/** The QR code's picture; its address changes with the code and the address. */
export function qrOf(join: Join): string {
  return `/api/qr.svg?code=${join.code}&address=${encodeURIComponent(join.address)}`;
}

/** Other addresses to try; the host's tap puts one on the QR code. */
export function OtherAddresses({ of, host }: { of: Join; host: boolean }) {
  const others = of.addresses.filter((one) => one !== of.address);
  if (others.length === 0) return null;
  return (
    <div class="other-addresses col gap-8 text-center">
      <p class="muted small">{t(host ? "qr.use_other" : "qr.others")}</p>
      {others.map((one) =>
        host ? (
          <Act text={one} key={one} onTap={() => void chooseAddress(one)} />
        ) : (
          <p key={one} class="address small">
            {one}
          </p>
        ),
      )}
    </div>
  );
}
