/** A photo of the tray, taken with this phone where the camera cannot help. */
import { useState } from "preact/hooks";
import { Sign } from "../../art";
import { readingPhoto, sendPhoto } from "../../store/turn/tray";
import { t } from "../../store/words";

const LONGEST_PX = 1600;

/**
 * Resize to a JPEG of at most `LONGEST_PX`: phones send huge pictures, rotated by an EXIF tag that few readers
 * apply.
 */
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

export function PhotoButton() {
  // A new input for each picture, so that the same file can be chosen again.
  const [field, setField] = useState(0);
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    await sendPhoto(shrink(file));
    setField(field + 1);
  };
  return (
    <label class="act photo relative overflow-hidden clear">
      <input
        key={field}
        type="file"
        accept="image/jpeg,image/*"
        capture="environment"
        disabled={readingPhoto.value}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <Sign name="photo" size={26} />
      <span class="photo-words">
        <b>{t(readingPhoto.value ? "photo.working" : "photo.short")}</b>
      </span>
    </label>
  );
}
