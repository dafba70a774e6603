/** Figures as the phone's language writes them. */
import { prefs } from "../phone/prefs";

/** The phone's language, and for a browser that does not know Icelandic one that writes figures alike. */
function locales(): readonly string[] {
  return prefs.value.language === "is" ? ["is", "da"] : [prefs.value.language];
}

/** A number with so many decimals at most. */
export function figure(value: number, decimals = 0): string {
  return value.toLocaleString([...locales()], { maximumFractionDigits: decimals });
}

/** A number with exactly so many decimals. */
export function fixed(value: number, decimals: number): string {
  return value.toLocaleString([...locales()], {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** A share in hundredths, without a sign. */
export function hundredths(share: number, decimals = 0): string {
  return fixed(100 * share, decimals);
}

/** A share with its sign. */
export function percent(share: number, decimals = 1): string {
  return share.toLocaleString([...locales()], {
    style: "percent",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/** A day without its time; "" for an invalid one. */
export function date(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const known = Intl.DateTimeFormat.supportedLocalesOf(prefs.value.language).length > 0;
  return time.toLocaleDateString([...locales()], {
    day: "numeric",
    month: known ? "short" : "numeric",
  });
}
