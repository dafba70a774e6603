/** What the camera sees in the tray, as phones and televisions name it. */
import type { Tray } from "../wire";

export const AT_REST: readonly Tray["state"][] = ["read", "unsure", "count"];
const TROUBLED: readonly string[] = ["tray.problem", "tray.count", "tray.unsure"];

/** Catalogue keys of the roll states, and of the camera's problems. */
export function trayKey(tray: Tray): string {
  if (tray.camera !== "ok") return `tray.camera_${tray.camera}`;
  const known = tray.proposal === null && AT_REST.includes(tray.state);
  if (known && tray.known !== null) return "tray.learning";
  return known || tray.state === "read" ? "tray.known" : `tray.${tray.state}`;
}

/** Whether the table must do something before dice are read. */
export function isTroubled(tray: Tray): boolean {
  return tray.camera === "lost" || TROUBLED.includes(trayKey(tray));
}
