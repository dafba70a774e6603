/** A picture of the tray, taken with this phone where the camera cannot help. */
import { signal } from "@preact/signals";
import { Sign } from "../art";
import { api } from "../store/api";
import { refusal } from "../store/outbox";
import { byHand } from "../store/turn";
import { t } from "../words";

const LONGEST_PX = 1600;
const working = signal(false);

/** A JPEG of at most `LONGEST_PX`: phones send huge pictures, turned by a mark that few readers obey. */
async function shrink(file: File): Promise<Blob> {
  const address = URL.createObjectURL(file);
  try {
    const picture = await load(address);
    const scale = Math.min(1, LONGEST_PX / Math.max(picture.naturalWidth, picture.naturalHeight));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.naturalWidth * scale);
    canvas.height = Math.round(picture.naturalHeight * scale);
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) =>
      canvas.toBlob(
        (blob) => (blob === null ? fail(new Error("no picture")) : done(blob)),
        "image/jpeg",
        0.9,
      ),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

function load(address: string): Promise<HTMLImageElement> {
  return new Promise((done, fail) => {
    const picture = new Image();
    picture.onload = () => done(picture);
    picture.onerror = () => fail(new Error("no picture"));
    picture.src = address;
  });
}

async function take(input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  if (file === undefined) return;
  working.value = true;
  try {
    const answer = await api.photo(await shrink(file));
    if (answer.kind === "done") byHand.value = false;
    else if (answer.kind === "refused")
      refusal.value = { words: answer.problem.error, at: Date.now() };
    else refusal.value = { words: { key: "photo.silent", args: {} }, at: Date.now() };
  } catch {
    refusal.value = { words: { key: "photo.unreadable", args: {} }, at: Date.now() };
  } finally {
    working.value = false;
    input.value = "";
  }
}

export function PhotoButton({ small = false }: { readonly small?: boolean }) {
  return (
    <label class={`act photo ${small ? "clear" : ""}`}>
      <input
        type="file"
        accept="image/jpeg,image/*"
        capture="environment"
        disabled={working.value}
        onChange={(event) => void take(event.currentTarget)}
      />
      <Sign name="photo" size={26} />
      <span class="photo-words">
        <b>{t(working.value ? "photo.working" : small ? "photo.short" : "photo.take")}</b>
        {!small && <small class="muted">{t("photo.with")}</small>}
      </span>
    </label>
  );
}
