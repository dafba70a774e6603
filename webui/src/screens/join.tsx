/** The way in: the code of a stranger, the seat of who has joined, and the QR code for the next. */
import { signal } from "@preact/signals";
import { Sign } from "../art";
import { api } from "../store/api";
import { refusal } from "../store/outbox";
import { closeSheet } from "../store/route";
import { join, joining } from "../store/join";
import { justWatch, seatPicking } from "../store/seat";
import { refresh } from "../store/stream";
import { view, you } from "../store/table";
import { OtherAddresses, qrOf } from "../ui/addresses";
import { Act, Primary } from "../ui/kit";
import { MonsterTile, TitlePicture } from "../ui/picture";
import { Headline, Screen } from "../ui/screen";
import { t } from "../words";

const code = signal("");
const CODE_LENGTH = 6;

export function StrangerScreen() {
  const letters = code.value.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const enough = letters.length === CODE_LENGTH;
  return (
    <Screen
      name="stranger"
      status={t("title")}
      tabs={false}
      head={
        <>
          <TitlePicture />
          <h1 id="headline" class="headline title-words">{t("head.join")}</h1>
        </>
      }
      dock={
        enough && !joining.value ? (
          <Primary text={t("join.go")} onTap={() => void join({ token: null, code: letters })} />
        ) : (
          <Primary text={joining.value ? t("sending.now") : t("join.more", { count: CODE_LENGTH - letters.length })} />
        )
      }
    >
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
          value={code.value}
          onInput={(event) => (code.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && enough) void join({ token: null, code: letters });
          }}
        />
      </label>
      <p class="muted">{t("join.or_scan")}</p>
    </Screen>
  );
}

interface Chair {
  readonly player: string;
  readonly monster: string;
  readonly taken: boolean;
}

function chairs(): readonly Chair[] {
  const now = view.value;
  if (now?.lobby) return now.lobby.seats;
  return (now?.game?.seats ?? []).map((seat) => ({ player: seat.player, monster: seat.monster, taken: seat.phones > 0 }));
}

const asking = signal<number | null>(null);

/** The phone has the seat, or says why not. */
export async function sit(seat: number, over: boolean): Promise<void> {
  const answer = await api.seat({ seat, take_over: over });
  asking.value = null;
  if (answer.kind === "refused") refusal.value = { words: answer.problem.error, at: Date.now() };
  else if (answer.kind === "silent") refusal.value = { words: { key: "join.silent", args: {} }, at: Date.now() };
  else {
    seatPicking.value = false;
    await refresh();
  }
}

/** Which seat is yours: free ones first to hand, taken ones after one more tap. */
export function SeatScreen() {
  return (
    <Screen
      name="pick-seat"
      status={t("title")}
      tabs={view.value?.game !== null}
      head={
        <>
          <TitlePicture />
          <h1 id="headline" class="headline title-words">{t("head.seat")}</h1>
        </>
      }
      dock={
        <Act
          class="wide-act"
          onTap={() => {
            justWatch.value = true;
            seatPicking.value = false;
          }}
        >
          {t("seat.watch")}
        </Act>
      }
    >
      {chairs().length === 0 && <p class="muted">{t("seat.none_yet")}</p>}
      {chairs().map((chair, index) => (
        <button
          key={index}
          type="button"
          class={`seat-row ${chair.taken ? "" : "free"}`}
          onClick={() => {
            if (chair.taken && asking.value !== index) asking.value = index;
            else void sit(index, chair.taken);
          }}
        >
          <MonsterTile monster={chair.monster} size={44} />
          <span class="seat-words">
            <b>{chair.player}</b>
            <span class="muted">{asking.value === index ? t("seat.move_here") : chair.taken ? t("seat.taken") : t("seat.free")}</span>
          </span>
          <Sign name={chair.taken ? "phone" : "chevron_right"} size={24} class={chair.taken ? "muted" : "go"} />
        </button>
      ))}
    </Screen>
  );
}

/** Address, code and QR for the next phone. */
export function QrScreen() {
  const how = view.value?.join ?? null;
  const host = you.value.role === "host";
  const letters = how?.code ?? "";
  return (
    <Screen
      name="qr"
      status={t("title")}
      tabs={false}
      head={
        <>
          <div class="qr-band">
            <Headline text={t("head.scan")} lines={1} most={64} />
          </div>
          {how === null ? (
            <p>{t("qr.none")}</p>
          ) : (
            <>
              <img class="qr" src={qrOf(how)} alt={t("qr.alt", { address: how.address })} width={240} height={240} />
              <p class="centred muted">{t("qr.type")}</p>
              <p class="centred address">{how.address}</p>
              <p class="code-cells" role="img" aria-label={letters.split("").join(" ")}>
                {letters.split("").map((letter, index) => (
                  <b key={index} class="num">{letter}</b>
                ))}
              </p>
            </>
          )}
        </>
      }
      dock={
        <div class="two">
          {host && <Act onTap={() => void api.newCode()}>{t("qr.new")}</Act>}
          <Act class="chosen" onTap={closeSheet}>{t("done")}</Act>
        </div>
      }
    >
      <div class="starters">
        {chairs().map((chair, index) => (
          <span key={index} class="starter">
            <MonsterTile monster={chair.monster} size={48} out={!chair.taken} />
            <b>{chair.player}</b>
            <small class={chair.taken ? "go" : "muted"}>{t(chair.taken ? "qr.in" : "qr.waiting")}</small>
          </span>
        ))}
      </div>
      {how !== null && <OtherAddresses of={how} host={host} />}
      <p class="panel small">
        <b>{t("qr.trouble")}</b> <span class="muted">{t("qr.wifi")}</span>
      </p>
      <p class="muted small centred">{t("qr.window")}</p>
    </Screen>
  );
}
