/** The table: what all see and the host changes. */
import { Sign, type SignName } from "../../art";
import { game, view, you } from "../../store/table/table";
import { setPhoneFree } from "../../store/turn/fuse";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Close } from "../../ui/parts/kit";
import "./table-page.css";

/** Who is host, by name where the host has a seat. */
function hostWords(): string {
  const people = view.value?.people;
  const host = people?.persons.find((one) => one.id === people.host) ?? null;
  return host === null || host.seat === null
    ? t("table_page.host")
    : t("table_page.host_is", { seat: host.seat });
}

export function TablePage() {
  const now = game.value;
  const house = now?.house ?? [];
  const chosen = view.value?.tray.phone_free ?? { fuse: false, tray_ends: false };
  return (
    <Screen
      name="table-page"
      status={`${t("tab.more")} · ${t("table_page")}`}
      news={false}
      head={
        <>
          <Headline text={t("table_page")} lines={1} most={54} />
          <p>{hostWords()}</p>
          {house.length > 0 && (
            <div class="tablepage-house col gap-4 rounded on-panel">
              <b>{t("table_page.house")}</b>
              {house.map((one) => (
                <span key={one}>
                  <Sign name="tick" size={18} class="info" /> {t(`house.${one}`)}
                </span>
              ))}
            </div>
          )}
          {now !== null && (
            <p class="muted small">
              <Sign name="house" size={18} /> {t(`game.${now.game}`)} ·{" "}
              {t(`edition.${now.edition}`)}
            </p>
          )}
        </>
      }
    >
      <Switch
        sign="camera"
        name="fuse"
        on={chosen.fuse}
        onTap={() => setPhoneFree(!chosen.fuse, chosen.tray_ends)}
      />
      <Switch
        sign="hand"
        name="tray_ends"
        on={chosen.tray_ends}
        onTap={() => setPhoneFree(chosen.fuse, !chosen.tray_ends)}
      />
      <p class="muted small">{t("table_page.stop")}</p>
      <Close class="plain" />
    </Screen>
  );
}

interface SwitchProps {
  readonly sign: SignName;
  readonly name: "fuse" | "tray_ends";
  readonly on: boolean;
  readonly onTap: () => void;
}

function Switch({ sign, name, on, onTap }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      class={`tablepage-row dotted-below row gap-14 w-full text-left no-border no-fill color-text ${name}`}
      disabled={you.value.role !== "host"}
      onClick={onTap}
    >
      <Sign name={sign} size={28} />
      <span class="tablepage-words grow break-words">
        <b>{t(`table_page.${name}`)}</b>
        <small class="muted">{t(`table_page.${name}.how`)}</small>
      </span>
      <span class={`tablepage-switch row rigid ${on ? "on" : ""}`}>
        <b>{t(on ? "on" : "off")}</b>
        <Sign name={on ? "tick" : "cross"} size={22} />
      </span>
    </button>
  );
}
