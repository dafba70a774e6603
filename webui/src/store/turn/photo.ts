/** Sending a photo of the tray to be read. */
import { signal } from "@preact/signals";
import { api } from "../server/api";
import { showFailure, showRefusal } from "../server/outbox";
import { watchCamera } from "./turn";

/** Whether a photo is being resized, sent or read. */
export const readingPhoto = signal(false);

/** Send the picture to be read; where it cannot be loaded or is refused, show why. */
export async function sendPhoto(picture: Promise<Blob>): Promise<void> {
  readingPhoto.value = true;
  try {
    const answer = await api.photo(await picture);
    if (answer.kind === "done") watchCamera();
    else showFailure(answer, "photo.silent");
  } catch {
    showRefusal({ key: "photo.unreadable", args: {} });
  } finally {
    readingPhoto.value = false;
  }
}
