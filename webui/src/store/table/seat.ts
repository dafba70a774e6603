/** Whether this phone is choosing a seat, or only watches. */
import { signal } from "@preact/signals";

/** Whether it is choosing a seat; it may have one. */
export const seatPicking = signal(false);
/** Keep the seat that this phone has. */
export function keepSeat(): void {
  seatPicking.value = false;
}

/** Whether it wants no seat. */
export const justWatch = signal(false);
