/** Joining: a code field for strangers, and the QR code for the next phone. */
import { useEffect, useState } from "preact/hooks";
import { closeSheet } from "../../store/phone/route";
import { askTitle, join, joining, tableTitle, typeCode, typedCode } from "../../store/server/join";
import { chairs, changeCode, people, showWifi } from "../../store/table/people";
import { view, you } from "../../store/table/table";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { OtherAddresses, qrOf } from "../../ui/parts/addresses";
import { Act, CodeCells, Note, Primary } from "../../ui/parts/kit";
import { MonsterTile, TitlePicture } from "../../ui/parts/picture";
import type { Join } from "../../wire";

const CODE_LENGTH = 6;

/** A field for the code; where a machine has several tables, it says which one this is. */
export function StrangerScreen() {
  useEffect(() => void askTitle(), []);
  const table = tableTitle.value;
  const letters = typedCode.value.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const enough = letters.length === CODE_LENGTH;
  return (
    <Screen
      name="stranger"
      status={t("title")}
      tabs={false}
      head={
        <>
          <TitlePicture />
          <h1 id="headline" class="headline title-words">
            {t("head.join")}
          </h1>
        </>
      }
      dock={
        enough && !joining.value ? (
          <Primary text={t("join.go")} onTap={() => void join({ token: null, code: letters })} />
        ) : (
          <Primary
            text={
              joining.value
                ? t("sending.now")
                : t("join.more", { count: CODE_LENGTH - letters.length })
            }
          />
        )
      }
    >
      {table !== "" && <p class="code-table num">{t("tables.table", { name: table })}</p>}
      <label class="field">
        <span>{t("join.code")}</span>
        <input
          class="code-input num"
          type="text"
          inputMode="text"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxLength={8}
          value={typedCode.value}
          onInput={(event) => typeCode(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && enough) void join({ token: null, code: letters });
          }}
        />
      </label>
      <p class="muted">{t("join.or_scan")}</p>
    </Screen>
  );
}

const NOBODY_MS = 60_000;

/** Whether the code has been shown for a minute in which nobody arrived. */
function useNobody(): boolean {
  const here = people.value.persons.length;
  const [nobody, setNobody] = useState(false);
  useEffect(() => {
    setNobody(false);
    const clock = window.setTimeout(() => setNobody(true), NOBODY_MS);
    return () => window.clearTimeout(clock);
  }, [here]);
  return nobody;
}

/** Address, code and QR for the next phone; where the table has a Wi-Fi, its code takes their place in a tap. */
export function QrScreen() {
  const [turned, turn] = useState(false);
  const nobody = useNobody();
  const late = view.value?.join?.late ?? 0;
  const how = view.value?.join ?? null;
  const host = you.value.role === "host";
  const shown = how?.wifi ?? "nobody";
  const offersWifi = shown === "all" || (host && shown === "host");
  const wifi = turned && offersWifi;
  return (
    <Screen
      name="qr"
      status={how?.table ? t("tables.table", { name: how.table }) : t("title")}
      tabs={false}
      head={
        <>
          <div class="qr-band on-stars">
            <Headline text={t("head.scan")} lines={1} most={64} />
          </div>
          <Code how={how} wifi={wifi} />
        </>
      }
      dock={
        host ? (
          <div class="two">
            <HostAct wifi={wifi} toAll={how?.wifi === "all"} />
            <Act text={t("done")} class="chosen" onTap={closeSheet} />
          </div>
        ) : (
          <Act text={t("done")} class="wide-act chosen" onTap={closeSheet} />
        )
      }
    >
      {offersWifi && (
        <Act text={t(wifi ? "qr.table_code" : "qr.wifi_code")} onTap={() => turn(!turned)} />
      )}
      <div class="starters grid gap-8">
        {chairs.value.map((chair, index) => (
          <span key={index} class="starter">
            <MonsterTile monster={chair.monster} size={48} out={chair.holder === null} />
            <b>{chair.player}</b>
            <small class={chair.holder === null ? "muted" : "go"}>
              {t(chair.holder === null ? "qr.waiting" : "qr.in")}
            </small>
          </span>
        ))}
      </div>
      {how !== null && <OtherAddresses of={how} host={host} />}
      {late > 0 && (
        <Note sign="warning" tone="doubt">
          <p>{t("qr.late", { count: late })}</p>
        </Note>
      )}
      {nobody && late === 0 && (
        <Note sign="clock" tone="doubt">
          <p role="status">{t("qr.nobody")}</p>
        </Note>
      )}
      <p class="panel small">
        <b>{t("qr.trouble")}</b> <span class="muted">{t("qr.wifi")}</span>
      </p>
      <p class="muted small centred">{t("qr.window")}</p>
    </Screen>
  );
}

function Code({ how, wifi }: { how: Join | null; wifi: boolean }) {
  if (how === null) return <p>{t("qr.none")}</p>;
  if (wifi) return <WifiCode toAll={how.wifi === "all"} />;
  return how.open ? <TableCode how={how} /> : <p>{t("qr.closed")}</p>;
}

/** What the host can do with the code that is shown. */
function HostAct({ wifi, toAll }: { readonly wifi: boolean; readonly toAll: boolean }) {
  return wifi ? (
    <Act text={t(toAll ? "qr.wifi_only_me" : "qr.wifi_all")} onTap={() => void showWifi(!toAll)} />
  ) : (
    <Act text={t("qr.new")} onTap={() => void changeCode(true)} />
  );
}

function TableCode({ how }: { readonly how: Join }) {
  return (
    <>
      <img
        class="qr"
        src={qrOf(how)}
        alt={t("qr.alt", { address: how.address })}
        width={240}
        height={240}
      />
      <p class="centred muted">{t("qr.type")}</p>
      <p class="centred address">{how.address}</p>
      <CodeCells code={how.code} />
    </>
  );
}

function WifiCode({ toAll }: { readonly toAll: boolean }) {
  return (
    <>
      <img class="qr" src="/api/wifi.svg" alt={t("qr.wifi_alt")} width={240} height={240} />
      <p class="centred">{t("qr.wifi_scan")}</p>
      {!toAll && <p class="centred muted">{t("qr.wifi_host")}</p>}
    </>
  );
}
