/** Everything in the report of a misread roll, before it is saved or shared. */
import { useEffect } from "preact/hooks";
import { Sign } from "../../art";
import { closeSheet } from "../../store/phone/route";
import {
  forget,
  type Misread,
  misread,
  type Picture,
  saveMisread,
} from "../../store/report/misread";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Primary } from "../../ui/parts/kit";

export function MisreadScreen() {
  useEffect(() => forget, []);
  const shown = misread.value;
  const one = shown.kind === "here" ? shown.misread : null;
  return (
    <Screen
      name="misread"
      status={t("misread.status")}
      tabs={false}
      head={
        <>
          <Headline text={t("misread.head")} lines={2} most={44} />
          {shown.kind === "failed" && <p class="gold">{say(shown.words)}</p>}
          {shown.kind === "loading" && <p>{t("misread.loading")}</p>}
          {one !== null && <p>{t("misread.look")}</p>}
          {one !== null && <p class="muted small">{t("misread.never")}</p>}
        </>
      }
      dock={
        <div class="dock-row">
          {one !== null && (
            <Primary
              text={t("misread.save")}
              note={t("misread.size", { megabytes: megabytes(one.bytes) })}
              onTap={() => void saveMisread(one)}
            />
          )}
          <Act class={one === null ? "wide-act" : "square"} onTap={closeSheet}>
            <Sign name="cross" size={24} />
            <small>{t("close")}</small>
          </Act>
        </div>
      }
    >
      {one !== null && <Contents one={one} />}
    </Screen>
  );
}

function megabytes(bytes: number): string {
  return (Math.ceil(bytes / 100_000) / 10).toString();
}

function Contents({ one }: { readonly one: Misread }) {
  return (
    <div class="misread-parts col gap-8">
      <p class="label">{t("misread.frames", { count: one.frames.length })}</p>
      {one.frames.map((picture) => (
        <img key={picture.name} class="misread-frame" src={picture.source} alt={picture.name} />
      ))}
      <Small label={t("misread.prints", { count: one.prints.length })} pictures={one.prints} />
      <p class="label">{t("misread.text")}</p>
      <pre class="misread-text">{one.text}</pre>
    </div>
  );
}

function Small({ label, pictures }: { label: string; pictures: readonly Picture[] }) {
  if (pictures.length === 0) return null;
  return (
    <>
      <p class="label">{label}</p>
      <div class="flex wrap gap-6">
        {pictures.map((picture) => (
          <img key={picture.name} src={picture.source} alt={picture.name} width={64} height={64} />
        ))}
      </div>
    </>
  );
}
