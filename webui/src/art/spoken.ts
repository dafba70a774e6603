/** How drawings are announced to a screen reader. */
import type { SVGAttributes } from "preact";

/** Return attributes that make a drawing an image of this name, or hide it where the name is beside it. */
export function spoken(title: string | undefined): SVGAttributes<SVGSVGElement> {
  return title === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": title };
}
