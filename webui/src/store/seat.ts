/** Whether this phone is choosing a seat just now, though it has one, or watches. */
import { signal } from "@preact/signals";

export const seatPicking = signal(false);
