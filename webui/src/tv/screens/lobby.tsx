/** Before a game: the way in as large as it goes, and who is there already. */
import { MonsterTile, Sign, type SignName } from "../../art";
import { type Tower, Towers } from "../../art/maps/towers";
import { PAPER } from "../../art/palette";
import { names } from "../../store/tv/screen";
import { t } from "../../store/words";
import type { Join, Lobby, SeatDraft, ViewerView } from "../../wire";
import { CameraState } from "../parts/camera";
import { Fitted } from "../parts/fitted";
import { Qr, shortAddress } from "../parts/join";

interface LobbyProps {
  readonly now: ViewerView;
  readonly lobby: Lobby;
}

export function LobbyScreen({ now, lobby }: LobbyProps) {
  const most =
    lobby.boxes.find((box) => box.game === lobby.game)?.players_max ?? lobby.seats.length;
  const seats: Array<SeatDraft | null> = [...lobby.seats];
  while (seats.length < most) seats.push(null);
  const phones = lobby.seats.filter((seat) => seat.phones > 0).length;
  return (
    <main class="tv lobby">
      <WayIn join={now.join} />
      <section class="quay">
        <Skyline />
        <Fitted as="h1" class="lobby-head num" text={t("tv.who_plays")} most={150} least={60} />
        <p class="lobby-game">
          <Sign name="dice" size={40} /> {t(`game.${lobby.game}`)} ·{" "}
          {t("tv.phones_in", { count: phones, all: lobby.seats.length })}
        </p>
        <ul class="quay-seats">
          {seats.map((seat, index) => (
            <QuaySeat key={index} seat={seat} index={index} isHost={now.host === index} />
          ))}
        </ul>
        <p class="lobby-foot">
          <CameraState tray={now.tray} />
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
      <section class="way-in">
        <p class="way-closed">{t("qr.closed")}</p>
      </section>
    );
  }
  return (
    <section class="way-in">
      <Fitted class="way-head num" text={t("head.scan")} most={128} least={60} />
      <div class="way-frame">
        <Qr join={join} size={580} />
      </div>
      <p class="way-code" role="img" aria-label={join.code.split("").join(" ")}>
        {join.code.split("").map((letter, index) => (
          <b key={index} class="num">
            {letter}
          </b>
        ))}
      </p>
      <Fitted class="way-address" text={shortAddress(join)} most={44} least={28} />
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
      <Fitted
        class="quay-name num"
        text={seat === null ? name : names.player(index)}
        most={46}
        least={28}
      />
      <p class={sign === "tick" ? "quay-state go" : "quay-state muted"}>
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

const FAR: readonly Tower[] = [
  [0, 50, 420],
  [120, 70, 540],
  [196, 46, 580],
  [306, 56, 480],
  [364, 52, 372],
  [418, 70, 494],
  [484, 46, 490],
  [700, 52, 500],
  [790, 90, 418],
  [916, 86, 300],
  [1010, 60, 570],
  [1086, 60, 360],
  [1130, 70, 286],
];
const NEAR: readonly Tower[] = [
  [0, 48, 420],
  [54, 80, 610],
  [142, 70, 560],
  [236, 64, 540],
  [316, 100, 600],
  [420, 90, 572],
  [540, 50, 456],
  [584, 60, 450],
  [650, 40, 520],
  [690, 56, 434],
  [772, 84, 610],
  [880, 70, 620],
  [968, 56, 566],
  [1040, 90, 580],
  [1148, 52, 500],
];

function Skyline() {
  return (
    <svg class="skyline" viewBox="0 0 1200 1080" aria-hidden="true" focusable="false">
      <rect width="1200" height="1080" fill="#10141b" />
      <circle cx="930" cy="250" r="150" fill={PAPER} />
      <circle cx="984" cy="204" r="30" fill="#d5cbb7" />
      <circle cx="880" cy="300" r="18" fill="#d5cbb7" />
      <Towers towers={FAR} base={840} fill="#1d2a35" lit={17} pane={5} />
      <Towers towers={NEAR} base={840} fill="#14110f" lit={5} pane={5} />
      <path d="M0 836H1200V1080H0Z" fill="#14110f" />
      <path d="M0 836H1200V846H0Z" fill="#8a7350" />
    </svg>
  );
}
