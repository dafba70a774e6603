/** The picture of a game to keep and share: made on this phone, without a connection. */
import { useEffect, useState } from "preact/hooks";
import { gameOf, leaveStory, storyOf } from "../../store/records/story";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Spoken } from "../../ui/parts/kit";
import { drawn, HEIGHT, WIDTH } from "./drawing";
import "./story.css";

/** "": being drawn; null: the browser cannot. */
type Address = string | null;

export function PictureScreen({ id }: { readonly id: string }) {
  const known = storyOf(id);
  const now = gameOf(id);
  const story = known?.story ?? null;
  const [address, setAddress] = useState<Address>("");
  useEffect(() => {
    if (story === null || now === null) return undefined;
    let made = "";
    let gone = false;
    void drawn(story, now).then((file) => {
      if (gone) return;
      made = file === null ? "" : URL.createObjectURL(file);
      setAddress(made === "" ? null : made);
    });
    return () => {
      gone = true;
      if (made !== "") URL.revokeObjectURL(made);
    };
  }, [story]);
  const ready = address !== null && address !== "";
  const words = known?.refused
    ? say(known.refused)
    : t(address === null ? "picture.failed" : ready ? "picture.how" : "picture.making");
  return (
    <Screen
      name="picture"
      status={t("title")}
      tabs={false}
      news={false}
      head={
        <>
          <Headline text={t("picture.head")} lines={1} most={54} />
          <p>{words}</p>
          {ready && (
            <img
              class="story-picture edged w-full"
              src={address}
              width={WIDTH}
              height={HEIGHT}
              alt={t("picture.alt")}
            />
          )}
        </>
      }
      dock={
        <>
          {ready && (
            <a class="primary" href={address} download={`monster-table-${id}.png`}>
              <span class="primary-words">{t("picture.save")}</span>
            </a>
          )}
          <Act text={t("back")} class="wide-act" onTap={() => leaveStory(id)} />
        </>
      }
    >
      <Spoken text={words} />
    </Screen>
  );
}
