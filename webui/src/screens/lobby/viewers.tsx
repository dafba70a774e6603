/** On a TV: the address and the code that are typed there, and the address of an overlay. */
import { LANGUAGES } from "../../store/phone/prefs";
import { closeSheet } from "../../store/phone/route";
import { changeViewers, viewers } from "../../store/table/viewers";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Segment } from "../../ui/parts/choices";
import { Act, CodeCells, Heading } from "../../ui/parts/kit";
import type { ViewersAnswer } from "../../wire";

export function ViewersScreen() {
  const how = viewers.value;
  return (
    <Screen
      name="tv"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("viewers.open")} lines={1} most={54} />
          {how !== null && <Typed how={how} />}
        </>
      }
      dock={<Act text={t("done")} class="chosen wide-act" onTap={closeSheet} />}
    >
      {how !== null && <Ways how={how} />}
    </Screen>
  );
}

/** What somebody types on the television. */
function Typed({ how }: { readonly how: ViewersAnswer }) {
  return (
    <>
      <p class="muted">{t("viewers.type")}</p>
      <p class="address">{how.address.replace(/^https?:\/\//, "")}</p>
      <p class="muted">{t("viewers.code")}</p>
      <CodeCells code={how.code} />
    </>
  );
}

function Ways({ how }: { readonly how: ViewersAnswer }) {
  return (
    <>
      <Heading text={t("viewers.language")} note={t("viewers.watching", { count: how.watching })} />
      <Segment
        label={t("viewers.language")}
        options={LANGUAGES}
        chosen={how.language}
        words={(one) => t(`language.${one}`)}
        languages
        onTap={(language) => void changeViewers({ language })}
      />
      <Act onTap={() => void changeViewers({ renew: "tv" })}>
        <span>
          <b>{t("qr.new")}</b>
          <small class="muted">{t("viewers.new_code.how")}</small>
        </span>
      </Act>
      <a class="act" href={how.tv} target="_blank" rel="noreferrer">
        {t("viewers.here")}
      </a>
      <p>
        <b>{t("viewers.overlay")}</b>
      </p>
      <p class="muted small">{t("viewers.overlay.how")}</p>
      <p class="address small">{how.overlay}</p>
      <Act onTap={() => void changeViewers({ renew: "overlay" })}>
        <span>
          <b>{t("viewers.new_address")}</b>
          <small class="muted">{t("viewers.new_address.how")}</small>
        </span>
      </Act>
    </>
  );
}
