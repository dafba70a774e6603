/** Figures as the phone's language writes them. */
import { prefs } from "../phone/prefs";

/** A number with so many decimals at most. */
export function figure(value: number, decimals = 0): string {
  return value.toLocaleString(prefs.value.language, { maximumFractionDigits: decimals });
}

/** A share in hundredths, without a sign. */
export function hundredths(share: number, decimals = 0): string {
  return (100 * share).toLocaleString(prefs.value.language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** A share with its sign. */
export function percent(share: number, decimals = 1): string {
  return share.toLocaleString(prefs.value.language, {
    style: "percent",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** A day without its time; "" for an invalid one. */
export function date(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  return time.toLocaleDateString(prefs.value.language, { day: "numeric", month: "short" });
}
