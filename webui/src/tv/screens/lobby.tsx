/** Before a game: the way in as large as it goes, and who is there already. */
import { MonsterTile, Sign, type SignName } from "../../art";
import { Towers } from "../../art/maps/towers";
import { names } from "../../store/table/table";
import { t } from "../../store/words";
import type { Join, Lobby, SeatDraft, ViewerView } from "../../wire";
import * as parts from "../parts";

export function LobbyScreen({ now, lobby }: { now: ViewerView; lobby: Lobby }) {
  const most =
    lobby.boxes.find((box) => box.game === lobby.game)?.players_max ?? lobby.seats.length;
  const seats: Array<SeatDraft | null> = [...lobby.seats];
  while (seats.length < most) seats.push(null);
  const phones = lobby.seats.filter((seat) => seat.phones > 0).length;
  return (
    <main class="tv lobby">
      <WayIn join={now.join} />
      <section class={parts.showsWifi(now.join) ? "quay with-wifi" : "quay"}>
        <parts.Skyline />
        <parts.WifiCode join={now.join} />
        <parts.Fitted
          as="h1"
          class="lobby-head absolute caps num"
          text={t("tv.who_plays")}
          most={150}
          least={60}
        />
        <p class="lobby-game absolute one-line semibold">
          <Sign name="dice" size={40} /> {t(`game.${lobby.game}`)} ·{" "}
          <span class="lobby-phones">
            {t("tv.phones_in", { count: phones, all: lobby.seats.length })}
          </span>
        </p>
        <ul class="quay-seats">
          {seats.map((seat, index) => (
            <QuaySeat key={index} seat={seat} index={index} isHost={now.host === index} />
          ))}
        </ul>
        <p class="lobby-foot absolute text-30">
          <parts.DemoSticker tray={now.tray} />
          <parts.CameraState tray={now.tray} />
          <span class="muted">
            {now.host === null ? t("tv.host_starts_any") : t("tv.host_starts", { seat: now.host })}
          </span>
        </p>
      </section>
    </main>
  );
}

function WayIn({ join }: { readonly join: Join | null }) {
  if (join === null || !join.open) {
    return (
      <section class="way-in corner color-ink">
        <Sign name="lock" size={240} class="way-lock" />
        <p class="way-closed">{t("qr.closed")}</p>
      </section>
    );
  }
  return (
    <section class="way-in corner color-ink">
      <svg class="way-skyline" viewBox="0 0 720 200" aria-hidden="true" focusable="false">
        <Towers towers={GOLDEN} base={200} fill="#c99200" />
      </svg>
      <parts.Fitted
        class="way-head caps one-line num"
        text={t("head.scan")}
        most={128}
        least={60}
      />
      <div class="way-frame">
        <parts.Qr join={join} size={580} />
      </div>
      <p class="way-code" role="img" aria-label={join.code.split("").join(" ")}>
        {join.code.split("").map((letter, index) => (
          <b key={index} class="num">
            {letter}
          </b>
        ))}
      </p>
      <parts.Fitted
        class="way-address one-line semibold"
        text={parts.shortAddress(join)}
        most={44}
        least={28}
      />
    </section>
  );
}

interface QuaySeatProps {
  readonly seat: SeatDraft | null;
  readonly index: number;
  readonly isHost: boolean;
}

function QuaySeat({ seat, index, isHost }: QuaySeatProps) {
  const name = seat?.player || t("seat.head", { count: index + 1 });
  const [sign, words] = presence(seat, isHost);
  return (
    <li class={seat === null ? "quay-seat free" : "quay-seat"}>
      {seat === null ? <span class="quay-gap" /> : <MonsterTile id={seat.monster} size={170} />}
      <span class="quay-stand" />
      <parts.Fitted
        class="quay-name num"
        text={seat === null ? name : names.player(index)}
        most={46}
        least={28}
      />
      <p
        class={
          sign === "tick" ? "quay-state one-line semibold go" : "quay-state one-line semibold muted"
        }
      >
        {sign !== null && <Sign name={sign} size={26} />} {words}
      </p>
    </li>
  );
}

function presence(seat: SeatDraft | null, isHost: boolean): readonly [SignName | null, string] {
  if (seat === null) return [null, t("tv.free")];
  if (seat.phones === 0) return ["clock", t("tv.no_phone")];
  return ["tick", t(isHost ? "role.host" : "qr.in")];
}

const GOLDEN =
  "0 50 70, 56 60 20, 122 80 76, 206 50 50, 262 100 96, 368 70 10, 444 50 66, 500 60 30, 566 80 88, 650 70 60";
