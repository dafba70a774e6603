/** The line on top: the turn, the camera and its tray, house rules, what is not saved. */
import { Sign } from "../../art";
import { t } from "../../store/words";
import type { GameView, Tray, ViewerView } from "../../wire";

/** What the camera sees, in a few words. */
export function trayWords(tray: Tray): string {
  if (tray.camera !== "ok") return t(`tray.camera_${tray.camera}`);
  const dice = tray.proposal?.dice.length ?? 0;
  if (tray.state === "read" && dice > 0) return t("tv.dice_read", { count: dice });
  return t(`tray.${tray.state}`);
}

/** Whether somebody must look after the camera or the dice. */
function isTroubled(tray: Tray): boolean {
  return (
    tray.camera === "lost" ||
    tray.drift !== null ||
    (tray.camera === "ok" && ["problem", "count", "unsure"].includes(tray.state))
  );
}

/** Says on every screen that the dice are no real ones. */
export function DemoSticker({ tray }: { readonly tray: Tray }) {
  if (!tray.demo) return null;
  return (
    <span class="demo-sticker">
      <Sign name="dice" size={32} /> {t("demo")}
    </span>
  );
}

export function CameraState({ tray }: { readonly tray: Tray }) {
  const tone = isTroubled(tray) ? "doubt" : tray.camera === "ok" ? "go" : "muted";
  const rolls = tray.camera === "ok" && tray.state === "rolling" && tray.roll > 0;
  return (
    <span class={`camera ${tone}`}>
      <Sign name={tray.camera === "ok" ? "camera" : "camera_off"} size={36} /> {trayWords(tray)}
      {rolls && ` · ${t("tray.roll", { roll: tray.roll })}`}
    </span>
  );
}

export function StateLine({ now, game }: { readonly now: ViewerView; readonly game: GameView }) {
  return (
    <p class="state-line">
      <b>{t("status.turn", { turn: game.turn })}</b>
      <DemoSticker tray={now.tray} />
      <CameraState tray={now.tray} />
      {!now.saved && (
        <span class="doubt">
          <Sign name="warning" size={32} /> {t("line.unsaved")}
        </span>
      )}
      {game.house.length > 0 && (
        <span class="muted house">
          <Sign name="house" size={32} /> {game.house.map((one) => t(`house.${one}`)).join(" · ")}
        </span>
      )}
    </p>
  );
}
