/** Whether this phone is choosing a seat just now, or only watches. */
import { signal } from "@preact/signals";

/** It chooses, though it may have a seat. */
export const seatPicking = signal(false);
/** Keep the seat that this phone has. */
export function keepSeat(): void {
  seatPicking.value = false;
}

/** It wants no seat. */
export const justWatch = signal(false);
