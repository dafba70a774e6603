/** What a drawing says to a screen reader. */
import type { SVGAttributes } from "preact";

/** What a drawing is for a screen reader: an image of that name, or nothing where the word stands beside it. */
export function spoken(title: string | undefined): SVGAttributes<SVGSVGElement> {
  return title === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": title };
}
