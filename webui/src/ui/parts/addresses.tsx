/** The addresses by which phones reach the table: one on the QR code, the others below it. */
import { chooseAddress } from "../../store/table/people";
import { t } from "../../store/words";
import type { Join } from "../../wire";
import { Act } from "./kit";

/** The picture of the QR code; another code or address is another picture. */
export function qrOf(join: Join): string {
  return `/api/qr.svg?code=${join.code}&address=${encodeURIComponent(join.address)}`;
}

interface OtherAddressesProps {
  readonly of: Join;
  readonly host: boolean;
}

/** What a phone may try where the first address does not open; a host's tap puts it on the code. */
export function OtherAddresses({ of, host }: OtherAddressesProps) {
  const others = of.addresses.filter((one) => one !== of.address);
  if (others.length === 0) return null;
  return (
    <div class="other-addresses">
      <p class="muted small">{t(host ? "qr.use_other" : "qr.others")}</p>
      {others.map((one) =>
        host ? (
          <Act key={one} onTap={() => void chooseAddress(one)}>
            {one}
          </Act>
        ) : (
          <p key={one} class="address small">
            {one}
          </p>
        ),
      )}
    </div>
  );
}
